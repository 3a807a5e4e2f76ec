import { expect, it } from "vitest";
import type { CodeSymbol } from "../../contract/code.ts";
import { limitSymbols } from "./outline-of.ts";

it("keeps all symbols if there are not too many", () => {
  const all = [key("a"), key("b", 0)];
  expect(limitSymbols(2, all)).toEqual(all);
});

it("leaves out the innermost symbols first", () => {
  const all = [key("a"), key("b", 0), key("c", 1), key("d"), key("e", 3)];
  expect(limitSymbols(4, all)).toEqual([key("a"), key("b", 0), key("d"), key("e", 2)]);
  expect(limitSymbols(3, all)).toEqual([key("a"), key("d")]);
});

it("leaves out the last of the outermost symbols", () => {
  expect(limitSymbols(1, [key("a"), key("b"), key("c", 1)])).toEqual([key("a")]);
});

function key(name: string, parent?: number): CodeSymbol {
  return {
    kind: "key",
    name,
    parent,
    start: 0,
    end: 1,
    firstLine: 1,
    lastLine: 1,
    declarationStart: 0,
    line: 1,
    inside: undefined,
    signature: name,
    doc: undefined,
  };
}
