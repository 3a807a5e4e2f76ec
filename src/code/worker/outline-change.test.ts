import fc from "fast-check";
import { expect, it } from "vitest";
import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { changedOutline, outlineChange } from "./outline-change.ts";

it("contains only new symbols, and how far the others move", () => {
  const before = outline(["A", 0], ["a", 10, 0], ["B", 20], ["b", 30, 2]);
  const after = outline(["A", 0], ["a", 10, 0], ["new", 20, 0], ["B", 40], ["b", 50, 3]);
  const change = outlineChange(before, after);
  expect(change).toEqual({
    language: "rust",
    faults: [],
    first: 2,
    symbols: [after.symbols[2]],
    last: 2,
    by: { offset: 20, lines: 2, index: 1 },
  });
  expect(changedOutline(before, change)).toEqual(after);
});

it("turns every outline into every other", () => {
  const symbol = fc.tuple(fc.constantFrom("a", "b"), fc.nat({ max: 3 }), fc.option(fc.nat({ max: 2 })));
  const symbols = fc.array(symbol, { maxLength: 6 });
  const some = symbols.map((all) =>
    outline(...all.map(([name, start, parent]) => at(name, start * 10, parent))),
  );
  fc.assert(
    fc.property(some, some, (before, after) => {
      expect(changedOutline(before, outlineChange(before, after))).toEqual(after);
    }),
  );
});

type Given = readonly [name: string, start: number, parent?: number | undefined];

function at(name: string, start: number, parent: number | null): Given {
  return [name, start, parent ?? undefined];
}

function outline(...symbols: readonly Given[]): Outline {
  return { language: "rust", symbols: symbols.map(symbolOf), faults: [] };
}

function symbolOf([name, start, parent]: Given): CodeSymbol {
  const line = 1 + start / 10;
  return {
    kind: "struct",
    name,
    parent,
    start,
    end: start + 9,
    firstLine: line,
    lastLine: line,
    declarationStart: start,
    line,
    inside: parent === undefined ? { start: start + 1, end: start + 8 } : undefined,
    signature: `struct ${name}`,
    doc: undefined,
  };
}
