import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { Edit, type Parser, type Tree } from "web-tree-sitter";
import { parserOf } from "../../../test/support/parsed-text.ts";
import { rounds } from "../../../test/support/rounds.ts";
import { outlineAfter } from "./outline-after.ts";
import { outlineOf } from "./outline-of.ts";

const fixtures = fileURLToPath(new URL("fixtures/", import.meta.url));
const sources = [
  "c.c",
  "c-sharp.cs",
  "cpp.cpp",
  "go.go",
  "java.java",
  "javascript.js.txt",
  "kotlin.kt",
  "python.py",
  "ruby.rb",
  "rust.rs",
  "typescript.ts.txt",
];

/** Changes to a line: some make comments belong to something else, some break the text. */
const changes: readonly ((line: string) => string)[] = [
  (line) => `${line}\n`,
  (line) => `// said\n${line}`,
  () => "",
  (line) => `\n${line.replaceAll("a", "ab")}`,
];

describe("an outline after a change", () => {
  it.each(sources)(
    "equals the outline of the changed text, for %s with lines of all its parts changed",
    { tags: "slow" },
    async (source) => {
      const text = readFileSync(`${fixtures}${source}`, "utf8");
      const language = source.slice(0, source.indexOf("."));
      const parser = await parserOf(language);
      const outline = outlined(parser, text, language);
      let at = 0;
      const step = Math.ceil(16 / rounds(1));
      for (const [index, line] of text.split(/(?<=\n)/).entries()) {
        const put = changes[Math.floor(index / step) % changes.length]!(line);
        const edit = { start: at, oldEnd: at + line.length, put };
        at += line.length;
        if (index % step !== 0) continue;
        const changed = text.slice(0, edit.start) + put + text.slice(edit.oldEnd);
        const { tree, ...stretch } = parsedAgain(parser, text, changed, edit);
        expect(outlineAfter(tree, changed, language, { outline, text, changed: stretch })).toEqual(
          outlineOf(tree, changed, language),
        );
        tree.delete();
      }
      parser.delete();
    },
  );

  it("keeps symbols that the change does not touch", async () => {
    const text = "fn a() {}\n\nmod m {\n    fn b() { 1 }\n    fn c() { 2 }\n}\n\nfn d() {}\n";
    const parser = await parserOf("rust");
    const before = outlined(parser, text, "rust");
    const edit = { start: text.indexOf("2"), oldEnd: text.indexOf("2"), put: "22" };
    const changed = text.replace("2", "222");
    const { tree, ...stretch } = parsedAgain(parser, text, changed, edit);
    const after = outlineAfter(tree, changed, "rust", { outline: before, text, changed: stretch });
    expect(after.symbols[0]).toBe(before.symbols[0]);
    expect(after.symbols.map(({ name, start, end }) => changed.slice(start, end).includes(name))).toEqual([
      true,
      true,
      true,
      true,
      true,
    ]);
    tree.delete();
    parser.delete();
  });

  it("detects a change that ends its container and begins another", async () => {
    const text = "fn a() { 1 }\nfn b() {}\n";
    const put = "1 }\nfn a() { ";
    const parser = await parserOf("rust");
    const before = outlined(parser, text, "rust");
    const start = text.indexOf("1");
    const changed = text.slice(0, start) + put + text.slice(start);
    const { tree, ...stretch } = parsedAgain(parser, text, changed, { start, oldEnd: start, put });
    const after = outlineAfter(tree, changed, "rust", { outline: before, text, changed: stretch });
    expect(after).toEqual(outlined(parser, changed, "rust"));
    tree.delete();
    parser.delete();
  });
});

function outlined(parser: Parser, text: string, language: string) {
  const tree = parser.parse(text)!;
  const outline = outlineOf(tree, text, language);
  tree.delete();
  return outline;
}

function parsedAgain(
  parser: Parser,
  before: string,
  after: string,
  { start, oldEnd, put }: { start: number; oldEnd: number; put: string },
): { tree: Tree; start: number; oldEnd: number; newEnd: number } {
  const old = parser.parse(before)!;
  const newEnd = start + put.length;
  old.edit(
    new Edit({
      startIndex: start,
      oldEndIndex: oldEnd,
      newEndIndex: newEnd,
      startPosition: pointAt(before, start),
      oldEndPosition: pointAt(before, oldEnd),
      newEndPosition: pointAt(after, newEnd),
    }),
  );
  const tree = parser.parse(after, old)!;
  const ranges = old.getChangedRanges(tree);
  old.delete();
  const first = Math.min(start, ...ranges.map((range) => range.startIndex));
  const last = Math.max(newEnd, ...ranges.map((range) => range.endIndex));
  return { tree, start: first, oldEnd: last - (newEnd - oldEnd), newEnd: last };
}

function pointAt(text: string, offset: number): { row: number; column: number } {
  const lines = text.slice(0, offset).split("\n");
  return { row: lines.length - 1, column: lines.at(-1)!.length };
}
