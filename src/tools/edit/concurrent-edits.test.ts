import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { temporaryToolcrib } from "../../../test/support/temporary-toolcrib.ts";

describe("concurrent edits", () => {
  it("are all applied when they arrive at once for one file", async () => {
    await using fixture = await temporaryToolcrib();
    const words = Array.from({ length: 20 }, (_, index) => `word${index}.`);
    fixture.write("a.txt", words.join("\n"));
    const edits = words.map((word) =>
      fixture.crib.call("edit_replace", { path: "a.txt", find: word, replace: word.toUpperCase() }),
    );
    expect((await Promise.all(edits)).filter(({ isError }) => isError)).toEqual([]);
    expect(fixture.read("a.txt")).toBe(words.join("\n").toUpperCase());
  });

  it("are all applied when several callers send them at once", async () => {
    await using fixture = await temporaryToolcrib();
    await using others = await temporaryToolcrib({ workspace: fixture.crib.workspace });
    const words = Array.from({ length: 20 }, (_, index) => `word${index}.`);
    fixture.write("a.txt", words.join("\n"));
    const edits = words.map((word, index) =>
      [fixture, others][index % 2]!.crib.call("edit_replace", {
        path: "a.txt",
        find: word,
        replace: word.toUpperCase(),
      }),
    );
    expect((await Promise.all(edits)).filter(({ isError }) => isError)).toEqual([]);
    expect(fixture.read("a.txt")).toBe(words.join("\n").toUpperCase());
  });

  it("ask for what they write and for what they delete", async () => {
    await using fixture = await temporaryToolcrib();
    await using careful = await temporaryToolcrib({ mode: "safe" });
    const call = async ({ crib, write }: typeof fixture) => {
      for (const name of ["a.txt", "b.txt"]) write(name, "one\n");
      const sections = "*** Update File: a.txt\n*** Move to: c.txt\n@@\n-one\n+two\n*** Delete File: b.txt";
      return crib.call("edit_patch", { patch: `*** Begin Patch\n${sections}\n*** End Patch` });
    };
    const [done, asked] = [await call(fixture), await call(careful)];
    expect([done.error, fixture.read("c.txt"), existsSync(fixture.at("b.txt"))]).toEqual([
      null,
      "two\n",
      false,
    ]);
    expect([asked.error, careful.read("a.txt"), careful.read("b.txt")]).toMatchObject([
      {
        code: "needs-approval",
        message:
          "This call needs approval: it would write a.txt, write c.txt (mode safe asks before writing); it would delete b.txt (mode safe asks before deleting)",
        hint: "The user cannot be asked here. Continue without it, or tell the user that it needs a rule or another mode.",
      },
      "one\n",
      "one\n",
    ]);
  });

  it("are refused before approval when they cannot be parsed", async () => {
    await using fixture = await temporaryToolcrib({ mode: "paranoid" });
    const results = [
      await fixture.crib.call("edit_patch", { patch: "no patch" }),
      await fixture.crib.call("edit_diff", { diff: "no diff" }),
      await fixture.crib.call("edit_preview", { patch: "no patch" }),
      await fixture.crib.call("edit_patch", { patch: "*** Begin Patch\n*** End Patch" }),
    ];
    expect(results.map(({ error }) => `${error?.code}: ${error?.message}`)).toEqual([
      "invalid-input: The patch does not begin with `*** Begin Patch`",
      "invalid-input: The diff names no file",
      "invalid-input: The patch does not begin with `*** Begin Patch`",
      "invalid-input: The patch names no file",
    ]);
  });

  it("can be previewed in read-only mode", async () => {
    await using fixture = await temporaryToolcrib({ mode: "safe" });
    fixture.write("a.txt", "one\n");
    const patch = "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch";
    const results = [
      await fixture.crib.call("edit_preview", { patch }),
      await fixture.crib.call("edit_patch", { patch }),
    ];
    expect(results.map(({ error }) => error?.code)).toEqual([undefined, "needs-approval"]);
  });

  it("find their file even if another file is named like a prefix", async () => {
    await using fixture = await temporaryToolcrib();
    for (const name of ["a", "b", "x.txt"]) fixture.write(name, "one\n");
    const diff = "--- a/x.txt\n+++ b/x.txt\n@@ -1 +1 @@\n-one\n+two\n";
    expect((await fixture.crib.call("edit_diff", { diff })).isError).toBe(false);
    expect(["a", "b", "x.txt"].map(fixture.read)).toEqual(["one\n", "one\n", "two\n"]);
  });

  it("report unknown and missing fields", async () => {
    await using fixture = await temporaryToolcrib();
    const results = [
      await fixture.crib.call("edit_replace", { path: "a", find: "b", replace: "c", expect_cuont: 2 }),
      await fixture.crib.call("edit_replace", { path: "a", edits: [{ find: "b" }] }),
      await fixture.crib.call("edit_replace", { path: "a", edits: [{ find: "b", replace: "c", path: "d" }] }),
      await fixture.crib.call("edit_replace", { path: "a", find: "b", replace: "c", expect_count: 1.5 }),
      await fixture.crib.call("edit_replace", { path: "a", find: "b" }),
      await fixture.crib.call("edit_patch", { diff: "x" }),
    ];
    expect(results.map(({ error }) => error?.message)).toEqual([
      "edit_replace: unknown key `expect_cuont`, did you mean `expect_count`?",
      "edit_replace: `edits.0.replace` is missing",
      "edit_replace: unknown key `edits.0.path`",
      "edit_replace: `expect_count` must be an integer, not 1.5",
      "edit_replace: `replace` is missing: the new text, empty to remove",
      "edit_patch: `patch` is missing; unknown key `diff`",
    ]);
  });
});
