import fc from "fast-check";
import { expect, it } from "vitest";
import { type Entries, type EntryFigures, figure } from "../contract/snapshot.ts";
import {
  bytesOfPaths,
  EntryColumns,
  entriesFrom,
  entriesOf,
  joinPaths,
  packEntries,
  partOf,
  placesWith,
} from "./entry-columns.ts";

const figureNumber = fc.oneof(
  fc.constantFrom(0, -1, 1, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, 1_700_000_000_123.456),
  fc.nat(),
);
const figures: fc.Arbitrary<EntryFigures> = fc.record({
  mode: fc.constantFrom(0o100644, 0o40755, 0o120777),
  size: figureNumber,
  mtimeMs: figureNumber,
  ctimeMs: figureNumber,
  ino: figureNumber,
  dev: fc.constantFrom(1, 2),
});
const name = fc.string({ minLength: 1, unit: fc.constantFrom("a", "b", "é", "日", "😀", " ") });
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
const entry = fc.tuple(path, figures);
type Entry = readonly [path: string, figures: EntryFigures];

function columnsOf(entries: readonly Entry[]): Entries {
  const columns = new EntryColumns();
  for (const [path, figures] of entries) columns.add(path, figures);
  return columns.done();
}

function listed(entries: Entries): readonly Entry[] {
  return Array.from(entries.paths(), (path, place) => {
    const [mode, size, mtimeMs, ctimeMs, ino, dev] = Array.from({ length: 6 }, (_, column) =>
      entries.figureAt(place, column),
    ) as [number, number, number, number, number, number];
    return [path, { mode, size, mtimeMs, ctimeMs, ino, dev }];
  });
}

it("returns what was added, in any order, and from data", () => {
  const property = fc.property(fc.array(entry, { maxLength: 200 }), fc.nat(), (added, seed) => {
    const entries = columnsOf(added);
    expect(listed(entries)).toEqual(added);
    if (added.length > 0) expect(entries.pathAt(seed % added.length)).toBe(added[seed % added.length]![0]);
    expect(joinPaths(entries).length).toBe(bytesOfPaths(entries));
    expect(listed(entriesFrom(partOf(entries)))).toEqual(added);
    expect(listed(entriesOf(packEntries(entries)))).toEqual(added);
  });
  fc.assert(property, { numRuns: 100 });
});

it("finds the entries with some figures", () => {
  const inode = fc.oneof(fc.nat(200_000), fc.constantFrom(65_536, 2 ** 32, 2 ** 32 + 65_536));
  const numbered = fc.tuple(entry, inode).map(([[path, own], ino]): Entry => [path, { ...own, ino }]);
  const some = fc.array(numbered, { maxLength: 200 });
  const property = fc.property(some, fc.array(fc.nat(199)), (added, chosen) => {
    const wanted = new Set(chosen.flatMap((place) => added[place]?.[1].ino ?? []));
    const expected = added.flatMap(([, { ino }], place) => (wanted.has(ino) ? [place] : []));
    expect(placesWith(columnsOf(added), figure.inode, wanted)).toEqual(expected);
  });
  fc.assert(property, { numRuns: 100 });
});

it("shares entries with earlier columns, and replaces figures", { tags: "slow" }, () => {
  const size = { minLength: 1, maxLength: 90 };
  const deeds = fc.array(fc.tuple(fc.nat(), fc.nat(), figures), { maxLength: 20 });
  const property = fc.property(fc.array(entry, size), fc.array(entry, size), deeds, (first, added, deeds) => {
    const earlier = columnsOf(first);
    const columns = new EntryColumns();
    const expected: Entry[] = [];
    for (const [index, each] of added.entries()) {
      const [from, end] = [index % first.length, Math.min(index % 7, first.length)];
      columns.share(earlier, from, Math.max(from, end));
      expected.push(...first.slice(from, Math.max(from, end)));
      columns.add(...each);
      expected.push(each);
      const [place = 0, , figures] = deeds[index] ?? [];
      if (figures === undefined) continue;
      columns.replace(place % expected.length, figures);
      expected[place % expected.length] = [expected[place % expected.length]![0], figures];
    }
    const entries = columns.done();
    expect(listed(entries)).toEqual(expected);
    expect(listed(entriesOf(packEntries(entries)))).toEqual(expected);
  });
  fc.assert(property, { numRuns: 100 });
});

it("copies entries that are scattered over many earlier blocks", () => {
  const figures = { mode: 0o100644, size: 1, mtimeMs: 2.5, ctimeMs: 3, ino: 2 ** 40, dev: 6 };
  const first = Array.from({ length: 3000 }, (_, index) => [`d/${index}`, figures] as const);
  const earlier = columnsOf(first);
  const columns = new EntryColumns();
  for (let index = 0; index < 3000; index += 2) columns.share(earlier, index, index + 1);
  const entries = columns.done();
  expect(listed(entries)).toEqual(first.filter((_, index) => index % 2 === 0));
  expect(packEntries(entries).length).toBeLessThan(10);
});

it("refuses data that do not fit", () => {
  const entries = columnsOf([["a", { mode: 1, size: 2, mtimeMs: 3, ctimeMs: 4, ino: 5, dev: 6 }]]);
  const { paths, figures } = partOf(entries);
  expect(() => entriesFrom({ paths, figures: figures.slice(0, 0) })).toThrow(RangeError);
  expect(() => entriesFrom({ paths: paths.slice(0, 0), figures })).toThrow(RangeError);
  const [block] = packEntries(entries);
  expect(() => entriesOf([{ ...block!, memory: block!.memory.slice(1) }])).toThrow(RangeError);
});
