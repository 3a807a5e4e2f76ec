import { expect, it } from "vitest";
import type { Outline } from "../../contract/code.ts";
import { type Chunk, chunksOf } from "./chunks.ts";
import { Terms } from "./terms.ts";

const text = "use std;\n\n/// Opens a door.\nfn open_door() {\n  door.turn();\n}\n";
const start = text.indexOf("///");
const declarationStart = text.indexOf("fn");
const outline: Outline = {
  language: "rust",
  faults: [],
  symbols: [
    {
      kind: "function",
      name: "open_door",
      parent: undefined,
      start,
      end: text.length - 1,
      firstLine: 3,
      lastLine: 6,
      declarationStart,
      line: 4,
      inside: undefined,
      signature: "fn open_door()",
      doc: "Opens a door.",
    },
  ],
};

const terms = new Terms();

function weightsOf({ terms: numbers, weights }: Chunk): Record<string, number> {
  return Object.fromEntries(Array.from(numbers, (number, at) => [terms.term(number), weights[at]!]));
}

it("weighs the name more than the path, the signature, the comment and the body", () => {
  const [rest, door] = chunksOf("src/house.rs", text, outline, terms);
  expect([rest?.symbol, rest?.firstLine, rest?.lastLine]).toEqual([undefined, 1, 1]);
  expect([door?.symbol, door?.firstLine, door?.lastLine]).toEqual([0, 3, 6]);
  const weights = weightsOf(door!);
  expect(Object.keys(weights).toSorted()).toEqual([
    "=open_door",
    "=opens",
    "@door",
    "@open",
    "door",
    "fn",
    "hous",
    "open",
    "rs",
    "src",
    "turn",
  ]);
  expect(weights["@open"]).toBe(128);
  expect(weights.door).toBeGreaterThan(weights.hous!);
  expect(weights.hous).toBeGreaterThan(weights.turn!);
  expect(Object.values(weights).every((weight) => weight >= 1 && weight <= 255)).toBe(true);
});

it("gives the same result for the same text, regardless of earlier reads", () => {
  const first = chunksOf("src/house.rs", text, outline, terms);
  chunksOf("other.txt", "quite another text about doors that open", undefined, terms);
  expect(chunksOf("src/house.rs", text, outline, terms)).toEqual(first);
});

it("returns nothing for an empty file", () => {
  expect(chunksOf("a.ts", "", undefined, terms)).toEqual([]);
});
