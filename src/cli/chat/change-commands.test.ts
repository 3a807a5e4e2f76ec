import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openToolcrib } from "../../toolcrib/index.ts";
import { browseDiff } from "./change-commands.ts";
import type { HunkQuestion } from "./chat-front.ts";
import type { ChatSessions } from "./chat-sessions.ts";

it("/diff refuses to undo a hunk that has changed since it was shown", async () => {
  await using folder = temporaryFolder();
  const directories = { stateDirectory: join(folder.path, "s"), configDirectory: join(folder.path, "c") };
  const workspace = join(folder.path, "w");
  mkdirSync(workspace);
  writeFileSync(join(workspace, "a.txt"), "zero\n");
  const crib = await openToolcrib({ ...directories, workspace, mode: "yolo", sandbox: "none" });
  const write = (content: string) => crib.call("file.write", { path: "a.txt", content });
  await crib.call("file.read", { path: "a.txt" });
  await write("one\n");
  const answers: unknown[] = [];
  const browse = async ({ hunks, undo }: HunkQuestion) => {
    await write("two\n");
    const { message, hunks: current } = await undo(hunks[0]!);
    answers.push(message, current[0]?.lines);
    answers.push(await undo(current[0]!));
  };
  const read = () => readFileSync(join(workspace, "a.txt"), "utf8");
  const chat = {
    front: { browse },
    callForUser: (tool: string, input: object) => crib.call(tool, input),
    note: () => answers.push("noted"),
  } as unknown as ChatSessions;
  await browseDiff(chat, "");
  await crib.close();
  expect(answers.slice(0, 2)).toEqual([
    "The changes have changed; here is the current diff.",
    ["-zero", "+two"],
  ]);
  expect(answers.slice(2)).toEqual(["noted", { hunks: [] }]);
  expect(read()).toBe("zero\n");
});
