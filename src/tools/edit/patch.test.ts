import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { describe, expect, it } from "vitest";
import { schemaFaults, type ToolFixture, toolFixture } from "../../../test/support/tool-fixture.ts";
import { editPatch } from "./patch.ts";

describe("edit.patch", () => {
  it("updates, adds, moves and deletes files, and reports each change", async () => {
    await using opened = toolFixture();
    write(opened, { "a.ts": "one\ntwo\n", "old.sh": "echo one\n", "gone.txt": "x\ny\n" });
    chmodSync(opened.at("old.sh"), 0o750);
    const patch = wrap(
      "*** Update File: a.ts\n@@\n one\n-two\n+2",
      "*** Add File: new/b.ts\n+three\n+four",
      "*** Update File: old.sh\n*** Move to: bin/new.sh\n@@\n-echo one\n+echo two",
      "*** Delete File: gone.txt",
    );
    const { data, text } = await opened.run(editPatch, { patch });
    expect(text.replace(/[0-9a-f]{12}/g, "#")).toBe(
      [
        "Edited a.ts at line 2 (# → #):\n@@ -1,2 +1,2 @@\n one\n-two\n+2",
        "Created new/b.ts, 2 lines (#).",
        "Moved old.sh to bin/new.sh, changed at line 1 (# → #):\n@@ -1,1 +1,1 @@\n-echo one\n+echo two",
        "Deleted gone.txt, 2 lines (was #).",
      ].join("\n"),
    );
    expect(data.files.map(({ action, path, from }) => [action, path, from])).toEqual([
      ["update", "a.ts", undefined],
      ["add", "new/b.ts", undefined],
      ["move", "bin/new.sh", "old.sh"],
      ["delete", "gone.txt", undefined],
    ]);
    expect(contents(opened)).toEqual({
      "a.ts": "one\n2\n",
      "bin/new.sh": "echo two\n",
      "new/b.ts": "three\nfour\n",
    });
    expect(statSync(opened.at("bin/new.sh")).mode & 0o777).toBe(0o750);
  });

  it("changes nothing when the patch does not apply to one file", async () => {
    await using opened = toolFixture();
    const files = { "a.ts": "one\n", "b.ts": "two\n" };
    write(opened, files);
    const patch = wrap(
      "*** Add File: c.ts\n+new",
      "*** Update File: a.ts\n@@\n-one\n+1",
      "*** Update File: b.ts\n@@\n-three\n+3",
    );
    expect(await opened.refusal(editPatch, { patch })).toEqual({
      code: "no-match",
      message: "b.ts: hunk 1 was not found, and nothing similar",
      hint: "None of the files was changed. Read the file again and copy the old lines as they are now.",
    });
    expect(contents(opened)).toEqual(files);
  });

  it("refuses to add an existing file, to change a missing one, and to leave the workspace", async () => {
    await using opened = toolFixture();
    write(opened, { "greet.ts": "one\n" });
    const hunk = "@@\n-one\n+1";
    const patches = [
      "*** Add File: greet.ts\n+one",
      `*** Update File: gret.ts\n${hunk}`,
      `*** Update File: greet.ts\n*** Move to: ../greet.ts\n${hunk}`,
      "*** Add File: ../new.ts\n+one",
    ];
    const refusals = await Promise.all(
      patches.map((patch) => opened.refusal(editPatch, { patch: wrap(patch) })),
    );
    expect(refusals.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      "already-exists: greet.ts already exists",
      "not-found: gret.ts does not exist",
      "outside-workspace: ../greet.ts leads outside the workspace",
      "outside-workspace: ../new.ts leads outside the workspace",
    ]);
    expect(refusals[1]!.hint).toBe("Did you mean greet.ts?");
    expect(contents(opened)).toEqual({ "greet.ts": "one\n" });
  });

  it("edits through links, but does not move or delete links", async () => {
    await using opened = toolFixture();
    write(opened, { "real.txt": "one\n" });
    symlinkSync("real.txt", opened.at("link.txt"));
    const refusal = {
      code: "unsupported",
      message: "link.txt is a link, and edits do not delete or move links",
      hint: "Use file.delete or file.move for the link, or give the path of its target.",
    };
    const moving = wrap("*** Update File: link.txt\n*** Move to: b.txt\n@@\n-one\n+1");
    expect(await opened.refusal(editPatch, { patch: wrap("*** Delete File: link.txt") })).toEqual(refusal);
    expect(await opened.refusal(editPatch, { patch: moving })).toEqual(refusal);
    await opened.run(editPatch, { patch: wrap("*** Update File: link.txt\n@@\n-one\n+1") });
    expect(readFileSync(opened.at("real.txt"), "utf8")).toBe("1\n");
    const both = wrap("*** Update File: link.txt\n@@\n-1\n+2", "*** Update File: real.txt\n@@\n-1\n+3");
    expect((await opened.refusal(editPatch, { patch: both })).code).toBe("invalid-input");
    expect(readFileSync(opened.at("real.txt"), "utf8")).toBe("1\n");
  });

  it("finds a file with a prefix or quotes, even if a file or directory is in the way", async () => {
    await using opened = toolFixture();
    write(opened, { "one.ts": "1\n", "two.ts": "2\n", "three.ts": "3\n", a: "a file\n" });
    mkdirSync(opened.at("b/two.ts"), { recursive: true });
    const patch = wrap(
      "*** Update File: a/one.ts\n@@\n-1\n+one",
      "*** Update File: b/two.ts\n@@\n-2\n+two",
      "*** Update File: `./three.ts`\n@@\n-3\n+three",
    );
    await opened.run(editPatch, { patch });
    expect(contents(opened)).toEqual({
      a: "a file\n",
      "one.ts": "one\n",
      "three.ts": "three\n",
      "two.ts": "two\n",
    });
  });

  it("accepts only a patch", () => {
    const faults = [{ patch: "x" }, { patch: "" }, {}, { patch: "x", path: "y" }].map((input) =>
      schemaFaults(editPatch, input),
    );
    expect(faults.map(({ length }) => length)).toEqual([0, 1, 1, 1]);
  });
});

function wrap(...sections: readonly string[]): string {
  return `*** Begin Patch\n${sections.join("\n")}\n*** End Patch`;
}

function write(opened: ToolFixture, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) writeFileSync(opened.at(path), content);
}

function contents(opened: ToolFixture): Record<string, string> {
  const entries = readdirSync(opened.workspace, { recursive: true, encoding: "utf8" });
  const files = entries.filter((path) => existsSync(opened.at(path)) && statSync(opened.at(path)).isFile());
  return Object.fromEntries(files.sort().map((path) => [path, readFileSync(opened.at(path), "utf8")]));
}
