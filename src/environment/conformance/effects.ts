import { isDeepStrictEqual } from "node:util";
import { expect, it } from "vitest";
import type { Effects, WatchWanted } from "../../contract/effects.ts";
import type { Environment } from "../../contract/environment.ts";
import { ignoredLimits, kindOf, type Snapshot } from "../../contract/snapshot.ts";
import { failure, failureOf, type OpenWorld } from "./world.ts";

/** Describes each entry: kind, permissions or target, size of a file, and why it was left out. */
function shown({ entries, leftOut }: Snapshot): Record<string, string> {
  const lines = Array.from(entries, ([path, entry]): [string, string] => {
    const kind = kindOf(entry);
    const words = [
      kind,
      ...(kind === "link" ? ["to", entry.target] : [(entry.mode & 0o777).toString(8)]),
      ...(kind === "file" ? [entry.size] : []),
      ...(leftOut.has(path) ? [`(${leftOut.get(path)})`] : []),
    ];
    return [path, words.join(" ")];
  });
  return Object.fromEntries(lines.sort(([one], [other]) => (one < other ? -1 : 1)));
}

const usual = { id: "call_1", storedSince: 0, maxEntries: 1000 };

function watch(environment: Environment, wanted: Partial<WatchWanted> = {}) {
  return environment.watchEffects!({ ...usual, ...wanted });
}

/** Runs `act` while the effects are watched, and returns the changed paths. */
async function changedBy(
  environment: Environment,
  act: () => Promise<unknown>,
  wanted: Partial<WatchWanted> = {},
): Promise<readonly string[]> {
  const watched = await watch(environment, wanted);
  await watched.keep(new Map());
  await act();
  const { differences } = await watched.end();
  await watched.discard();
  return differences.filter(isChange).map(({ path }) => path);
}

/** Leaves out files that were written a moment ago, which may have changed, and the times of directories. */
function isChange({ before, after, looksSame }: Effects["differences"][number]): boolean {
  if (before.kind !== after.kind) return true;
  return before.kind === "directory" ? !isDeepStrictEqual(before, after) : !looksSame;
}

