import { expect, it } from "vitest";
import type { SeenPart } from "../contract/tool.ts";
import { MemoryEnvironment } from "../environment/memory/memory-environment.ts";
import { SeenMemory } from "./seen-memory.ts";

it("remembers a file seen through a symlink under its real path", async () => {
  const environment = new MemoryEnvironment({ files: { "a.txt": "one\n" } });
  environment.link("l.txt", "a.txt");
  const memory = new SeenMemory(environment);
  memory.note("l.txt", whole("one\n"));
  expect(shown(await memory.recall("./a.txt"))).toEqual(["all: one\n"]);
});

it("returns nothing for a file that was never seen", async () => {
  const memory = new SeenMemory(new MemoryEnvironment());
  memory.note("a.txt", whole("one\n"));
  expect(await memory.recall("b.txt")).toEqual([]);
});

it("replaces the lines that a later read overlaps", async () => {
  const memory = new SeenMemory(new MemoryEnvironment());
  memory.note("a.txt", lines(5, "five\nsix\n"));
  memory.note("a.txt", lines(1, "one\ntwo\n"));
  memory.note("a.txt", lines(6, "SIX\nSEVEN\n"));
  expect(shown(await memory.recall("a.txt"))).toEqual(["1: one\ntwo\n", "6: SIX\nSEVEN\n"]);
});

it("drops the parts when the whole file is seen", async () => {
  const memory = new SeenMemory(new MemoryEnvironment());
  memory.note("a.txt", lines(5, "five\n"));
  memory.note("a.txt", whole("one\n"));
  expect(shown(await memory.recall("a.txt"))).toEqual(["all: one\n"]);
});

it("keeps the whole when a part is seen again unchanged, and drops it when the part differs", async () => {
  const memory = new SeenMemory(new MemoryEnvironment());
  memory.note("a.txt", whole("one\ntwo\n"));
  memory.note("a.txt", lines(2, "two\n"));
  const same = shown(await memory.recall("a.txt"));
  memory.note("a.txt", lines(2, "TWO\n"));
  expect([same, shown(await memory.recall("a.txt"))]).toEqual([["all: one\ntwo\n"], ["2: TWO\n"]]);
});

it("drops the least recently seen files when it holds too much", async () => {
  const memory = new SeenMemory(new MemoryEnvironment(), { maxBytes: 5_000 });
  for (const name of ["a", "b", "a", "c"]) memory.note(name, whole(name.repeat(2_000)));
  const known = await Promise.all(["a", "b", "c"].map((name) => memory.recall(name)));
  expect(known.map((parts) => parts.length)).toEqual([1, 0, 1]);
});

it("does not drop all other files for one that is too large", async () => {
  const memory = new SeenMemory(new MemoryEnvironment(), { maxBytes: 5_000 });
  for (const size of [10, 5_000]) memory.note("a", whole("a".repeat(size)));
  memory.note("b", whole("b"));
  memory.note("c", whole("c".repeat(5_000)));
  const known = await Promise.all(["a", "b", "c"].map((name) => memory.recall(name)));
  expect(known.map((parts) => parts.length)).toEqual([0, 1, 0]);
});

function whole(text: string): SeenPart {
  return { bytes: new TextEncoder().encode(text), lines: "all" };
}

function lines(first: number, text: string): SeenPart {
  return { bytes: new TextEncoder().encode(text), lines: { first, count: text.split("\n").length - 1 } };
}

function shown(parts: readonly SeenPart[]): string[] {
  return parts.map(
    (part) => `${part.lines === "all" ? "all" : part.lines.first}: ${new TextDecoder().decode(part.bytes)}`,
  );
}
