import fs from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { openTestIndex, type TestIndex } from "../../../../test/support/code-index/open-index.ts";
import type { CentralFile } from "../../../contract/code.ts";
import { FilesByPath } from "../build/list-workspace.ts";
import { WorkspaceState } from "../build/workspace-state.ts";
import { IndexStore } from "../storage/index-store.ts";
import { StoredMaps } from "./stored-maps.ts";

const { signal } = new AbortController();
const wanted = { limit: 400 };

/** Every fifth file uses the first. A name that all files use would not count. */
function project(count: number): Record<string, string> {
  const file = (number: number) =>
    `export function made${number}() {\n  ${number % 5 === 1 ? "made0" : "run"}();\n}\n`;
  return Object.fromEntries(
    Array.from({ length: count }, (_, number) => [`src/f${number}.ts`, file(number)]),
  );
}

/** Returns how many files changed since each map was stored. */
function changesIn({ directory }: TestIndex): readonly number[] {
  const database = new DatabaseSync(path.join(directory, "index.db"), { readOnly: true });
  try {
    return database
      .prepare("SELECT changes FROM maps ORDER BY wanted")
      .all()
      .map(({ changes }) => Number(changes));
  } finally {
    database.close();
  }
}

async function mapOf(index: TestIndex, filter: { path?: string } = {}): Promise<readonly CentralFile[]> {
  await index.built();
  return index.central({ ...wanted, ...filter }, { signal });
}

/** Another order of the same files in an index changes the last digits of the weights. */
function rounded(map: readonly CentralFile[]) {
  return map
    .map(({ path: file, weight, symbols }) => ({
      file,
      weight: weight.toFixed(9),
      symbols: symbols.map(({ name }) => name),
    }))
    .sort((one, other) => (one.file < other.file ? -1 : 1));
}

function namesIn(map: readonly CentralFile[], file: string): readonly string[] | undefined {
  return map.find((one) => one.path === file)?.symbols.map(({ name }) => name);
}

describe("a stored map", () => {
  /** Building it takes longer than the tests. Each finds what the ones before have changed. */
  const shared = openTestIndex(project(230));
  afterAll(() => shared[Symbol.asyncDispose]());

  it("equals the computed one, in this process and in another", { tags: "slow" }, async () => {
    const index = shared;
    const computed = await mapOf(index);
    expect(changesIn(index)).toEqual([0]);
    await using other = index.another();
    expect([await mapOf(index), await mapOf(other)]).toEqual([computed, computed]);
    expect(computed[0]!.path).toBe("src/f0.ts");
  });

  it("keeps its ranks after an edit, and shows only symbols that exist", { tags: "slow" }, async () => {
    const index = shared;
    const before = await mapOf(index);
    index.write("src/f0.ts", "export function other() {}\n\nexport function made0() {}\n");
    fs.rmSync(index.path("src/f7.ts"));
    const after = await mapOf(index);
    expect(changesIn(index)).toEqual([3]);
    expect(after.map((file) => file.path)).toEqual(
      before.map((file) => file.path).filter((one) => one !== "src/f7.ts"),
    );
    expect(namesIn(after, "src/f0.ts")).toEqual(["made0", "other"]);
    expect(after[0]!.symbols[0]!.firstLine).toBe(3);
    const unchanged = before.filter((file) => file.path !== "src/f7.ts").slice(1);
    expect(after.slice(1)).toEqual(unchanged);
  });

  it("never names a file that the caller may not read", async () => {
    const index = shared;
    await mapOf(index);
    await using strict = index.another({ mayRead: (file) => !file.endsWith("/f0.ts") });
    expect((await mapOf(strict)).map((file) => file.path)).not.toContain("src/f0.ts");
  });

  it("is computed again by the build that changes many files", { tags: "slow" }, async () => {
    await using index = openTestIndex(project(230));
    await mapOf(index);
    for (let number = 0; number < 40; number++)
      index.write(`src/f${number}.ts`, "export function quiet() {}\nmade100();\n");
    await index.built();
    expect(changesIn(index)).toEqual([0]);
    await using fresh = openTestIndex(
      Object.fromEntries(
        Object.keys(project(230)).map((name) => [name, fs.readFileSync(index.path(name), "utf8")]),
      ),
    );
    expect(rounded(await mapOf(index))).toEqual(rounded(await mapOf(fresh)));
  });

  it("includes a file that another process has indexed again during the build", async () => {
    await using index = openTestIndex(project(4));
    await mapOf(index);
    const store = new IndexStore(index.directory);
    const view = () => {
      store.sync();
      const records = Array.from(store.records.values()).filter(({ path: file }) => file !== "src/f3.ts");
      const listed = records.map(({ path: file, figures }) => [file, { figures, settled: true }] as const);
      const state = new WorkspaceState(new FilesByPath(new Map(listed)), store);
      // As after reading a file that may have changed within one tick of the clock.
      for (const record of records) state.take(record);
      return { store, state };
    };
    // Its map is computed again, because it has a file less.
    const earlier = view();
    index.write("src/f2.ts", "export function other() {}\n");
    await index.built();
    const maps = new StoredMaps();
    maps.update(earlier);
    const { files } = maps.find(view(), wanted);
    expect(files.map((file) => file.path).sort()).toEqual(["src/f0.ts", "src/f1.ts", "src/f2.ts"]);
    store.close();
  });

  it("is stored for each folder, the last sixteen", { tags: "slow" }, async () => {
    const folders = Array.from({ length: 20 }, (_, number) => `d${number}`);
    await using index = openTestIndex(
      Object.fromEntries(folders.map((folder) => [`${folder}/a.ts`, "export function one() {}\n"])),
    );
    for (const folder of folders) {
      const map = await mapOf(index, { path: folder });
      expect(map.map((file) => file.path)).toEqual([`${folder}/a.ts`]);
    }
    expect(changesIn(index)).toHaveLength(16);
  });
});
