import { describe, expect, it } from "vitest";
import { openUndoFixture } from "../../../test/support/undo/undo-fixture.ts";
import { testUndo } from "../../../test/undo/undo-tests.ts";
import { MemoryEnvironment } from "../../environment/memory/memory-environment.ts";

describe("a file that changes while its undo is applied", () => {
  const lines = (first: string, last = "") => `${first}\n2\n3\n4\n5\n6\n7\n${last}`;

  /** `changes`: how often the next undo finds the file changed after it was planned. */
  async function interruptedFixture(changes: number, last: (time: number) => string) {
    const environment = new MemoryEnvironment({ files: { a: lines("1"), b: "b\n" } });
    const fixture = await openUndoFixture({ environment });
    await fixture.call("transaction.begin", {});
    await fixture.call("edit.replace", { path: "a", find: "1", replace: "one" });
    await fixture.call("file.write", { path: "b", content: "new\n" });
    const change = environment.change.bind(environment);
    let time = 0;
    environment.change = async (...given) => {
      time += 1;
      if (time <= changes) await environment.writeFile("a", Buffer.from(last(time)));
      return change(...given);
    };
    const read = async (path: string) =>
      (await environment.readFile(path, { maxBytes: 1000 })).bytes.toString();
    return { ...fixture, read };
  }

  it("is planned again, and merged", async () => {
    await using fixture = await interruptedFixture(3, (time) => lines("one", `${time}\n`));
    await fixture.call("transaction.commit", {});
    const { error } = await fixture.crib.call("journal.undo", { last: 1, merge: true });
    expect([error, await fixture.read("a"), await fixture.read("b")]).toEqual([
      null,
      lines("1", "3\n"),
      "b\n",
    ]);
  });

  it("is planned again, and left alone by a rollback that takes back the rest and fails", async () => {
    await using fixture = await interruptedFixture(1, () => "theirs\n");
    const { error } = await fixture.crib.call("transaction.rollback", {});
    expect([error?.code, await fixture.read("a"), await fixture.read("b")]).toEqual([
      "stale",
      "theirs\n",
      "b\n",
    ]);
  });
});

describe("undo", () => testUndo(openUndoFixture));
