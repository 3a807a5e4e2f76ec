import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import type { UndoneChanges } from "../../src/contract/history.ts";
import type { AnyTool } from "../../src/contract/tool.ts";
import { catalog } from "../../src/tools/catalog.ts";
import { type openCommandFixture, treeOf } from "../support/journal-scan/command-fixture.ts";
import type { openUndoFixture } from "../support/undo/undo-fixture.ts";

/** Registers tests of undos at the same time, which must pass on every machine. */
export function testUndoRaces(open: typeof openUndoFixture): void {
  it("runs once when two callers undo the same call at once", async () => {
    await using fixture = await open({ files: { a: "one\n", b: "one\n" } });
    const patch =
      "*** Begin Patch\n*** Update File: a\n-one\n+1\n*** Update File: b\n-one\n+1\n*** End Patch";
    const { callId } = await fixture.call("edit.patch", { patch });
    const others = await Promise.all([1, 2, 3].map(() => fixture.reopen({ undoScope: "workspace" })));
    const results = await Promise.all(others.map((other) => other.call("journal.undo", { call: callId })));
    await Promise.all(others.map((other) => other.close()));
    expect(results.filter(({ data }) => (data as UndoneChanges | null)?.files.length === 2)).toHaveLength(1);
    expect([readFileSync(fixture.path("a"), "utf8"), readFileSync(fixture.path("b"), "utf8")]).toEqual([
      "one\n",
      "one\n",
    ]);
  });

  it("does not undo a call that is still running elsewhere", async () => {
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const slow: AnyTool = {
      ...(await catalog["file.write"]()),
      name: "slow.write",
      run: async ({ path, content }, { environment }) => {
        await environment.writeFile(path, Buffer.from(content));
        await mayEnd;
        return { data: null, text: "written" };
      },
    };
    await using fixture = await open({ tools: [slow] });
    const running = fixture.call("slow.write", { path: "a", content: "half" });
    while (!existsSync(fixture.path("a"))) await wait(5);
    const user = await fixture.reopen({ undoScope: "workspace" });
    const refused = await user.call("journal.undo", {});
    end();
    const { callId } = await running;
    const undone = await user.call("journal.undo", {});
    await user.close();
    expect([refused.content, undone.data]).toMatchObject([
      `Nothing was undone: ${callId} is still running\nWait until it has ended, or stop it, then try again.`,
      { calls: [callId] },
    ]);
  });
}

const files = { "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" };

/** Registers tests of commands at the same time, which must pass on every machine. */
export function testCommandRaces(
  open: (files: Readonly<Record<string, string>>) => ReturnType<typeof openCommandFixture>,
): void {
  it("does not attribute concurrent changes of other calls to the command", async () => {
    await using fixture = await open(files);
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
    await using fixture = await open(files);
    const before = treeOf(fixture.workspace);
    const slow = fixture.bash("rm a.txt; until test -e go; do sleep 0.02; done; rm go b.txt");
    while (existsSync(join(fixture.workspace, "a.txt"))) await wait(5);
    const quick = await fixture.bash("printf quick > c.txt");
    fixture.beside("touch go");
    const calls = [await slow, quick];
    for (const call of calls) await fixture.undo(call);
    expect(treeOf(fixture.workspace)).toEqual(before);
  });
}
