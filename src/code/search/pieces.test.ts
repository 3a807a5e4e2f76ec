import { describe, expect, it } from "vitest";
import type { CodeSymbol } from "../../contract/code.ts";
import { piecesOf } from "./pieces.ts";

/** A symbol from the beginning of one text to the end of another. */
function symbolIn(
  text: string,
  from: string,
  to: string,
  kind: CodeSymbol["kind"],
  parent?: number,
): CodeSymbol {
  const start = text.indexOf(from);
  const end = text.indexOf(to, start) + to.length;
  const lineOf = (offset: number) => text.slice(0, offset).split("\n").length;
  return {
    kind,
    name: from,
    parent,
    start,
    end,
    firstLine: lineOf(start),
    lastLine: lineOf(end - 1),
    declarationStart: start,
    line: lineOf(start),
    inside: undefined,
    signature: from,
    doc: undefined,
  };
}

function shown(text: string, symbols: readonly CodeSymbol[]) {
  return piecesOf(text, symbols).map(({ symbol, firstLine, lastLine, stretches }) => ({
    symbol: symbol === undefined ? undefined : symbols[symbol]!.name,
    lines: [firstLine, lastLine],
    text: stretches.map(({ start, end }) => text.slice(start, end)),
  }));
}

describe("pieces of a file", () => {
  it("give each symbol its own text, and the text around symbols to the file", () => {
    const text = "import x;\n\nclass A {\n  size = 1;\n\n  run() { go(); }\n}\n\nstart();\n";
    const symbols = [
      symbolIn(text, "class A", "\n}", "class"),
      symbolIn(text, "size = 1", ";", "field", 0),
      symbolIn(text, "run()", "}", "method", 0),
    ];
    expect(shown(text, symbols)).toEqual([
      { symbol: undefined, lines: [1, 9], text: ["import x;", "start();"] },
      { symbol: "class A", lines: [3, 4], text: ["class A {\n  size = 1;"] },
      { symbol: "run()", lines: [6, 6], text: ["run() { go(); }"] },
    ]);
  });

  it("are at most a hundred lines long, split at a blank line if there is one", () => {
    const lines = Array.from({ length: 250 }, (_, index) => (index === 79 ? "" : `line ${index + 1}`));
    expect(shown(lines.join("\n"), []).map(({ lines: span }) => span)).toEqual([
      [1, 79],
      [81, 180],
      [181, 250],
    ]);
  });

  it("leave out only blank text", () => {
    const text = Array.from({ length: 500 }, (_, index) => (index % 7 === 0 ? "" : `  word${index};`)).join(
      "\n",
    );
    const all = shown(text, []).flatMap((piece) => piece.text);
    expect(all.join("\n").match(/word\d+/g)).toEqual(text.match(/word\d+/g));
  });

  it("do not exist for text without content", () => {
    expect(shown("\n \n{ }\n", [])).toEqual([]);
  });
});
