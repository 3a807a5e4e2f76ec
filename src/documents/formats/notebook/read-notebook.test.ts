import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { DocumentContent, DocumentWanted } from "../../../contract/document.ts";
import { ToolError } from "../../../contract/error.ts";
import { Budget } from "../../budget.ts";
import { boundContent } from "../../read-document.ts";
import { readNotebook } from "./read-notebook.ts";

const samples = new URL("../../../../test/samples/documents/", import.meta.url);
const sample = (name: string) => readFileSync(new URL(name, samples));

async function read(
  content: Uint8Array | object,
  wanted: Partial<DocumentWanted> = {},
): Promise<DocumentContent> {
  const bytes = content instanceof Uint8Array ? content : Buffer.from(JSON.stringify(content));
  const context = { budget: new Budget("a.ipynb"), signal: new AbortController().signal, progress: () => {} };
  return boundContent(
    await readNotebook({ name: "a.ipynb", bytes }, { maxChars: 40_000, ...wanted }, context),
  );
}

async function refusal(content: Uint8Array | object, wanted?: Partial<DocumentWanted>): Promise<string> {
  try {
    await read(content, wanted);
  } catch (error) {
    if (error instanceof ToolError) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error("was not refused");
}

const notebook = (...cells: readonly object[]) => ({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells });
const code = (...outputs: readonly object[]) => ({ cell_type: "code", source: "x", metadata: {}, outputs });
const result = (data: object) => ({ output_type: "execute_result", metadata: {}, execution_count: 1, data });

const parts = [
  {
    anchor: "cell 1",
    title: "markdown, id intro",
    text: "# Rain in cities\n\nMeasured *yearly*, see the [source](https://example.com/rain).",
  },
  {
    anchor: "cell 2",
    title: "code [1], id load",
    text:
      "```python\nimport pandas as pd\nfor year in range(2):\n    print(year)\n```\n\n" +
      "Output (stdout):\n```\n0\n1\n```\n\nOutput (stderr):\n```\ncareful: old data\n```",
  },
  {
    anchor: "cell 3",
    title: "code [2], id frame",
    text: "```python\nframe\n```\n\nOutput [2]:\n\n|  | city | rain |\n| --- | --- | --- |\n| 0 | Köln | 837 |\n| 1 | Wien | 651 |",
  },
  {
    anchor: "cell 4",
    title: "code [3], id plot",
    text: "```python\nframe.plot()\n```\n\nOutput [3]:\n```\n<Axes: >\n```\n\nOutput:\n\n[picture: image/png, 4×3, 73 bytes]",
  },
  {
    anchor: "cell 5",
    title: "code [4], id wrong",
    text: "```python\n1 / 0\n```\n\nError:\n```\n-----------------\nZeroDivisionError: division by zero\n```",
  },
  { anchor: "cell 6", title: "raw, id raw", text: "```\nleft as it is\n```" },
  {
    anchor: "cell 7",
    title: "code, id later",
    text: "````python\n# not run yet\nprint('`ticks` ``` in code')\n````",
  },
];

const whole: DocumentContent = {
  format: "notebook",
  description: "Jupyter notebook",
  properties: {
    authors: "Ada Example",
    kernel: "Python 3 (ipykernel)",
    language: "python 3.11.2",
    format: "nbformat 4.5",
  },
  consistsOf: { one: "cell", total: 7 },
  parts,
  next: undefined,
  notes: ["1 picture not shown; ask for images to see it"],
  images: [],
};

/** Removes our own words. */
function wordsOf(text: string): readonly string[] {
  const plain = text.replace(
    /^Output(?: \(\w+\)| \[\d+\])?:$|^Error:$|^`{3,}\w*$|\[picture.*\]|\(https.*?\)/gm,
    "",
  );
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

describe("notebooks", () => {
  it("show cells with their sources and outputs", async () => {
    expect(await read(sample("rain.ipynb"))).toEqual(whole);
  });

  it("are read the same in version 3", async () => {
    expect(await read(sample("rain-3.ipynb"))).toEqual({
      ...whole,
      properties: { ...whole.properties, format: "nbformat 3.0" },
      parts: parts.map((part) => ({ ...part, title: part.title.replace(/, id .*/, "") })),
    });
  });

  it.each(["rain.ipynb", "rain-3.ipynb"])(
    "have the same words as pandoc in %s, in the same order",
    async (name) => {
      const { parts: all } = await read(sample(name));
      // Pandoc omits raw cells.
      const ours = all.filter(({ title }) => !title?.startsWith("raw")).map(({ text }) => text);
      expect(wordsOf(ours.join("\n"))).toEqual(wordsOf(sample(`${name}.pandoc.txt`).toString()));
    },
  );

  it("return the requested cells, and how to continue", async () => {
    const anchorsOf = async (wanted: Partial<DocumentWanted>) => {
      const { parts: given, next } = await read(sample("rain.ipynb"), wanted);
      return [given.map(({ anchor }) => anchor), next];
    };
    expect([
      await anchorsOf({ part: "cell 5" }),
      await anchorsOf({ part: "cells 3-4" }),
      await anchorsOf({ maxChars: 200 }),
      await anchorsOf({ part: "cells 2-", maxChars: 200 }),
    ]).toEqual([
      [["cell 5"], undefined],
      [["cell 3", "cell 4"], undefined],
      [["cell 1"], "cells 2-"],
      [["cell 2"], "cells 3-"],
    ]);
    expect(await refusal(sample("rain.ipynb"), { part: "cell 8" })).toBe(
      'not-found: a.ipynb has no part "cell 8": it has 7 cells',
    );
  });

  it("show images of the returned cells on request", async () => {
    const shown = async (part: string) => (await read(sample("rain.ipynb"), { part, images: true })).images;
    const [image] = await shown("cell 4");
    expect([image?.mediaType, Buffer.from(image!.base64, "base64").subarray(1, 4).toString()]).toEqual([
      "image/png",
      "PNG",
    ]);
    expect(await shown("cells 5-7")).toEqual([]);
  });

  it("shorten long outputs, and show them whole when a single cell is requested", async () => {
    const long = { output_type: "stream", name: "stdout", text: `${"a".repeat(5000)}${"b".repeat(5000)}` };
    const { parts: given, notes } = await read(notebook(code(long), code()));
    expect([given[0]?.text, notes]).toEqual([
      `\`\`\`\nx\n\`\`\`\n\nOutput (stdout):\n\`\`\`\n${"a".repeat(3000)}\n… 6000 characters left out …\n${"b".repeat(1000)}\n\`\`\``,
      ["long outputs are shortened (cell 1); request a single cell to see it whole"],
    ]);
    const alone = await read(notebook(code(long), code()), { part: "cell 1" });
    expect([alone.parts[0]?.text, alone.notes]).toEqual([
      `\`\`\`\nx\n\`\`\`\n\nOutput (stdout):\n\`\`\`\n${long.text}\n\`\`\``,
      [],
    ]);
  });

  it.each([
    ["Markdown", { "text/markdown": "**b**", "text/plain": "b" }, "\n\n**b**"],
    ["text when the HTML adds nothing", { "text/html": "<b>b</b>", "text/plain": "b" }, "\n```\nb\n```"],
    [
      "HTML when the text only names the object",
      { "text/html": "<b>b</b>", "text/plain": "<HTML object>" },
      "\n\n**b**",
    ],
    [
      "text when the HTML is only a script",
      { "text/html": "<script>1</script>", "text/plain": "<X>" },
      "\n```\n<X>\n```",
    ],
    ["formulas", { "text/latex": ["$x", "$"] }, "\n\n$x$"],
    ["data", { "application/json": { a: [1] } }, '\n```\n{\n  "a": [\n    1\n  ]\n}\n```'],
    ["the name of an SVG image", { "image/svg+xml": "<svg/>" }, "\n\n[picture: image/svg+xml, 6 bytes]"],
    [
      "the names of types it cannot show",
      { "application/vnd.x": 1, "video/mp4": "AA" },
      "\n\n[application/vnd.x, video/mp4: not shown]",
    ],
    ["a note when the output is empty", {}, "\n\n[nothing]"],
  ])("show %s", async (_, data, expected) => {
    const { parts: given } = await read(notebook(code(result(data))));
    expect(given[0]?.text).toBe(`\`\`\`\nx\n\`\`\`\n\nOutput [1]:${expected}`);
  });

  it("show the final state of overwritten output", async () => {
    const bar = { output_type: "stream", name: "stderr", text: "10%\r50%\r\x1b[32m100%\x1b[0m\n" };
    const { parts: given } = await read(notebook(code(bar)));
    expect(given[0]?.text).toBe("```\nx\n```\n\nOutput (stderr):\n```\n100%\n```");
  });

  it("name attachments, and show them on request", async () => {
    const cell = {
      cell_type: "markdown",
      source: ["![a](attachment:a.png)"],
      attachments: { "a.gif": { "image/gif": ["R0lGODlh\n", "BAADAA=="] } },
    };
    const { parts: given, images } = await read(notebook(cell), { images: true });
    expect([given[0]?.text, images]).toEqual([
      "![a](attachment:a.png)\n\n[attachment a.gif: image/gif, 4×3, 10 bytes]",
      [{ mediaType: "image/gif", base64: "R0lGODlhBAADAA==" }],
    ]);
  });

  it("never return an invalid image, or one of another type than declared", async () => {
    const kinds = [
      { "image/png": "bm8gcGljdHVyZQ==" },
      { "image/jpeg": "R0lGODlhBAADAA==" },
      { "image/png": "!", "text/plain": "x" },
    ];
    const { parts: given, images } = await read(notebook(code(...kinds.map(result))), { images: true });
    expect([given[0]?.text.split("\n").filter((line) => line.startsWith("[")), images]).toEqual([
      [
        "[picture: image/png, damaged, 10 bytes]",
        "[picture: image/jpeg, damaged, 10 bytes]",
        "[picture: image/png, damaged, 0 bytes]",
      ],
      [],
    ]);
  });

  it("fence code that consists of fences", async () => {
    const { parts: given } = await read(notebook({ ...code(), source: "```\n`````\n".repeat(100_000) }), {
      maxChars: 11,
    });
    expect(given[0]?.text).toBe("``````\n```\n");
  });

  it("may be empty or have unusual cells", async () => {
    expect((await read(notebook())).parts).toEqual([]);
    const strange = [
      7,
      null,
      [],
      {},
      { cell_type: 4, source: { a: 1 }, outputs: "x" },
      { cell_type: "code", source: [1, "a"], outputs: [null, 3] },
    ];
    const { parts: given } = await read({ nbformat: 4, cells: strange });
    expect(given.map(({ title, text }) => [title, text])).toEqual([
      ...Array.from({ length: 5 }, () => ["unknown", ""]),
      ["code", "```\na\n```\n\nOutput:\n\n[nothing]\n\nOutput:\n\n[nothing]"],
    ]);
  });

  it.each([
    [
      "{",
      "unsupported: a.ipynb is not valid JSON: expected a key in quotes at line 1, column 2, found the end of the file",
    ],
    ["[]", 'unsupported: a.ipynb is damaged: it has no "nbformat", as notebooks have'],
    ['{"nbformat":4}', "unsupported: a.ipynb is damaged: it has no cells"],
    [
      "[".repeat(1_000_000),
      'unsupported: a.ipynb is not valid JSON: expected at most 500 nested values at line 1, column 501, found "["',
    ],
    ["\0\x01\x02", "unsupported: a.ipynb is damaged: it is not text"],
  ])("are refused: %.20j", async (text, expected) => {
    expect(await refusal(Buffer.from(text))).toBe(expected);
  });

  it("sanitize the language name", async () => {
    const cells = [{ cell_type: "code", source: "x" }];
    const metadata = { language_info: { name: "a\n```\n# evil" }, kernelspec: { language: "__proto__" } };
    const { parts: given } = await read({ nbformat: 4, metadata, cells });
    expect(given[0]?.text).toBe("```\nx\n```");
  });
});
