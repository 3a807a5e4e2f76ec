import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createSession } from "../../agent/create-session.ts";
import type { Session } from "../../agent/session.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { demoRecording } from "../../models/recorded/demo.ts";
import { recordedModel } from "../../models/recorded/recorded-model.ts";
import type { ChangedFiles } from "../../toolcrib/index.ts";
import { explainExamples } from "../help.ts";
import { colourDiff, isTerminal, paint, remark } from "../terminal.ts";
import { commandName } from "../tour/guide.ts";
import { performTask } from "./run-task.ts";
import { ownOutputs, Screen } from "./screen.ts";

const task = "The tests fail. Find out why and fix it.";

/** `toolcrib run --demo`: a recorded model with real tools, on a temporary project. */
export async function playDemo(options: ReadonlyMap<string, string>): Promise<number> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "toolcrib-demo-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // Also when a second Ctrl-C exits at once.
  process.once("exit", remove);
  const isForUser = !options.has("json") && !options.has("jsonl");
  const session = await openDemo(folder);
  try {
    if (isForUser) introduce(session);
    const exit = await performTask(session, task, { screen: new Screen(ownOutputs()), options });
    if (isForUser && exit === 0) await conclude(session);
    return exit;
  } finally {
    await session.close();
    remove();
  }
}

async function openDemo(folder: string): Promise<Session> {
  const workspace = join(folder, "shop");
  for (const [path, content] of Object.entries(demoProject)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), content);
  }
  return createSession({
    model: recordedModel(demoRecording, { wordMs: isTerminal(1) ? readingMs : 0 }),
    workspace,
    // The user's own files are not used, and the calls are known: no approval is needed.
    stateDirectory: join(folder, "state"),
    configDirectory: join(folder, "config"),
    mode: "yolo",
    projectInstructions: false,
  });
}

const readingMs = 25;

function introduce({ crib: { workspace } }: Session): void {
  remark(
    [
      paint(2, "bold", "A session, offline"),
      "The model is a recording; the tools are real. They work on a small temporary project:",
      printableLine(workspace),
      "",
      `Task: ${task}`,
      "",
      "",
    ].join("\n"),
  );
}

async function conclude({ crib }: Session): Promise<void> {
  const { data } = await crib.call("journal.diff", {});
  const { files } = data as ChangedFiles;
  remark(
    [
      "",
      paint(2, "bold", "The changes, as toolcrib diff shows them"),
      colourDiff(2, files.map(({ diff }) => diff).join("")),
      "Every call was checked against rules, recorded, and can be undone. In your own project:",
      "",
      explainExamples([
        [`${commandName} models`, "list the available models"],
        [`${commandName} run "find out why the tests fail"`, "give a model a task"],
        [`${commandName} chat`, "chat with a model"],
        [`${commandName} undo`, "undo the latest change"],
        [`${commandName} help run`, "show all options"],
      ]),
    ].join("\n"),
  );
}

/** The demo project by path: a shop whose test fails. */
export const demoProject: Readonly<Record<string, string>> = {
  "package.json": `{ "name": "shop", "type": "module", "private": true }
`,
  "README.md": `# Shop

Prices, in cents. Test it with: node --test
`,
  "src/price.js": `/** What a basket costs, less the discount; never below zero. */
export function total(items, discount = 0) {
  let sum = 0;
  for (const { price, count } of items) sum += price * count;
  return sum + discount;
}
`,
  "test/price.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { total } from "../src/price.js";

const basket = [
  { price: 250, count: 2 },
  { price: 99, count: 1 },
];

test("adds up what is in the basket", () => {
  assert.equal(total(basket), 599);
});

test("takes the discount off, down to nothing", () => {
  assert.equal(total(basket, 100), 499);
  assert.equal(total(basket, 1000), 0);
});
`,
};
