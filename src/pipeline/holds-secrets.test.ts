import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { testContext } from "../../test/support/policy/decide.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { leftOutFolders } from "../contract/snapshot.ts";
import { openLocalEnvironment } from "../environment/local/local-environment.ts";
import { MemoryEnvironment } from "../environment/memory/memory-environment.ts";
import { builtInRules } from "../policy/built-in-rules.ts";
import { compilePolicy } from "../policy/rules/compile-policy.ts";
import { inGit } from "../system/in-git.ts";
import { lookAt } from "../system/public-keys.ts";
import { holdsSecrets } from "./policy-question.ts";

/** A workspace in which git has the tracked files. */
function openWorkspace(files: readonly string[], { tracked = [] as readonly string[] } = {}) {
  const folder = temporaryFolder();
  const at = (path: string) => join(folder.path, path);
  const write = (path: string) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), "");
  };
  for (const path of files) write(path);
  const environment = openLocalEnvironment({ workspace: folder.path });
  if (tracked.length > 0) {
    execFileSync("git", ["init", "--quiet"], { cwd: folder.path });
    execFileSync("git", ["add", "--force", ...tracked], { cwd: folder.path });
  }
  const context = { ...testContext, workspace: environment.workspace, lookAt, inGit };
  const policy = compilePolicy([builtInRules], context);
  return {
    at,
    write,
    holdsSecrets: () => holdsSecrets(environment, policy),
    async [Symbol.asyncDispose]() {
      await environment.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function found(files: readonly string[], options?: Parameters<typeof openWorkspace>[1]) {
  await using workspace = openWorkspace(files, options);
  return await workspace.holdsSecrets();
}

it("finds a secret at any depth, except in node_modules and in git's own folder", async () => {
  expect([
    await found(["a", "b/c/d/e/f/.env"]),
    await found(["a", "b/.env.example"]),
    await found(["node_modules/x/.env", ".git/.env"]),
    await found([]),
    await found(["a/.env"], { tracked: ["a/.env"] }),
  ]).toEqual([true, false, false, false, false]);
});

it("finds a secret in folders that undo leaves out", async () => {
  const unfound: string[] = [];
  for (const folder of leftOutFolders)
    if (folder !== "node_modules" && !(await found([`${folder}/.env`]))) unfound.push(folder);
  expect(unfound).toEqual([]);
});

it("notices a secret that appears and is removed", async () => {
  await using workspace = openWorkspace(["a/b"]);
  const answers = [await workspace.holdsSecrets()];
  workspace.write("a/.env");
  answers.push(await workspace.holdsSecrets());
  rmSync(workspace.at("a/.env"));
  answers.push(await workspace.holdsSecrets());
  expect(answers).toEqual([false, true, false]);
});

it("tells how it is in a large workspace", { tags: "slow" }, async () => {
  await using workspace = openWorkspace([]);
  execFileSync("bash", ["-c", "mkdir d{1..201} && touch d{1..201}/{1..100}"], { cwd: workspace.at("") });
  expect(await workspace.holdsSecrets()).toBe(false);
  workspace.write("d7/.env");
  expect(await workspace.holdsSecrets()).toBe(true);
});

it("lists a target in one round trip", async () => {
  const policy = compilePolicy([builtInRules], testContext);
  const foundThere = async (...paths: readonly string[]) => {
    const environment = Object.assign(new MemoryEnvironment(), { walk: async () => ({ paths, failed: [] }) });
    return holdsSecrets(environment, policy);
  };
  expect([await foundThere("a", "b/.env"), await foundThere("a", "b/c")]).toEqual([true, false]);
});

it("counts a workspace that cannot be searched as one with a secret", async () => {
  const policy = compilePolicy([builtInRules], testContext);
  expect(await holdsSecrets(new MemoryEnvironment(), policy)).toBe(true);
});
