/** @module-tag slow */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it, vi } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { childProcesses, wordsOf } from "../../test/support/workers/child-processes.ts";
import { openToolcrib } from "./open-toolcrib.ts";
import type { Toolcrib } from "./toolcrib.ts";

/** Instances of one workspace, each with its own rules. */
async function sharing(...rulesOfEach: (readonly string[])[]) {
  const folder = temporaryFolder();
  const at = (path: string) => join(folder.path, path);
  mkdirSync(at("work"));
  writeFileSync(at("work/shown.ts"), "export class ShownShape {}\n");
  writeFileSync(at("work/hidden.ts"), "export class HiddenShape {}\n");
  const folders = { workspace: at("work"), stateDirectory: at("state"), configDirectory: at("config") };
  const instances = await Promise.all(rulesOfEach.map((rules) => openToolcrib({ ...folders, rules })));
  return {
    instances,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(instances.map((instance) => instance.close()));
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Other tests may have left workers in this process. */
let former: readonly number[] = [];
beforeEach(() => {
  former = childProcesses();
});
const workers = (role: string) =>
  childProcesses().filter((pid) => !former.includes(pid) && wordsOf(pid).includes(role));
const outline = async (instance: Toolcrib) =>
  (await instance.call("code.symbols", { path: "shown.ts" })).content;
const shapes = async (instance: Toolcrib) => {
  const { content } = await instance.call("code.search", { query: "shape class" });
  return ["ShownShape", "HiddenShape"].filter((name) => content.includes(name));
};

it("keeps a worker until the last instance of a workspace closes", async () => {
  await using sharer = await sharing([], []);
  const [one, other] = sharer.instances as [Toolcrib, Toolcrib];
  const texts = await Promise.all([outline(one), outline(other)]);
  const [reader, ...others] = workers("reader");
  await one.close();
  expect([texts[0], others, workers("reader"), await outline(other)]).toEqual([
    texts[1],
    [],
    [reader],
    texts[1],
  ]);
  await other.close();
  expect(workers("reader")).toEqual([]);
});

it("starts a killed worker again with the next call of any instance", async () => {
  await using sharer = await sharing([], []);
  const [one, other] = sharer.instances as [Toolcrib, Toolcrib];
  const text = await outline(one);
  const [reader] = workers("reader");
  process.kill(reader!, "SIGKILL");
  expect([await outline(other), await outline(one)]).toEqual([text, text]);
  expect(workers("reader")).not.toContain(reader);
});

it("shares an index only between instances that may read the same files", async () => {
  await using sharer = await sharing([], ["allow run ls"], ["deny read hidden.ts"]);
  const [open, grants, denies] = sharer.instances as [Toolcrib, Toolcrib, Toolcrib];
  await vi.waitFor(async () => expect(await shapes(open)).toEqual(["ShownShape", "HiddenShape"]), 30_000);
  expect([await shapes(grants), workers("indexer").length]).toEqual([["ShownShape", "HiddenShape"], 1]);
  await vi.waitFor(async () => expect(await shapes(denies)).toEqual(["ShownShape"]), 30_000);
  expect(workers("indexer").length).toBe(2);
});
