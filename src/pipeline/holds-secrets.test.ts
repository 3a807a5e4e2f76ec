import { expect, it } from "vitest";
import { leftOutFolders } from "../contract/snapshot.ts";
import { MemoryEnvironment } from "../environment/memory/memory-environment.ts";
import { holdsSecrets } from "./policy-question.ts";

const guard = (_use: string, path: string) =>
  path.endsWith(".env") ? { reason: "is secret", rule: "secret .env" } : undefined;

it("finds a secret at any depth, except in node_modules and in git's own folder", async () => {
  const found = async (...names: readonly string[]) =>
    holdsSecrets(
      new MemoryEnvironment({ files: Object.fromEntries(names.map((name) => [name, ""])) }),
      guard,
    );
  expect([
    await found("a", "b/c/d/e/f/.env"),
    await found("a", "b/.env.example"),
    await found("node_modules/x/.env", ".git/.env"),
    await found(),
  ]).toEqual([true, false, false, false]);
});

it("finds a secret in folders that undo leaves out", async () => {
  const folders = [...leftOutFolders].filter((name) => name !== "node_modules");
  const unfound: string[] = [];
  for (const folder of folders) {
    const environment = new MemoryEnvironment({ files: { [`${folder}/.env`]: "" } });
    if (!(await holdsSecrets(environment, guard))) unfound.push(folder);
  }
  expect(unfound).toEqual([]);
});

it("lists a target in one round trip", async () => {
  const found = async (...paths: readonly string[]) => {
    const environment = Object.assign(new MemoryEnvironment(), { walk: async () => ({ paths, failed: [] }) });
    return holdsSecrets(environment, guard);
  };
  expect([await found("a", "b/.env"), await found("a", "b/c")]).toEqual([true, false]);
});

it("counts a workspace that is too large to search as one with a secret", async () => {
  const names = Array.from({ length: 20_001 }, (_, index) => [`d/${index}`, ""]);
  const environment = new MemoryEnvironment({ files: Object.fromEntries(names) });
  expect(await holdsSecrets(environment, guard)).toBe(true);
});