export function testEffects(open: OpenWorld): void {
  it("lists everything below the workspace without following links", async () => {
    await using world = await open({
      files: { "folder/deep/file": "text", "spaced name\n": "", ".hidden": "h" },
    });
    world.link("link", "folder");
    world.link("folder/out", world.outside);
    world.makeSpecial("special");
    const listed = await world.environment.listEntries!();
    expect(shown(listed)).toEqual({
      ".hidden": "file 644 1",
      folder: "directory 755",
      "folder/deep": "directory 755",
      "folder/deep/file": "file 644 4",
      "folder/out": `link to ${world.outside}`,
      link: "link to folder",
      "spaced name\n": "file 644 0",
      special: "other 644",
    });
    const paths = [...listed.entries.keys()].filter((path) => path.startsWith("folder"));
    expect(paths.indexOf("folder")).toBe(0);
    expect(paths.indexOf("folder/deep")).toBeLessThan(paths.indexOf("folder/deep/file"));
  });

  it("omits ignored folders that programs fill, and large ignored files", async () => {
    const size = 16 * 1024 * 1024 + 1;
    const files = {
      ".gitignore": "built/\nnode_modules/\n*.log\n",
      "built/out": "",
      "built/deep/node_modules/m": "",
      "node_modules/m": "",
      "src/.gitignore": "!node_modules\ntarget\n",
      "src/node_modules/out": "",
      "src/target/x": "",
      "small.log": "",
      "large.log": "l".repeat(size),
      "large.txt": "l".repeat(size),
    };
    await using world = await open({ files });
    expect(shown(await world.environment.listEntries!())).toEqual({
      ".gitignore": "file 644 27",
      built: "directory 755",
      "built/out": "file 644 0",
      "built/deep": "directory 755",
      "built/deep/node_modules": "directory 755 (ignored)",
      "large.log": `file 644 ${size} (ignored)`,
      "large.txt": `file 644 ${size}`,
      node_modules: "directory 755 (ignored)",
      "small.log": "file 644 0",
      src: "directory 755",
      "src/.gitignore": "file 644 21",
      "src/node_modules": "directory 755",
      "src/node_modules/out": "file 644 0",
      "src/target": "directory 755 (ignored)",
    });
  });

  it("returns what is different after a call, removed entries first", async () => {
    await using world = await open({ files: { "a/one": "1", "a/two": "22", kept: "k" } });
    const { environment } = world;
    const watched = await watch(environment);
    await watched.keep(new Map([["a/two", "f".repeat(64)]]));
    await environment.delete("a", { recursive: true });
    await environment.writeFile("new", Buffer.from("new"));
    const { differences, notCompared, repositories } = await watched.end();
    await watched.discard();
    const file = (hash: string, bytes: number) => ({ kind: "file", hash, bytes, mode: 0o644 });
    const nothing = { kind: "nothing" };
    const found = differences.filter(isChange).map(({ path, before, after }) => ({ path, before, after }));
    expect(found.toSorted((one, other) => (one.path > other.path ? -1 : 1))).toEqual([
      { path: "new", before: nothing, after: file("", 3) },
      { path: "a/two", before: file("f".repeat(64), 2), after: nothing },
      { path: "a/one", before: file("", 1), after: nothing },
      { path: "a", before: { kind: "directory", mode: 0o755 }, after: nothing },
    ]);
    const order = found.map(({ path }) => path);
    expect([order.indexOf("a"), order.indexOf("new")]).toEqual([2, 3]);
    expect({ notCompared: [...notCompared], repositories }).toEqual({ notCompared: [], repositories: [] });
  });

  it("asks only for contents that are not stored yet, until the caller may have lost some", async () => {
    await using world = await open({ files: { a: "1", b: "22" } });
    const { environment } = world;
    const toKeep = async (storedSince: number) => {
      const watched = await watch(environment, { storedSince });
      const files = watched.toKeep.map(({ path, bytes }) => `${path} ${bytes}`);
      await watched.keep(new Map(watched.toKeep.map(({ path }) => [path, "f".repeat(64)])));
      await watched.end();
      await watched.discard();
      return files.toSorted();
    };
    expect(await toKeep(0)).toEqual(["a 1", "b 2"]);
    // A file that was written a moment ago may have changed since it was stored.
    await expect.poll(() => toKeep(0)).toEqual([]);
    await environment.writeFile("b", Buffer.from("333"));
    expect(await toKeep(0)).toEqual(["b 3"]);
    await expect.poll(() => toKeep(0)).toEqual([]);
    expect(await toKeep(1)).toEqual(["a 1", "b 3"]);
  });

  it("decides before a call what is ignored, whatever it writes into ignore files", async () => {
    const files = { ".gitignore": "node_modules\n", "node_modules/m": "", "src/a": "", "ours/state": "" };
    await using world = await open({ files });
    const { environment } = world;
    const act = async () => {
      await environment.writeFile(".gitignore", Buffer.from("src\n"));
      for (const path of ["src/a", "node_modules/m", "ours/state"])
        await environment.writeFile(path, Buffer.from("changed"));
    };
    const without = [`${environment.workspace}/ours`, world.outside];
    expect(await changedBy(environment, act, { without })).toEqual([".gitignore", "src/a"]);
  });

  it("skips ignored folders beyond the budget", async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`out/${at}`, ""]));
    await using world = await open({ files: { ".gitignore": "out\n", ...many } });
    const { environment } = world;
    const write = (text: string) => () => environment.writeFile("out/7", Buffer.from(text));
    const ignored = { ...ignoredLimits, maxEntries: 20 };
    expect([
      await changedBy(environment, write("one")),
      await changedBy(environment, write("two"), { ignored }),
    ]).toEqual([["out/7"], []]);
  });

  it("refuses more entries than are wanted", async () => {
    await using world = await open({ files: { a: "", "b/c": "", "b/d/e": "", "f/g": "" } });
    const { environment } = world;
    for (const maxEntries of [1, 3, 4, 6]) {
      const tooMany = failure("too-large", `There are more than ${maxEntries} files and folders`, undefined);
      expect(await failureOf(watch(environment, { maxEntries }))).toEqual(tooMany);
    }
    expect((await watch(environment, { maxEntries: 7 })).toKeep).toHaveLength(4);
  });

  it("can be cancelled", async () => {
    await using world = await open({ files: { a: "" } });
    const { environment } = world;
    const signal = AbortSignal.abort();
    const cancelled = failure("cancelled", "The call was cancelled", undefined);
    expect(await failureOf(environment.listEntries!({ signal }))).toEqual(cancelled);
    expect(await failureOf(watch(environment, { signal }))).toEqual(cancelled);
  });
}
