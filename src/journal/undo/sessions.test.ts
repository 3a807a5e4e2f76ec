import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openUndoFixture, wholeOf } from "../../../test/support/undo/undo-fixture.ts";
import { testUndoRaces } from "../../../test/undo/undo-races.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";

// Mistakes of other undo systems, one test each: see docs/undo.md.

it("keeps later edits by the user instead of checking out a whole tree", async () => {
  await using fixture = await openUndoFixture({ files: { a: "one\n", "d/b": "two\n", c: "three\n" } });
  await fixture.call("edit.replace", { path: "a", find: "one", replace: "1" });
  writeFileSync(fixture.path("d/b"), "by a user\n");
  writeFileSync(fixture.path("new"), "by a user\n");
  const found = await wholeOf(fixture.elsewhere);
  await fixture.call("journal.undo", {});
  const { a: _, ...others } = found;
  expect(await wholeOf(fixture.elsewhere)).toMatchObject(others);
  expect(readFileSync(fixture.path("a"), "utf8")).toBe("one\n");
});

it("numbers checkpoints across processes, and refuses a name that is taken", async () => {
  await using fixture = await openUndoFixture();
  const first = await fixture.call("journal.checkpoint", {});
  const other = await fixture.reopen();
  const second = await other.call("journal.checkpoint", {});
  const taken = await other.call("journal.checkpoint", { name: "checkpoint-1" });
  await other.close();
  expect([first.data, second.data, taken.content]).toMatchObject([
    { checkpoints: [{ name: "checkpoint-1" }] },
    { checkpoints: [{ name: "checkpoint-2" }] },
    'The checkpoint "checkpoint-1" already exists\nUse another name, or omit it.',
  ]);
});

it("removes files created after a checkpoint, and restores removed ones", async () => {
  await using fixture = await openUndoFixture({ files: { a: "one\n", b: "two\n" } });
  const before = await wholeOf(fixture.elsewhere);
  await fixture.call("journal.checkpoint", { name: "here" });
  await fixture.call("file.write", { path: "new/file", content: "new" });
  await fixture.call("file.delete", { path: "a" });
  await fixture.call("edit.replace", { path: "b", find: "two", replace: "2" });
  await fixture.call("journal.undo", { checkpoint: "here" });
  expect(await wholeOf(fixture.elsewhere)).toEqual(before);
  const { content } = await fixture.call("journal.checkpoint", { list: true });
  expect(content).toMatch(/^here, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, 4 calls changed something since$/);
});

it("restores a checkpoint across a later undo, which it reverts", async () => {
  await using fixture = await openUndoFixture({ files: { a: "one\n" } });
  await fixture.call("edit.replace", { path: "a", find: "one", replace: "1" });
  await fixture.call("journal.checkpoint", { name: "here" });
  await fixture.call("journal.undo", {});
  await fixture.call("journal.undo", { checkpoint: "here" });
  expect(readFileSync(fixture.path("a"), "utf8")).toBe("1\n");
  await fixture.call("journal.undo", { redo: true });
  expect(readFileSync(fixture.path("a"), "utf8")).toBe("one\n");
});

it("leaves the index and the objects of git alone", async () => {
  await using fixture = await openUndoFixture({ files: { a: "one\n" } });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], {
      cwd: fixture.path("."),
    });
  git("init", "-q");
  git("add", "a");
  git("commit", "-q", "-m", "first");
  writeFileSync(fixture.path("a"), "staged\n");
  git("add", "a");
  const index = () => [
    statSync(fixture.path(".git/index")).mtimeMs,
    readFileSync(fixture.path(".git/index"), "hex"),
  ];
  const [before, objects] = [index(), git("count-objects").toString()];
  await fixture.call("edit.replace", { path: "a", find: "staged", replace: "edited" });
  await fixture.call("journal.undo", {});
  expect([index(), git("count-objects").toString(), readFileSync(fixture.path("a"), "utf8")]).toEqual([
    before,
    objects,
    "staged\n",
  ]);
});

it("lets the user undo an earlier instance's changes after a restart", async () => {
  await using fixture = await openUndoFixture({ files: { a: "one\n" } });
  const { callId } = await fixture.call("file.delete", { path: "a" });
  const user = await fixture.reopen({ undoScope: "workspace" });
  expect((await user.call("journal.undo", {})).data).toMatchObject({
    calls: [callId],
    files: [{ path: "a" }],
  });
  expect((await user.call("journal.undo", { redo: true })).isError).toBe(false);
  await user.close();
  expect(Object.keys(await wholeOf(fixture.elsewhere))).toEqual([]);
});

it("refuses to undo another session's changes for an agent, and names who can", async () => {
  await using fixture = await openUndoFixture({ files: { a: "one\n" } });
  const { callId } = await fixture.call("file.delete", { path: "a" });
  const agent = await fixture.reopen();
  const [named, latest] = [
    await agent.call("journal.undo", { call: callId }),
    await agent.call("journal.undo", {}),
  ];
  await agent.close();
  expect([named.error, latest.error]).toEqual([
    {
      code: "denied",
      message: `${callId} was made in another session; only the user may undo it`,
      hint: `Ask the user to run: toolcrib undo ${callId}`,
    },
    {
      code: "not-found",
      message: "There is nothing to undo: no files were changed",
      hint: "Use a call id from the result of an earlier call.",
    },
  ]);
});

describe("at the same time", () => testUndoRaces(openUndoFixture));

it.each([
  ["damaged", (blob: string) => writeFileSync(blob, "something else")],
  ["no longer stored", (blob: string) => rmSync(blob)],
])("reports that a content is %s before anything is changed", async (fault, spoil) => {
  await using fixture = await openUndoFixture({ files: { a: "one\n", b: "two\n" } });
  const patch = "*** Begin Patch\n*** Update File: a\n-one\n+1\n*** Update File: b\n-two\n+2\n*** End Patch";
  const { callId } = await fixture.call("edit.patch", { patch });
  spoil(blobOf(fixture.state, "two\n"));
  const found = await wholeOf(fixture.elsewhere);
  const { error } = await fixture.crib.call("journal.undo", {});
  const why = expect.stringMatching(`b cannot be restored: .*${fault}`);
  expect([error?.code, error?.message]).toEqual(["unavailable", why]);
  expect(await wholeOf(fixture.elsewhere)).toEqual(found);
  await fixture.call("journal.undo", { call: callId, paths: ["a"] });
  expect(readFileSync(fixture.path("a"), "utf8")).toBe("one\n");
});

it("reports what it cannot restore because it was never stored", async () => {
  await using fixture = await openUndoFixture({ files: { a: "one\n" } });
  await fixture.call("file.write", { path: "b", content: "two\n" });
  await fixture.call("file.delete", { path: "a" });
  rmSync(blobOf(fixture.state, "one\n"));
  expect(await fixture.crib.call("journal.undo", { last: 2 })).toMatchObject({
    content: [
      "Nothing was undone: 1 of 2 paths cannot be restored.",
      "a cannot be restored: its content is no longer stored.",
      "Undo the others with `skip_changed: true`.",
    ].join("\n"),
  });
  await fixture.call("journal.undo", { last: 2, skip_changed: true });
  expect(Object.keys(await wholeOf(fixture.elsewhere))).toEqual([]);
});

/** The path of a stored content. */
function blobOf(state: string, content: string): string {
  const hash = contentHash(Buffer.from(content));
  const name = readdirSync(state, { recursive: true, encoding: "utf8" }).find((path) =>
    path.replaceAll("/", "").endsWith(hash),
  );
  return join(state, name ?? "no such blob");
}
