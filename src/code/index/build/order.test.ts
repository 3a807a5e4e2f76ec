/** @module-tag slow */
import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { openTestIndex, workerHere } from "../../../../test/support/code-index/open-index.ts";

it("begins with recent files, then source code, then tests, then generated files", async () => {
  const asked: { readonly kind: "lexical" | "words"; readonly paths: readonly string[] }[] = [];
  const worker = (workspace: string) => {
    const here = workerHere(workspace);
    return {
      ...here,
      lexical: (request: Parameters<typeof here.lexical>[0], signal: AbortSignal) => {
        if (request.files.length > 0)
          asked.push({ kind: "lexical", paths: request.files.map((file) => file.path) });
        return here.lexical(request, signal);
      },
      words: (request: Parameters<typeof here.words>[0], signal: AbortSignal) => {
        if (request.files.length > 0)
          asked.push({ kind: "words", paths: request.files.map((file) => file.path) });
        return here.words(request, signal);
      },
    };
  };
  await using index = openTestIndex({}, { worker });
  const old = new Date("2020-01-01");
  for (const folder of ["dist", "src", "test"]) {
    for (let number = 0; number < 150; number++) {
      const name = `${folder}/f${number}.txt.ts`;
      index.write(name, `export const a${number} = 1;\n`);
      const isEdited = folder === "test" && number === 7;
      if (!isEdited) fs.utimesSync(index.path(name), old, new Date(old.getTime() + 1000 * number));
    }
  }
  await index.built();
  const foldersOf = (paths: readonly string[]) => new Set(paths.map((file) => file.split("/")[0]));
  // Two workers begin with 64 files each: the 100 that changed last, and 28 source files.
  const begun = asked.slice(0, 2).flatMap(({ paths }) => paths);
  expect(asked.slice(0, 2).map(({ kind, paths }) => [kind, paths.length])).toEqual([
    ["lexical", 64],
    ["lexical", 64],
  ]);
  expect(begun).toContain("test/f7.txt.ts");
  expect(begun.filter((file) => file.startsWith("src/")).length).toBeGreaterThanOrEqual(28);
  expect(foldersOf(begun)).not.toContain("dist");
  // Their words are indexed before the trigrams of the other files.
  expect(asked[2]!.kind).toBe("words");
  expect(foldersOf(asked.filter(({ kind }) => kind === "words").at(-1)!.paths)).toContain("dist");
});

it("answers a patient caller as soon as something is indexed", async () => {
  const { promise: gate, resolve: openGate } = Promise.withResolvers<void>();
  let answered = 0;
  const worker = (workspace: string) => {
    const here = workerHere(workspace);
    return {
      ...here,
      words: async (request: Parameters<typeof here.words>[0], signal: AbortSignal) => {
        if (request.files.length > 0 && answered++ > 0) await gate;
        return here.words(request, signal);
      },
    };
  };
  await using index = openTestIndex({}, { worker });
  for (let number = 0; number < 501; number++) index.write(`f${number}.txt`, `alpha${number}\n`);
  // The next scan reads files again that have just changed, and both workers may wait at the gate by then.
  await sleep(100);
  const wanted = { signal: new AbortController().signal, progress: () => {}, patienceMs: 0 };
  expect(await index.refresh(wanted)).toMatchObject({ files: 501, isBuilding: true });
  let answer: Awaited<ReturnType<typeof index.refresh>>;
  do {
    const begun = performance.now();
    answer = await index.refresh({ ...wanted, patient: true });
    // On a busy machine nothing may be indexed when the patience ends.
    expect(answer.indexed > 0 || performance.now() - begun >= 16_000).toBe(true);
  } while (answer.indexed === 0);
  expect([answer.indexed < 501, answer.isBuilding]).toEqual([true, true]);
  openGate();
  expect(await index.built()).toMatchObject({ indexed: 501 });
});
