import { expect, it } from "vitest";
import { FileTable, type NewRecord } from "./file-record.ts";

const traits = { binary: false, oddCase: true, unparsed: false };

function record(path: string, number: number): NewRecord {
  const language = number % 2 === 0 ? undefined : `language ${number % 5}`;
  const hash = number % 3 === 0 ? "" : String(number).padStart(64, "0a");
  const figures = [number, number + 0.25, number + 0.5, 2 ** 50 + number, 66_306] as const;
  return { path, figures, settled: number % 2 === 0, hash, language, traits, lexical: number, words: -1 };
}

it("returns records as they were added, by path and by number", () => {
  const table = new FileTable();
  const added = Array.from({ length: 9000 }, (_, at) => {
    const number = 5 + at + 3 * Math.floor(at / 1000);
    const path = at === 0 ? "top" : `fôlder ${Math.floor(at / 20)}/ファイル${"x".repeat(at % 40)}${at}`;
    table.add(number, record(path, number));
    return { ...record(path, number), number };
  });
  for (const expected of [added[0]!, added[1]!, added[4095]!, added[4096]!, added[8999]!]) {
    expect(table.get(expected.path)).toMatchObject(expected);
    expect(table.record(expected.number)).toMatchObject(expected);
  }
  expect(Array.from(table.values(), ({ path }) => path)).toEqual(added.map(({ path }) => path));
  const known = new Set(added.map(({ number }) => number));
  const wrong = Array.from({ length: 9100 }, (_, number) => number).filter(
    (number) => (table.record(number) !== undefined) !== known.has(number),
  );
  expect(wrong).toEqual([]);
});

it("replaces the record of a path, and keeps what a replaced one has", () => {
  const table = new FileTable();
  for (const [at, path] of ["a", "b", "c"].entries()) table.add(at + 1, record(path, at + 1));
  const before = table.get("b")!;
  table.add(4, record("b", 4));
  Object.assign(table.get("c")!, { words: 7, settled: true });
  table.remove(table.get("a")!);
  table.remove(before);
  const found = Array.from(table.values(), ({ number, path, words, settled }) => [
    number,
    path,
    words,
    settled,
  ]);
  expect(found).toEqual([
    [3, "c", 7, true],
    [4, "b", -1, true],
  ]);
  expect([table.size, table.get("a"), table.record(2), before.path, before.number]).toEqual([
    ...[2, undefined, undefined, "b", 2],
  ]);
});
