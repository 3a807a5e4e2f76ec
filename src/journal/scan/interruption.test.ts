import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { openCommandFixture, treeOf } from "../../../test/support/journal-scan/command-fixture.ts";
import type { CallRecord } from "../../toolcrib/index.ts";

const files = { "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" };

it("lets the next process complete the scan of a killed one", async () => {
  await using fixture = await openCommandFixture(files, { git: true });
  const before = treeOf(fixture.workspace);
  const child = fork(
    new URL("../../../test/support/journal-scan/run-and-wait.ts", import.meta.url),
    [fixture.home],
    {
      execArgv: ["--disable-warning=ExperimentalWarning"],
    },
  );
  await once(child, "message");
  child.kill("SIGKILL");
  await once(child, "exit");
  const after = treeOf(fixture.workspace);
  expect(after).toEqual({ "b.txt": 'file 644 "new\\n"', "c.txt": 'file 644 "c\\n"', ready: 'file 644 ""' });

  await fixture.bash("printf own > own.txt");
  const killed = fixture.crib.log().find(({ outcome }) => outcome === null) as CallRecord;
  expect(killed.files).toEqual({ created: 1, changed: 1, removed: 1 });
  await fixture.undo({ callId: killed.callId } as never);
  expect(treeOf(fixture.workspace)).toEqual({ ...before, "own.txt": 'file 644 "own"' });
});

it("does not attribute concurrent changes of other calls to the command", async () => {
  await using fixture = await openCommandFixture(files);
  const running = fixture.bash("rm a.txt; until test -e go; do sleep 0.02; done; printf more >> b.txt");
  while (existsSync(join(fixture.workspace, "a.txt"))) await wait(5);
  await fixture.crib.call("file.write", { path: "b.txt", content: "by a tool\n" });
  const written = await fixture.crib.call("file.write", { path: "new/tool.txt", content: "tool\n" });
  await fixture.crib.call("file.move", { from: "c.txt", to: "moved.txt" });
  await fixture.crib.call("file.write", { path: "go", content: "" });
  const call = await running;
  await fixture.undo(call);
  expect(treeOf(fixture.workspace)).toEqual({
    "a.txt": 'file 644 "a\\n"',
    "b.txt": 'file 644 "by a tool\\n"',
    go: 'file 644 ""',
    "moved.txt": 'file 644 "c\\n"',
    new: "directory 755",
    "new/tool.txt": 'file 644 "tool\\n"',
  });
  await fixture.undo(written);
  expect(Object.keys(treeOf(fixture.workspace))).toEqual(["a.txt", "b.txt", "go", "moved.txt"]);
});

it("records changes of two concurrent commands once", async () => {
  await using fixture = await openCommandFixture(files);
  const before = treeOf(fixture.workspace);
  const slow = fixture.bash("rm a.txt; until test -e go; do sleep 0.02; done; rm go b.txt");
  while (existsSync(join(fixture.workspace, "a.txt"))) await wait(5);
  const quick = await fixture.bash("printf quick > c.txt");
  fixture.beside("touch go");
  const calls = [await slow, quick];
  for (const call of calls) await fixture.undo(call);
  expect(treeOf(fixture.workspace)).toEqual(before);
});
