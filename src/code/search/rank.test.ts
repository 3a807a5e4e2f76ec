import { describe, expect, it } from "vitest";
import { type SymbolKind, symbolKinds } from "../../contract/code.ts";
import { fileRoles } from "../../lib/file-roles.ts";
import type { WordIndex } from "../index/query/word-index.ts";
import { type Comparison, rank } from "./rank.ts";

interface TestPiece {
  readonly path: string;
  readonly kind?: SymbolKind;
  readonly lines?: number;
  /** The weight of each term in this piece. */
  readonly terms: Readonly<Record<string, number>>;
}

/** Pieces below each other; those of one file are given together. The pieces from `second` on are in a second segment. */
function indexOf(pieces: readonly TestPiece[], second = pieces.length): WordIndex {
  const paths = [...new Set(pieces.map(({ path }) => path))];
  const files = paths.map((path, number) => ({
    number,
    path,
    language: undefined,
    hash: path,
    role: fileRoles.indexOf("code"),
  }));
  const segments = [pieces.slice(0, second), pieces.slice(second)].map((own) => segmentOf(own, paths));
  return {
    segments,
    file: (number) => files[number],
    files: () => files,
    documentsOf: (number) => {
      const segment = segments.findIndex(({ fileOf }) => fileOf.includes(number));
      const { fileOf } = segments[segment]!;
      return {
        segment,
        first: fileOf.indexOf(number),
        count: fileOf.filter((file) => file === number).length,
      };
    },
    outline: () => [],
  };
}

function segmentOf(pieces: readonly TestPiece[], paths: readonly string[]): WordIndex["segments"][number] {
  const postings = (term: string) => {
    const documents = pieces.flatMap(({ terms }, document) => (term in terms ? [document] : []));
    if (documents.length === 0) return undefined;
    const weights = documents.map((document) => pieces[document]!.terms[term]!);
    return { documents: Uint32Array.from(documents), weights: Uint8Array.from(weights) };
  };
  return {
    documents: pieces.length,
    fileOf: Uint32Array.from(pieces, ({ path }) => paths.indexOf(path)),
    kindOf: Uint8Array.from(pieces, ({ kind = "function" }) => symbolKinds.indexOf(kind)),
    find: (term: string) => {
      const found = postings(term);
      return found && { count: found.documents.length, postings: () => found };
    },
    postings,
    postingsOfAll: () => [],
    postingsFrom: () => [],
    piece: (document: number) => ({
      firstLine: 1,
      lastLine: pieces[document]!.lines ?? 20,
      symbol: undefined,
    }),
  };
}

function found(pieces: readonly TestPiece[], words: string, limit: number, second?: number): TestPiece[] {
  return rank(indexOf(pieces, second), { words, limit }).map(
    ({ segment, document }) => pieces[segment * (second ?? 0) + document]!,
  );
}

it("ranks code that does something before code that only declares or holds it", () => {
  const terms = { door: 100 };
  const getter: TestPiece = { path: "a.ts", lines: 1, terms };
  const holder: TestPiece = { path: "b.ts", kind: "class", terms };
  const doer: TestPiece = { path: "c.ts", terms };
  expect(found([getter, holder, doer], "door", 3)).toEqual([doer, holder, getter]);
});

it("ranks the pieces of each segment by their own words", () => {
  const other: TestPiece = { path: "a.ts", terms: { window: 100 } };
  const weak: TestPiece = { path: "b.ts", terms: { door: 50 } };
  const strong: TestPiece = { path: "c.ts", terms: { door: 100 } };
  const silent: TestPiece = { path: "d.ts", terms: { window: 90 } };
  expect(found([strong, other, silent, weak], "door", 4, 2)).toEqual([strong, weak]);
  expect(found([other, weak, strong, silent], "door", 4, 2)).toEqual([strong, weak]);
});

