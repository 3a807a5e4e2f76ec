import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, expect, it, vi } from "vitest";
import { toolContext } from "../../../test/support/tool-context.ts";
import type { Directory } from "../../contract/environment.ts";
import { MemoryEnvironment } from "../../environment/memory/memory-environment.ts";
import { overrideEnvironment } from "../../lib/override-environment.ts";
import { searchGrep } from "./grep.ts";

afterEach(() => {
  vi.useRealTimers();
});

it("lets two searches read many files at a time, and quick ones at once", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const gate = Promise.withResolvers<void>();
  const stuck = [search(".", 30, gate.promise), search(".", 30, gate.promise)];
  await until(() => stuck.every(({ reads }) => reads() === 30));
  const others = Array.from({ length: 3 }, () => search("."));
  await until(() => others.every(({ reads }) => reads() === 24));
  expect((await search("few").result).data).toMatchObject({ searchedFiles: 10 });
  expect(others.map(({ reads }) => reads())).toEqual([24, 24, 24]);

  // A search that takes long loses its turn, so no wait is endless.
  vi.advanceTimersByTime(500);
  const found = await Promise.all(others.map(({ result }) => result));
  expect(found.map(({ data }) => data.searchedFiles)).toEqual([50, 50, 50]);
  gate.resolve();
  await Promise.all(stuck.map(({ result }) => result));
});

it("ends a search that waits for its turn when it is cancelled", async () => {
  const gate = Promise.withResolvers<void>();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const stuck = [search(".", 30, gate.promise), search(".", 30, gate.promise)];
  await until(() => stuck.every(({ reads }) => reads() === 30));
  const cancelling = new AbortController();
  const waiting = search(".", undefined, undefined, cancelling.signal);
  await until(() => waiting.reads() === 24);
  cancelling.abort();
  await expect(waiting.result).rejects.toMatchObject({ code: "cancelled" });
  gate.resolve();
  await Promise.all(stuck.map(({ result }) => result));
  expect((await search(".").result).data).toMatchObject({ searchedFiles: 50 });
});

const files = Object.fromEntries(
  Array.from({ length: 50 }, (_, number) => [`${number < 10 ? "few/" : ""}f${number}.txt`, "hit\n"]),
);

/** Searches as a caller of its own. The read after `until` waits for `gate`. */
function search(path: string, until?: number, gate?: Promise<void>, signal?: AbortSignal) {
  let reads = 0;
  const counted = (directory: Directory): Directory =>
    new Proxy(directory, {
      get: (target, name) => {
        if (name === "readFile")
          return async (...args: Parameters<Directory["readFile"]>) => {
            if (reads === until) await gate;
            reads += 1;
            return target.readFile(...args);
          };
        if (name === "openDirectory")
          return async (child: string) => counted(await target.openDirectory(child));
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  const memory = new MemoryEnvironment({ files });
  const environment = overrideEnvironment(memory, {
    openDirectory: async (opened: string) => counted(await memory.openDirectory(opened)),
  });
  const result = searchGrep.run({ pattern: "hit", path }, toolContext(environment, signal));
  result.catch(() => {});
  return { result, reads: () => reads };
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let turn = 0; turn < 50_000 && !isTrue(); turn += 1) await nextTurn();
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  expect(isTrue()).toBe(true);
}
