import { chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { reachOfCommands } from "./reach-of-commands.ts";

/** A workspace in a folder of a repository that has some packages and programs. */
function repositoryIn(folder: string): { readonly directory: string; readonly workspace: string } {
  const directory = join(folder, "repository");
  const workspace = join(directory, "packages/a");
  const folders = [".git", "node_modules/@scope/part", "node_modules/.bin", ".venv/bin", "packages/a"];
  for (const name of folders) mkdirSync(join(directory, name), { recursive: true });
  for (const name of ["node_modules/.bin/lint", "helper.py", "tsconfig.json", "packages/a/own.py"])
    writeFileSync(join(directory, name), "");
  writeFileSync(join(folder, "outer.py"), "");
  return { directory, workspace };
}

it("finds in the repository around the workspace what a command misses, and nothing else", async () => {
  await using folder = temporaryFolder();
  const { directory, workspace } = repositoryIn(folder.path);
  const around = reachOfCommands({ workspace }).around?.();
  const existing = ["@scope/part/file", "lint", "helper", "../../tsconfig.json"];
  const others = [
    "@scope/other",
    "prettier",
    "own",
    "./own.py",
    "outer",
    "../../../outer.py",
    "../a/own.py",
    ".",
    "..",
  ];
  expect(around?.directory).toBe(directory);
  expect([...existing, ...others].filter((name) => around?.has(name))).toEqual(existing);
});

it("knows no repository around the workspace when commands see it", async () => {
  await using folder = temporaryFolder();
  const { directory, workspace } = repositoryIn(folder.path);
  const confinement = { readable: [directory] };
  expect([
    reachOfCommands({ workspace, confinement }).around?.(),
    reachOfCommands({ workspace: directory }).around?.(),
  ]).toEqual([undefined, undefined]);
});

it.skipIf(process.getuid?.() !== 0)(
  "does not trust a repository of another user around the workspace",
  { tags: "root" },
  async () => {
    await using folder = temporaryFolder();
    const { directory, workspace } = repositoryIn(folder.path);
    chownSync(join(directory, ".git"), 12_345, 12_345);
    expect(reachOfCommands({ workspace }).around?.()).toBeUndefined();
  },
);