it("ranks a short piece first when it covers more of the query", () => {
  const short: TestPiece = { path: "a.ts", lines: 1, terms: { door: 200 } };
  const long: TestPiece = { path: "b.ts", terms: { door: 100 } };
  expect(found([long, short], "door", 2)).toEqual([short, long]);
});

it("reserves the last two of ten results for new files, however many are requested", () => {
  const crowd = Array.from(
    { length: 12 },
    (_, at): TestPiece => ({ path: "a.ts", terms: { door: 250 - at } }),
  );
  const others = ["b.ts", "c.ts", "d.ts"].map((path, at): TestPiece => ({ path, terms: { door: 90 - at } }));
  const all = [...crowd.slice(0, 8), ...others.slice(0, 2), ...crowd.slice(8), ...others.slice(2)];
  expect(found([...crowd, ...others], "door", 10)).toEqual(all.slice(0, 10));
  expect(found([...crowd, ...others], "door", 99)).toEqual(all);
});

it("fills the results from one file when no other matches", () => {
  const crowd = Array.from(
    { length: 12 },
    (_, at): TestPiece => ({ path: "a.ts", terms: { door: 250 - at } }),
  );
  const other: TestPiece = { path: "b.ts", terms: { door: 90 } };
  expect(found([...crowd, other], "door", 10)).toEqual([...crowd.slice(0, 8), other, crowd[8]]);
});

describe("a word that names often have for a word of the query", () => {
  const plain: TestPiece = { path: "a.ts", terms: { cach: 100, "@flush": 255, flush: 100 } };
  const likely: TestPiece = { path: "b.ts", terms: { cach: 100, "@clear": 128, clear: 100 } };
  const literal: TestPiece = { path: "c.ts", terms: { cach: 100, "@remov": 128, remov: 180 } };
  const unrelated: TestPiece = { path: "d.ts", terms: { "@clear": 255, clear: 255 } };

  it("counts in a name, and less than that word itself", () => {
    expect(found([plain, likely, literal], "remove the cache", 3)).toEqual([literal, likely, plain]);
  });

  it("does not find a piece that has nothing else of the query", () => {
    expect(found([likely, unrelated], "remove the cache", 3)).toEqual([likely]);
  });
});

describe("by meaning", () => {
  const opener: TestPiece = { path: "a.ts", terms: { door: 200 } };
  const both: TestPiece = { path: "b.ts", terms: { door: 100 } };
  const similar: TestPiece = { path: "c.ts", terms: { gate: 200 } };
  const other: TestPiece = { path: "d.ts", terms: { cat: 200 } };
  const values: Readonly<Record<string, number>> = { "a.ts": 0.2, "b.ts": 0.8, "c.ts": 0.9, "d.ts": 0.1 };
  const compare: Comparison = ({ path }) => Float32Array.of(values[path] ?? Number.NaN);
  const pieces = [opener, both, similar, other];
  const order = (compared: Comparison) =>
    rank(indexOf(pieces), { words: "door", limit: 4 }, compared).map(({ document }) => pieces[document]!);

  it("adds pieces without a word of the query after those that have them", () => {
    expect(order(compare)).toEqual([opener, both, similar]);
  });

  it("ranks the most similar piece among the first five, whatever its words", () => {
    const crowd = Array.from(
      { length: 9 },
      (_, at): TestPiece => ({ path: `${at}.ts`, terms: { door: 200 - at } }),
    );
    const all = [...crowd, similar];
    const nearest: Comparison = ({ path }) => Float32Array.of(path === similar.path ? 0.9 : 0.1);
    const ranked = rank(indexOf(all), { words: "door", limit: 10 }, nearest);
    expect(ranked.findIndex(({ document }) => all[document] === similar)).toBeLessThan(6);
    expect(ranked.filter(({ isByMeaning }) => isByMeaning).length).toBe(1);
  });

  it("changes nothing when no piece can be compared", () => {
    expect(order(() => undefined)).toEqual(found(pieces, "door", 4));
    expect(order(() => Float32Array.of(Number.NaN))).toEqual(found(pieces, "door", 4));
  });
});
