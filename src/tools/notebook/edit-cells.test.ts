import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ToolError } from "../../contract/error.ts";
import { editCells } from "./edit-cells.ts";
import { notebookFaults } from "./notebook-faults.ts";
import { type CellEdit, readNotebookText } from "./notebook-text.ts";

function edited(text: string, edit: Partial<CellEdit> & { cell_type?: string }): string {
  const { cell_type: type, ...rest } = edit;
  const whole = { type, keepOutputs: false, source: undefined, ...rest } as CellEdit;
  const { splices } = editCells(readNotebookText(text, "a.ipynb"), whole);
  return [...splices]
    .sort((one, other) => other.start - one.start)
    .reduce(
      (result, { start, end, text: added }) => result.slice(0, start) + added + result.slice(end),
      text,
    );
}

function refusal(text: string, edit: Partial<CellEdit> = { operation: "append", source: "" }): string {
  try {
    edited(text, edit);
  } catch (error) {
    if (error instanceof ToolError) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error("was not refused");
}

const samples = JSON.parse(
  readFileSync(new URL("../../../test/samples/notebook-edits.json", import.meta.url), "utf8"),
) as { edit: Partial<CellEdit>; before: string; after: string }[];

describe("editing cells", () => {
  it("writes what Jupyter would write", () => {
    expect(samples.map(({ before, edit }) => edited(before, edit))).toEqual(
      samples.map(({ after }) => after),
    );
    expect(samples.flatMap(({ after }) => [...notebookFaults(JSON.parse(after))])).toEqual([]);
  });

  const compact =
    '{"cells":[{"cell_type":"code","source":["a"],"metadata":{},"outputs":[{"output_type":"stream","name":"stdout","text":"1"}],"execution_count":1}],"metadata":{},"nbformat":4,"nbformat_minor":2}';

  it("keeps a single-line file on one line", () => {
    expect(edited(compact, { operation: "replace", cell: 1, source: "b\nc" })).toBe(
      '{"cells":[{"cell_type":"code","source":["b\\n","c"],"metadata":{},"outputs":[],"execution_count":null}],"metadata":{},"nbformat":4,"nbformat_minor":2}',
    );
    expect(edited(compact, { operation: "append", source: "b", cell_type: "markdown" })).toBe(
      compact.replace(
        '],"metadata":{},"nbformat"',
        ',{"cell_type":"markdown","metadata":{},"source":["b"]}],"metadata":{},"nbformat"',
      ),
    );
    expect(edited(compact, { operation: "delete", cell: 1 })).toBe(
      '{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":2}',
    );
  });

  it("adds a cell at the start, also in an empty notebook", () => {
    const before = { operation: "insert_before", source: "b", cell_type: "markdown" } as const;
    const added = '{"cell_type":"markdown","metadata":{},"source":["b"]}';
    const empty = compact.replace(/\[\{"cell_type.*\}\](?=,"metadata":\{\},"nbformat")/, "[]");
    expect([edited(compact, before), edited(empty, before)]).toEqual([
      compact.replace('"cells":[', `"cells":[${added},`),
      empty.replace("[]", `[${added}]`),
    ]);
  });

  it("keeps the outputs on request", () => {
    const edit = { operation: "replace", cell: 1, source: "b", keepOutputs: true } as const;
    expect(edited(compact, edit)).toBe(compact.replace('["a"]', '["b"]'));
  });

  const strange =
    '{\r\n\t"nbformat" : 4,\r\n\t"nbformat_minor" : 5,\r\n\t"metadata" : {},\r\n\t"cells" : [\r\n\t\t{\r\n' +
    '\t\t\t"source" : "\\u00e9 all \\u00DF in one",\r\n\t\t\t"metadata" : { "kept" :  1.0 },\r\n\t\t\t"id" : "one",\r\n\t\t\t"cell_type" : "markdown"\r\n\t\t}\r\n\t]\r\n}';

  it("keeps indentation, line endings, key order, escapes and a missing final newline", () => {
    expect(edited(strange, { operation: "replace", cell: "one", source: "ü\n" })).toBe(
      strange.replace("\\u00e9 all \\u00DF in one", "\\u00fc\\n"),
    );
    expect(edited(strange, { operation: "replace", cell: "one", cell_type: "code" })).toBe(
      strange.replace(
        '\t\t\t"source" : "\\u00e9 all \\u00DF in one",\r\n\t\t\t"metadata" : { "kept" :  1.0 },\r\n\t\t\t"id" : "one",\r\n\t\t\t"cell_type" : "markdown"\r\n',
        '\t\t\t"execution_count" : null,\r\n\t\t\t"outputs" : [],\r\n\t\t\t"source" : "\\u00e9 all \\u00DF in one",\r\n\t\t\t"metadata" : { "kept" :  1.0 },\r\n\t\t\t"id" : "one",\r\n\t\t\t"cell_type" : "code"\r\n',
      ),
    );
  });

  it("separates a new cell like the others", () => {
    const after = edited(strange, { operation: "insert_before", cell: 1, source: "x" });
    const [id] = /[0-9a-f]{8}/.exec(after)!;
    expect(after).toBe(
      strange.replace(
        "\t\t{\r\n",
        `\t\t{\r\n\t\t\t"cell_type" : "markdown",\r\n\t\t\t"id" : "${id}",\r\n\t\t\t"metadata" : {},\r\n\t\t\t"source" : [\r\n\t\t\t\t"x"\r\n\t\t\t]\r\n\t\t},\r\n\t\t{\r\n`,
      ),
    );
  });

  it("finds a cell by its id before its number, and by its name in document.read", () => {
    const cells = ["7", "b", "2"].map((id) => ({ cell_type: "raw", id, metadata: {}, source: [] }));
    const text = JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 });
    const left = (cell: string | number) =>
      JSON.parse(edited(text, { operation: "delete", cell })).cells.map(({ id }: { id: string }) => id);
    expect([left("2"), left(2), left("cell 2"), left("b"), left("7")]).toEqual([
      ["7", "b"],
      ["7", "2"],
      ["7", "2"],
      ["7", "2"],
      ["b", "2"],
    ]);
  });

  it("lists the cells when one does not exist", () => {
    expect(refusal(compact, { operation: "delete", cell: 2 })).toBe(
      'not-found: a.ipynb has no cell 2; it has 1 cell:\ncell 1 (code): "a"',
    );
    expect(refusal(compact, { operation: "delete", cell: "__proto__" })).toBe(
      'not-found: a.ipynb has no cell "__proto__"; it has 1 cell:\ncell 1 (code): "a"',
    );
  });

  it("reports cells that share an id", () => {
    const cells = ["a", "b", "a"].map((id) => ({ cell_type: "raw", id, metadata: {}, source: [] }));
    const text = JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 });
    expect(refusal(text, { operation: "delete", cell: "a" })).toBe(
      "ambiguous-match: a.ipynb: the id a belongs to the cells 1, 3",
    );
  });

  it.each([
    [
      "",
      "unsupported: a.ipynb is not valid JSON: expected a value at line 1, column 1, found the end of the file",
    ],
    [
      '{"a": 1,\n  }',
      'unsupported: a.ipynb is not valid JSON: expected a key in quotes at line 2, column 3, found "}"',
    ],
    ['{"a": NaN}', 'unsupported: a.ipynb is not valid JSON: expected a value at line 1, column 7, found "N"'],
    [
      '{"a": "\t"}',
      'unsupported: a.ipynb is not valid JSON: expected a valid character at line 1, column 8, found "\\t"',
    ],
    [
      '{"a": "\\x"}',
      'unsupported: a.ipynb is not valid JSON: expected a valid character at line 1, column 8, found "\\\\"',
    ],
    [
      '{"a": "b',
      'unsupported: a.ipynb is not valid JSON: expected the end of this string at line 1, column 7, found "\\""',
    ],
    [
      '{"a": 01}',
      'unsupported: a.ipynb is not valid JSON: expected "," or "}" at line 1, column 8, found "1"',
    ],
    [
      "{} {}",
      'unsupported: a.ipynb is not valid JSON: expected the end of the file at line 1, column 4, found "{"',
    ],
    [
      "[".repeat(100_000),
      'unsupported: a.ipynb is not valid JSON: expected at most 500 nested values at line 1, column 501, found "["',
    ],
    ["[]", 'unsupported: a.ipynb is not a Jupyter notebook: it has no "nbformat"'],
    ['{"nbformat": 4}', 'unsupported: a.ipynb is not a Jupyter notebook: its "cells" is not a list'],
    [
      '{"nbformat": 4, "cells": [[]]}',
      'unsupported: a.ipynb is not a Jupyter notebook: its cell 1 has no "cell_type"',
    ],
    [
      '{"nbformat": 3, "worksheets": []}',
      "unsupported: a.ipynb is a notebook of version 3; only version 4 can be edited",
    ],
  ])("refuses %j", (text, expected) => {
    expect(refusal(text)).toBe(expected);
  });

  it("parses all JSON that JavaScript parses, and no other", () => {
    const texts = [
      '"\\ud83d"',
      '"\\\\"',
      '"\\\\\\""',
      "-0.5e+10",
      "1.",
      ".5",
      "+1",
      "nul",
      "true",
      " [ ] ",
      "[1,]",
      '{"a":}',
      "\u00a0 1",
      '"\u2028"',
      '"\\u12g4"',
    ];
    const agrees = texts.filter((text) => {
      const isJson = isReadable(() => JSON.parse(text));
      return (
        isJson === !refusal(`{"a":${text}}`, { operation: "append", source: "" }).includes("not valid JSON")
      );
    });
    expect(agrees).toEqual(texts);
  });
});

function isReadable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}
