import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createSession } from "../../agent/create-session.ts";
import type { Session, SessionOptions } from "../../agent/session.ts";
import { ToolError } from "../../contract/error.ts";
import type { UndoneChanges } from "../../contract/history.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { demoRecording } from "../../models/recorded/demo.ts";
import { recordedModel } from "../../models/recorded/recorded-model.ts";
import { WorkspaceJournal } from "../../toolcrib/workspace-journal.ts";
import { explainExamples } from "../help.ts";
import { describeProof } from "../log/log.ts";
import { isTerminal, paint, remark } from "../terminal.ts";
import { commandName } from "../tour/guide.ts";
import { undoForUser } from "../undo-for-user.ts";
import { performTask } from "./run-task.ts";
import { ownOutputs, Screen } from "./screen.ts";

/** Runs `toolcrib run --demo`: a recorded model with real tools, on a temporary project. */
export async function playDemo(options: ReadonlyMap<string, string>): Promise<number> {
  const isForUser = !options.has("json") && !options.has("jsonl");
  const demo = new Demo();
  const session = await demo.open({ client: { kind: "run" } });
  try {
    if (isForUser) introduce(session, demo.task);
    const exit = await performTask(session, demo.task, { screen: new Screen(ownOutputs()), options });
    if (isForUser && exit === 0) await conclude(session, demo.state);
    return exit;
  } finally {
    await session.close();
    demo.remove();
  }
}

/** A session with a recorded model, in a temporary folder. */
export class Demo {
  readonly task = "The tests fail. Find out why and fix it.";
  readonly #folder = mkdtempSync(join(realpathSync(tmpdir()), "toolcrib-demo-"));
  readonly state = join(this.#folder, "home");
  #isOpen = false;

  constructor() {
    // The listener also runs when a second Ctrl-C exits at once.
    process.once("exit", () => this.remove());
  }

  async open(options: Pick<SessionOptions, "approve" | "client">): Promise<Session> {
    if (this.#isOpen)
      throw new ToolError("unsupported", "The demo has only one session", {
        hint: "Leave with Ctrl-D, then run: toolcrib chat",
      });
    this.#isOpen = true;
    const workspace = join(this.#folder, "shop");
    for (const [path, content] of Object.entries(demoProject)) {
      mkdirSync(dirname(join(workspace, path)), { recursive: true });
      writeFileSync(join(workspace, path), content);
    }
    return createSession({
      ...options,
      model: recordedModel(demoRecording, { wordMs: isTerminal(1) ? readingMs : 0 }),
      workspace,
      // The demo uses none of the user's files and makes known calls, so it needs no approval.
      stateDirectory: this.state,
      configDirectory: join(this.state, "config"),
      mode: "yolo",
      projectInstructions: false,
    });
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const readingMs = 25;

function introduce({ toolcrib: { workspace } }: Session, task: string): void {
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

/** Shows what a user can do after a session. */
async function conclude({ toolcrib: crib }: Session, state: string): Promise<void> {
  remark(
    `\n${paint(2, "bold", "Every call was checked and recorded. Undo the fix, redo it, and verify the log:")}\n`,
  );
  const show = (command: string, output: string) =>
    remark(`${paint(2, "bold", `$ ${commandName} ${command}`)}\n${output}`);
  for (const [command, input] of [
    ["undo", {}],
    ["redo", { redo: true }],
  ] as const) {
    const { data } = await crib.call("journal.undo", input);
    show(command, undoForUser(data as UndoneChanges, input));
  }
  const journal = new WorkspaceJournal({ state, workspace: crib.workspace });
  show("log verify", describeProof(await journal.verify({})));
  journal.close();
  remark(
    [
      "",
      paint(2, "bold", "Next, in your own project"),
      "",
      explainExamples([
        [`${commandName} mcp install --client claude`, "add the tools to Claude Code"],
        [`${commandName} run "find out why the tests fail"`, "give a model a task"],
        [`${commandName} console`, "watch all agents in a browser"],
        [`${commandName} tour`, "see more tools at work"],
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
