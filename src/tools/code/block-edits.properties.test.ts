import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { codeFixture } from "../../../test/support/code-fixture.ts";
import { rounds } from "../../../test/support/rounds.ts";
import { spliced } from "../../code/blocks/block-change.ts";
import { blockText, spanOf } from "../../code/blocks/block-text.ts";
import { insertBlock } from "../../code/blocks/insert-block.ts";
import { replaceBlock } from "../../code/blocks/replace-block.ts";
import { snippetOf } from "../../code/blocks/snippet.ts";
import { siblingsOf } from "../../code/blocks/spacing.ts";
import { blankLinesAbove, blankLinesBelow, indentationAt, lineStart, opensLine } from "../../code/lines.ts";
import type { CodeSymbol, Outline } from "../../contract/code.ts";
import type { CodeFile } from "./code-file.ts";
import { firstThatParses } from "./delete-block.ts";
import { settleLines } from "./settle-lines.ts";

const opened = codeFixture();
afterAll(() => opened[Symbol.asyncDispose]());

const repository = join(import.meta.dirname, "../../..");

/** Real files of this repository, some of each kind. */
const paths = [
  "src/edit/*.ts",
  "src/environment/*.ts",
  "docs/*.md",
  "*.json",
  ".github/**/*.yml",
  "examples/**/*.ts",
].flatMap((pattern) => globSync(pattern, { cwd: repository }).sort().slice(0, rounds(2)));

async function open(path: string, text: string): Promise<CodeFile> {
  const outline = await opened.context.code.outline({ path, text }, { signal: opened.context.signal });
  return { path, text, outline } as CodeFile;
}

/** Some of a file's symbols, from all parts of it. */
function sampleOf({ symbols }: Outline): readonly CodeSymbol[] {
  const step = Math.max(1, Math.floor(symbols.length / 6));
  return symbols.filter((_, index) => index % step === 0);
}

/** The texts of all symbols except one, its descendants and its ancestors. */
function others({ text, outline }: CodeFile, { start, end }: CodeSymbol): readonly string[] {
  const isApart = (symbol: CodeSymbol) => symbol.end <= start || symbol.start >= end;
  return outline.symbols
    .filter(isApart)
    .map((symbol) => `${symbol.kind} ${symbol.name}: ${blockText(text, symbol)}`);
}

describe.each(paths)("blocks of %s", (path) => {
  it("stay unchanged when replaced by themselves", async () => {
    const file = await open(path, readFileSync(join(repository, path), "utf8").replace(/^\ufeff/, ""));
    for (const symbol of sampleOf(file.outline)) {
      const changes = replaceBlock(file.text, file.outline, symbol, snippetOf(blockText(file.text, symbol)));
      const { splices } = await settleLines(file, changes, opened.context);
      expect([symbol.name, spliced(file.text, splices)]).toEqual([symbol.name, file.text]);
    }
  });

  it("can be deleted without changing any other, and reinserted", async () => {
    const file = await open(path, readFileSync(join(repository, path), "utf8").replace(/^\ufeff/, ""));
    for (const symbol of sampleOf(file.outline)) {
      const { splices } = await firstThatParses(file, symbol, opened.context);
      const without = await open(path, spliced(file.text, splices));
      expect(textsOf(without)).toEqual(expect.arrayContaining([...others(file, symbol)]));
      const before = previousOf(file, symbol);
      if (before === undefined) continue;
      const anchor = without.outline.symbols.find(
        ({ start, kind, name }) => start === before.start && kind === before.kind && name === before.name,
      );
      const changes = insertBlock({
        ...without,
        symbol: anchor!,
        position: "after",
        snippet: snippetOf(atMargin(file.text, symbol)),
      });
      const back = await settleLines(without, changes, opened.context);
      expect([symbol.name, spliced(without.text, back.splices)]).toEqual([symbol.name, file.text]);
    }
  });
});

function textsOf({ text, outline }: CodeFile): readonly string[] {
  return outline.symbols.map((symbol) => `${symbol.kind} ${symbol.name}: ${blockText(text, symbol)}`);
}

/** The block right before it, if all siblings are alone on their lines, equally spaced. */
function previousOf({ text, outline }: CodeFile, symbol: CodeSymbol): CodeSymbol | undefined {
  const siblings = siblingsOf(outline, symbol.parent);
  const index = siblings.indexOf(symbol);
  const gap = (at: number) => {
    const after = siblings[at]!;
    const before = siblings[at - 1];
    if (!before || !opensLine(text, after.start)) return undefined;
    const between = text.slice(spanOf(text, before).end, after.start);
    return /^[,;]?\s*\n\s*$/.test(between) ? blankLinesAbove(text, lineStart(text, after.start)) : undefined;
  };
  const gaps = siblings.slice(1).map((_, at) => gap(at + 1));
  const areAlike = gaps.length > 2 && gaps.every((each) => each === gaps[0]);
  const isLast = index === siblings.length - 1;
  const isEven = isLast || blankLinesBelow(text, spanOf(text, symbol).end) === gaps[0];
  return index > 0 && areAlike && gaps[0] !== undefined && isEven ? siblings[index - 1] : undefined;
}

/** Its text as a model would write it. */
function atMargin(text: string, symbol: CodeSymbol): string {
  const { start, end } = spanOf(text, symbol);
  const indentation = indentationAt(text, start);
  return text.slice(start, end).replaceAll(`\n${indentation}`, "\n");
}
