import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createSession } from "../../../agent/create-session.ts";
import type { Session } from "../../../agent/session.ts";
import { printableLine } from "../../../lib/printable.ts";
import { demoRecording } from "../../../models/recorded/demo.ts";
import { recordedModel } from "../../../models/recorded/recorded-model.ts";
import type { ChangedFiles } from "../../../toolcrib/index.ts";
import { colourDiff } from "../../colour-diff.ts";
import { explainExamples } from "../../help.ts";
import { isTerminal, paint, remark } from "../../terminal.ts";
import { commandName } from "../../tour/guide.ts";
import { performTask } from "../run-task.ts";
import { ownOutputs, Screen } from "../show/screen.ts";
import { demoProject } from "./demo-project.ts";

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
