import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { schemaFaults, toolFixture } from "../../../test/support/tool-fixture.ts";
import { editPreview } from "./preview.ts";
import { editReplace } from "./replace.ts";

const patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** Delete File: b.txt\n*** End Patch";
const diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n";

describe("edit.preview", () => {
  it("shows what each kind of edit would do, and changes nothing", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.txt"), "one\n");
    writeFileSync(opened.at("b.txt"), "x\n");
    const edited = "Would edit a.txt at line 1 (# → #):\n@@ -1,1 +1,1 @@\n-one\n+1";
    const shown = async (input: Parameters<typeof editPreview.run>[0]) =>
      (await opened.run(editPreview, input)).text.replace(/[0-9a-f]{12}/g, "#");
    expect([
      await shown({ path: "a.txt", find: "one", replace: "1" }),
      await shown({ patch }),
      await shown({ diff }),
    ]).toEqual([edited, `${edited}\nWould delete b.txt, 1 line (was #).`, edited]);
    expect(["a.txt", "b.txt"].map((path) => readFileSync(opened.at(path), "utf8"))).toEqual(["one\n", "x\n"]);
  });

  it("returns the same data as the edit", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.txt"), "one\n");
    const edit = { path: "a.txt", find: "one", replace: "1", hard_links: "keep" } as const;
    const { data } = await opened.run(editPreview, edit);
    expect(data).toEqual((await opened.run(editReplace, edit)).data);
  });

  it("refuses what the edit would refuse", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.txt"), "one one\n");
    const edit = { path: "a.txt", find: "one", replace: "1" };
    expect(await opened.refusal(editPreview, edit)).toEqual(await opened.refusal(editReplace, edit));
  });

  it("only reads", () => {
    expect(editPreview.accesses({ patch })).toEqual([
      { kind: "read", path: "a.txt" },
      { kind: "read", path: "b.txt" },
    ]);
  });

  it("accepts exactly one of the three kinds", () => {
    const edit = { path: "a", find: "b", replace: "c" };
    const filled = { patch, diff: "", path: "", all: false, edits: [], hard_links: "break" };
    const inputs = [edit, { patch }, { diff }, filled, {}, { patch, diff }, { ...edit, patch }];
    const one = ": give one of the three: `path` with `find` and `replace` or `edits`, `patch`, or `diff`";
    expect(inputs.map((input) => schemaFaults(editPreview, input))).toEqual([
      [],
      [],
      [],
      [],
      [one],
      [one],
      [one],
    ]);
    expect(schemaFaults(editPreview, { find: "b", replace: "c" })).toEqual([
      ": `path` is missing: the file to edit",
    ]);
  });
});
