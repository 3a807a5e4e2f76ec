import { expect, it } from "vitest";
import type { CodeSymbol } from "../../../contract/code.ts";
import { readOutline, writeOutline } from "./outline-blob.ts";

const symbol: CodeSymbol = {
  kind: "function",
  name: "open",
  signature: "open(path: string): Door",
  firstLine: 3,
  lastLine: 9,
  line: 4,
  start: 20,
  declarationStart: 40,
  end: 200,
  parent: undefined,
  inside: undefined,
  doc: undefined,
};

it.each([0, 1, 3, 5000])("keeps the outlines of %i symbols in no more memory than they need", (count) => {
  const symbols = Array.from({ length: count }, (_, index) => ({
    ...symbol,
    name: `open${index}`,
    doc: "Opens.",
  }));
  const bytes = writeOutline(symbols);
  expect(bytes.buffer.byteLength).toBe(bytes.length);
  const { kind, signature, firstLine, lastLine, line } = symbol;
  expect(readOutline(bytes)).toEqual(
    symbols.map(({ name, doc }) => ({
      kind,
      name,
      signature,
      firstLine,
      lastLine,
      line,
      doc,
      parent: undefined,
    })),
  );
});
