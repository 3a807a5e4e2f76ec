import fc from "fast-check";
import { expect, it } from "vitest";
import type { Contents } from "../contract/snapshot.ts";
import { ContentsColumns, PackedContents } from "./directory-contents.ts";

const directory = fc.array(fc.constantFrom("a", "b", "c", "d-e", "日"), { maxLength: 3 });
const directories = fc.uniqueArray(
  directory.map((names) => names.join("/")),
  { maxLength: 60 },
);

/** Ranges of different lengths that follow each other. */
function rangesOf(paths: readonly string[]): readonly (readonly [string, Contents])[] {
  let first = 0;
  return paths.map((path, place) => {
    const range = { place: place - 1, first, end: first + (place % 4) };
    first = range.end;
    return [path, range] as const;
  });
}

function columnsLike(
  earlier: PackedContents | undefined,
  ranges: readonly (readonly [string, Contents])[],
): PackedContents {
  const columns = new ContentsColumns(earlier);
  for (const [path, range] of ranges) columns.add(path, range);
  return columns.done();
}

it("returns what was added, whatever an earlier snapshot had", { tags: "slow" }, () => {
  const property = fc.property(directories, directories, fc.nat(60), (before, others, kept) => {
    const earlier = PackedContents.from(rangesOf(before));
    const paths = [...new Set([...before.slice(0, kept), ...others])];
    const ranges = rangesOf(paths);
    const contents = columnsLike(earlier, ranges);
    expect([...contents]).toEqual(ranges);
    expect([...contents.keys()]).toEqual(paths);
    expect(contents.size).toBe(paths.length);
    for (const path of [...before, ...paths, "missing"]) {
      expect(contents.get(path)).toEqual(new Map(ranges).get(path));
      expect(contents.has(path)).toBe(paths.includes(path));
    }
    expect([...earlier]).toEqual(rangesOf(before));
  });
  fc.assert(property, { numRuns: 200 });
});

it("shares the paths of the same directories with an earlier snapshot", () => {
  const ranges = rangesOf(["", "a", "a/b", "c"]);
  const earlier = PackedContents.from(ranges);
  expect(columnsLike(earlier, ranges).directories).toBe(earlier.directories);
  expect(columnsLike(earlier, ranges.slice(0, 3)).directories).not.toBe(earlier.directories);
});

it("moves a directory and those below it", () => {
  const earlier = PackedContents.from([
    ["", { place: -1, first: 0, end: 2 }],
    ["a", { place: 0, first: 2, end: 4 }],
    ["a/b", { place: 2, first: 4, end: 7 }],
    ["a-b", { place: 1, first: 7, end: 8 }],
  ]);
  const tree = earlier.below("a")!;
  expect(tree).toEqual({ start: 1, end: 3 });
  const columns = new ContentsColumns(earlier);
  columns.add("", { place: -1, first: 0, end: 3 });
  columns.share(earlier, tree, { place: 1, offset: 1 });
  expect([...columns.done()]).toEqual([
    ["", { place: -1, first: 0, end: 3 }],
    ["a", { place: 1, first: 3, end: 5 }],
    ["a/b", { place: 3, first: 5, end: 8 }],
  ]);
  expect(earlier.below("missing")).toBeUndefined();
});

it("finds no tree whose entries are not next to each other", () => {
  const contents = PackedContents.from([
    ["", { place: -1, first: 0, end: 1 }],
    ["a", { place: 0, first: 1, end: 2 }],
    ["a/b", { place: 1, first: 9, end: 10 }],
  ]);
  expect(contents.below("a")).toBeUndefined();
});
