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

const task = "The tests fail. Find out why, and mend it.";

/** `toolcrib run --demo`: a recorded model, but real tools, on a project of its own that is gone afterwards. */
export async function playDemo(options: ReadonlyMap<string, string>): Promise<number> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "toolcrib-demo-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // Also when a second Ctrl-C ends us at once.
  process.once("exit", remove);
  const isForPeople = !options.has("json") && !options.has("jsonl");
  const session = await openDemo(folder);
  try {
    if (isForPeople) introduce(session);
    const exit = await performTask(session, task, { screen: new Screen(ownOutputs()), options });
    if (isForPeople && exit === 0) await conclude(session);
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
    // Nothing of the person's own is read or written, and the calls are known: nobody has to be asked.
    stateDirectory: join(folder, "state"),
    configDirectory: join(folder, "config"),
    mode: "yolo",
    projectInstructions: false,
  });
}

/** As fast as one likes to read. */
const readingMs = 25;

function introduce({ crib: { workspace } }: Session): void {
  remark(
    [
      paint(2, "bold", "A whole session, offline."),
      "The model is a recording; its tools are real. They work on a small project that is made for it,",
      `and removed at the end: ${printableLine(workspace)}`,
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
      paint(2, "bold", "What the session changed, as toolcrib diff shows it"),
      colourDiff(2, files.map(({ diff }) => diff).join("")),
      "Every call was judged by rules, recorded, and can be undone. In a project of yours:",
      "",
      explainExamples([
        { command: `${commandName} models`, shows: "which models can be reached from here" },
        { command: `${commandName} run "find out why the tests fail"`, shows: "a task for one of them" },
        { command: `${commandName} chat`, shows: "the same, in a conversation" },
        { command: `${commandName} undo`, shows: "take back the latest change" },
        { command: `${commandName} help run`, shows: "what else there is" },
      ]),
    ].join("\n"),
  );
}

/** What the demonstration works on, by path: a shop whose test fails. */
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
