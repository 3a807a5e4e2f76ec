import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { openCommandRoom, treeOf } from "../../../test/support/journal-scan/command-room.ts";
import type { CallRecord } from "../../toolcrib/index.ts";

const files = { "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" };

it("lets the next process complete what a killed one began", async () => {
  await using room = await openCommandRoom(files, { git: true });
  const before = treeOf(room.workspace);
  const child = fork(
    new URL("../../../test/support/journal-scan/run-and-wait.ts", import.meta.url),
    [room.home],
    {
      execArgv: ["--disable-warning=ExperimentalWarning"],
    },
  );
  await once(child, "message");
  child.kill("SIGKILL");
  await once(child, "exit");
  const after = treeOf(room.workspace);
  expect(after).toEqual({ "b.txt": 'file 644 "new\\n"', "c.txt": 'file 644 "c\\n"', ready: 'file 644 ""' });

  await room.bash("printf own > own.txt");
  const killed = room.crib.history().find(({ outcome }) => outcome === null) as CallRecord;
  expect(killed.files).toEqual({ created: 1, changed: 1, removed: 1 });
  await room.undo({ callId: killed.callId } as never);
  expect(treeOf(room.workspace)).toEqual({ ...before, "own.txt": 'file 644 "own"' });
});

it("does not take what other calls change meanwhile for its own", async () => {
  await using room = await openCommandRoom(files);
  const running = room.bash("rm a.txt; until test -e go; do sleep 0.02; done; printf more >> b.txt");
  while (existsSync(join(room.workspace, "a.txt"))) await wait(5);
  await room.crib.call("file.write", { path: "b.txt", content: "by a tool\n" });
  const written = await room.crib.call("file.write", { path: "new/tool.txt", content: "tool\n" });
  await room.crib.call("file.move", { from: "c.txt", to: "moved.txt" });
  await room.crib.call("file.write", { path: "go", content: "" });
  const call = await running;
  await room.undo(call);
  expect(treeOf(room.workspace)).toEqual({
    "a.txt": 'file 644 "a\\n"',
    "b.txt": 'file 644 "by a tool\\n"',
    go: 'file 644 ""',
    "moved.txt": 'file 644 "c\\n"',
    new: "directory 755",
    "new/tool.txt": 'file 644 "tool\\n"',
  });
  await room.undo(written);
  expect(Object.keys(treeOf(room.workspace))).toEqual(["a.txt", "b.txt", "go", "moved.txt"]);
});

it("records what two commands do at the same time once", async () => {
  await using room = await openCommandRoom(files);
  const before = treeOf(room.workspace);
  const slow = room.bash("rm a.txt; until test -e go; do sleep 0.02; done; rm go b.txt");
  while (existsSync(join(room.workspace, "a.txt"))) await wait(5);
  const quick = await room.bash("printf quick > c.txt");
  room.beside("touch go");
  const calls = [await slow, quick];
  for (const call of calls) await room.undo(call);
  expect(treeOf(room.workspace)).toEqual(before);
});
