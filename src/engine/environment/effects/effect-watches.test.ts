import { existsSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { failure, failureOf } from "../../../environment/conformance/world.ts";
import { openLocalEnvironment } from "../../../environment/local/local-environment.ts";

const hash = "a".repeat(64);
const wanted = { id: "call_1", storedSince: 0, maxEntries: 100 };

/** A workspace with files, and a folder with the records of watches. */
function openWorkspace(files: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "workspace");
  const effectRecords = join(folder.path, "effects");
  mkdirSync(workspace);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(workspace, name), text);
  return {
    at: (name: string) => join(workspace, name),
    effectRecords,
    /** Opens an environment as another process does. */
    open: () => openLocalEnvironment({ workspace, effectRecords }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

it("continues the watch of a process that has ended", async () => {
  await using workspace = openWorkspace({ a: "1", b: "22" });
  await using first = workspace.open();
  const watch = await first.watchEffects!(wanted);
  await watch.keep(new Map([["b", hash]]));
  rmSync(workspace.at("b"));
  await using second = workspace.open();
  const resumed = await second.resumeEffects!("call_1", {});
  const { differences } = await resumed!.end();
  const removed = differences.filter(({ after }) => after.kind === "nothing");
  expect(removed.map(({ path, before }) => ({ path, before }))).toEqual([
    { path: "b", before: { kind: "file", hash, bytes: 2, mode: 0o644 } },
  ]);
  await resumed!.discard();
  await using third = workspace.open();
  expect(await third.resumeEffects!("call_1", {})).toBeUndefined();
});

it("lets a later process know what is stored", async () => {
  await using workspace = openWorkspace({ a: "1", b: "22" });
  const toKeep = async () => {
    await using environment = workspace.open();
    const watch = await environment.watchEffects!(wanted);
    await watch.keep(new Map(watch.toKeep.map(({ path }) => [path, hash])));
    await watch.end();
    await watch.discard();
    return watch.toKeep.map(({ path }) => path);
  };
  expect((await toKeep()).sort()).toEqual(["a", "b"]);
  // A file that was written a moment ago may have changed since.
  await expect.poll(toKeep).toEqual([]);
  expect(readdirSync(workspace.effectRecords)).toEqual(["latest"]);
});

it("stores contents again when its record is damaged", async () => {
  await using workspace = openWorkspace({ a: "1" });
  await using environment = workspace.open();
  const watch = await environment.watchEffects!(wanted);
  await watch.keep(new Map([["a", hash]]));
  truncateSync(join(workspace.effectRecords, "call_1"), 20);
  await using other = workspace.open();
  expect(await other.resumeEffects!("call_1", {})).toBeUndefined();
  await watch.discard();
  expect((await other.watchEffects!(wanted)).toKeep).toMatchObject([{ path: "a", bytes: 1 }]);
});

it("refuses an id that names a file elsewhere", async () => {
  await using workspace = openWorkspace({});
  await using environment = workspace.open();
  const refused = failure("invalid-input", "The id of a watch has other characters than letters", undefined);
  for (const id of ["../call_1", "a/b", "", "."]) {
    expect(await failureOf(environment.watchEffects!({ ...wanted, id }))).toEqual(refused);
    expect(await failureOf(environment.resumeEffects!(id, {}))).toEqual(refused);
  }
  expect(existsSync(workspace.effectRecords)).toBe(false);
});
