import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { type ToolFixture, toolFixture } from "../../../test/support/tool-fixture.ts";
import { notebookEdit } from "./edit.ts";

const notebook = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {},
   "source": [
    "# Title"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "sum",
   "metadata": {},
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "2\\n"
     ]
    }
   ],
   "source": [
    "a = 1\\n",
    "print(a + a)"
   ]
  }
 ],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 5
}
`;

function furnish(opened: ToolFixture, text: string | Uint8Array = notebook): void {
  writeFileSync(opened.at("a.ipynb"), text);
}

const now = (opened: ToolFixture) => readFileSync(opened.at("a.ipynb"), "utf8");

const replaced = notebook
  .replace('"execution_count": 3', '"execution_count": null')
  .replace(/"outputs": \[[\s\S]*?\n {3}\],/, '"outputs": [],')
  .replace('    "print(a + a)"', '    "print(a * 2)"');

it("replaces the source of a cell, and removes its old outputs", async () => {
  await using opened = toolFixture();
  furnish(opened);
  const { data, text } = await opened.run(notebookEdit, {
    path: "a.ipynb",
    operation: "replace",
    cell: 2,
    source: "a = 1\nprint(a * 2)",
  });
  expect(now(opened)).toBe(replaced);
  expect([data.cell, data.cells, data.files[0]?.notes]).toEqual([
    { number: 2, id: "sum", type: "code" },
    2,
    ["replaced cell 2 (code, id sum)", "its outputs, made by the old source, were removed"],
  ]);
  expect(text.replace(/[0-9a-f]{12}/g, "#")).toBe(
    [
      "Edited a.ipynb at lines 13, 16 and 19 (# → #):",
      "(replaced cell 2 (code, id sum))",
      "(its outputs, made by the old source, were removed)",
      "@@ -10,21 +10,13 @@",
      "   },",
      "   {",
      '    "cell_type": "code",',
      '-   "execution_count": 3,',
      '+   "execution_count": null,',
      '    "id": "sum",',
      '    "metadata": {},',
      '-   "outputs": [',
      "-    {",
      '-     "name": "stdout",',
      '-     "output_type": "stream",',
      '-     "text": [',
      '-      "2\\n"',
      "-     ]",
      "-    }",
      "-   ],",
      '+   "outputs": [],',
      '    "source": [',
      '     "a = 1\\n",',
      '-    "print(a + a)"',
      '+    "print(a * 2)"',
      "    ]",
      "   }",
      "  ],",
      "The notebook has 2 cells.",
    ].join("\n"),
  );
});

it("inserts, appends and deletes cells, and an inserted cell can be deleted without a trace", async () => {
  await using opened = toolFixture();
  furnish(opened);
  const path = "a.ipynb";
  const inserted = await opened.run(notebookEdit, {
    path,
    operation: "insert_after",
    cell: "intro",
    source: "# more",
  });
  const appended = await opened.run(notebookEdit, { path, operation: "append", source: "1" });
  const { cells } = JSON.parse(now(opened)) as {
    cells: { cell_type: string; id: string; source: string[] }[];
  };
  expect(cells.map(({ cell_type, id, source }) => [cell_type, id, source.join("")])).toEqual([
    ["markdown", "intro", "# Title"],
    ["markdown", inserted.data.cell?.id, "# more"],
    ["code", "sum", "a = 1\nprint(a + a)"],
    ["code", appended.data.cell?.id, "1"],
  ]);
  await opened.run(notebookEdit, { path, operation: "delete", cell: 4 });
  const { data } = await opened.run(notebookEdit, {
    path,
    operation: "delete",
    cell: inserted.data.cell!.id!,
  });
  expect([now(opened), data.cell, data.cells]).toEqual([notebook, undefined, 2]);
});

it("shows the exact change for approval", async () => {
  await using opened = toolFixture();
  furnish(opened);
  const input = { path: "a.ipynb", operation: "append", source: "x" } as const;
  const preview = await notebookEdit.preview!(input, opened.context);
  expect(now(opened)).toBe(notebook);
  const { data } = await opened.run(notebookEdit, input);
  expect(data.files[0]?.diff).toBe(preview);
  expect(notebookEdit.accesses(input)).toEqual([{ kind: "write", path: "a.ipynb" }]);
});

it("reports that the file changed since it was seen", async () => {
  await using opened = toolFixture();
  furnish(opened);
  const path = "a.ipynb";
  await opened.run(notebookEdit, { path, operation: "replace", cell: 1, source: "# One" });
  writeFileSync(opened.at(path), now(opened).replace("# One", "# Two"));
  const { data } = await opened.run(notebookEdit, { path, operation: "replace", cell: 2, source: "a" });
  expect(data.files[0]?.notes[0]).toBe("changed since you last saw it, at line 8; your edit still fits");
});

it("keeps a byte-order mark", async () => {
  await using opened = toolFixture();
  furnish(opened, `\ufeff${notebook}`);
  await opened.run(notebookEdit, {
    path: "a.ipynb",
    operation: "replace",
    cell: 2,
    source: "a = 1\nprint(a * 2)",
  });
  expect(now(opened)).toBe(`\ufeff${replaced}`);
});

it("accepts faults that existed before", async () => {
  await using opened = toolFixture();
  const broken = notebook.replace('"id": "intro"', '"id": "not valid!"');
  furnish(opened, broken);
  await opened.run(notebookEdit, {
    path: "a.ipynb",
    operation: "replace",
    cell: 2,
    source: "a = 1\nprint(a * 2)",
  });
  expect(now(opened)).toBe(replaced.replace('"id": "intro"', '"id": "not valid!"'));
});

it.each([
  [{ operation: "delete" }, "invalid-input", "delete needs a cell"],
  [{ operation: "append" }, "invalid-input", "append needs a source"],
  [{ operation: "insert_before", cell: 1 }, "invalid-input", "insert_before needs a source"],
  [{ operation: "replace", cell: 1 }, "invalid-input", "replace needs a source, a cell_type or both"],
  [
    { operation: "replace", cell: 1, source: "# Title" },
    "invalid-input",
    "a.ipynb: the cell already has this content; nothing would change",
  ],
  [
    { operation: "replace", cell: 0, source: "" },
    "not-found",
    'a.ipynb has no cell 0; it has 2 cells:\ncell 1 (markdown, id intro): "# Title"\ncell 2 (code, id sum): "a = 1"',
  ],
  [
    { operation: "append", source: "\ud800" },
    "invalid-input",
    "The text contains half of a surrogate pair, which is not a character",
  ],
] as const)("refuses %j and changes nothing", async (input, code, message) => {
  await using opened = toolFixture();
  furnish(opened);
  const refusal = await opened.refusal(notebookEdit, { path: "a.ipynb", ...input });
  expect([refusal.code, refusal.message, now(opened)]).toEqual([code, message, notebook]);
});

it("refuses files that are not notebooks", async () => {
  await using opened = toolFixture();
  const refused = async (content: string | Uint8Array) => {
    furnish(opened, content);
    const { code, message } = await opened.refusal(notebookEdit, {
      path: "a.ipynb",
      operation: "append",
      source: "",
    });
    return `${code}: ${message}`;
  };
  expect([await refused("{\n"), await refused("[]"), await refused(Buffer.from([0x7b, 0, 1, 2]))]).toEqual([
    "unsupported: a.ipynb is not valid JSON: expected a key in quotes at line 2, column 1, found the end of the file",
    'unsupported: a.ipynb is not a Jupyter notebook: it has no "nbformat"',
    "unsupported: a.ipynb is not UTF-8, so it is not a notebook",
  ]);
  expect(
    (await opened.refusal(notebookEdit, { path: "none.ipynb", operation: "append", source: "" })).code,
  ).toBe("not-found");
});

it("edits a notebook with a hundred thousand faults, and refuses one with more than a million values", {
  tags: "slow",
}, async () => {
  await using opened = toolFixture();
  const of = (cells: string) => `{"cells":[${cells}],"metadata":{},"nbformat":4,"nbformat_minor":5}`;
  const odd = '{"cell_type":"x"}';
  furnish(opened, of(`${odd},`.repeat(25_000) + odd));
  const input = { path: "a.ipynb", operation: "append", source: "" } as const;
  const { data } = await notebookEdit.run(input, opened.context);
  expect(data.cells).toBe(25_002);
  furnish(opened, of("0,".repeat(1_000_000)));
  expect(await opened.refusal(notebookEdit, input)).toMatchObject({
    code: "too-large",
    message: "a.ipynb has more than 1000000 values, too many to edit",
  });
});
