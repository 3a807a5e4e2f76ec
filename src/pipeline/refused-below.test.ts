import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import type { PathGuard } from "../contract/guard.ts";
import { openLocalEnvironment } from "../environment/local/local-environment.ts";
import { MemoryEnvironment } from "../environment/memory/memory-environment.ts";
import { refusedBelow } from "./policy-question.ts";

const guard: PathGuard = (use, path) =>
  use === "read" && path.endsWith("/.env") ? { reason: "is secret", rule: "secret .env" } : undefined;

it("names an unreadable path below each directory that has one", async () => {
  const environment = new MemoryEnvironment({
    files: { "a/b/c/.env": "x", "a/d.ts": "x", "e/f.ts": "x", "g.ts": "x" },
  });
  const found = await refusedBelow(["a", "e", ".", "g.ts", "gone", "../outside"], environment, guard);
  const secret = `${environment.workspace}/a/b/c/.env`;
  expect([...found]).toEqual([
    ["a", secret],
    ["e", undefined],
    [".", secret],
    ["g.ts", undefined],
    ["gone", undefined],
  ]);
});

it("leaves out hidden files when only visible files are read", async () => {
  const keys: PathGuard = (_use, path) =>
    /id_rsa$/.test(path) ? { reason: "is a key", rule: "secret id_rsa" } : undefined;
  const environment = new MemoryEnvironment({
    files: { "a/.hidden/id_rsa": "x", "a/node_modules/id_rsa": "x", "b/c/id_rsa": "x" },
  });
  const found = await refusedBelow(["a", "visible in a", "visible in b"], environment, keys);
  expect([...found]).toEqual([
    ["a", `${environment.workspace}/a/.hidden/id_rsa`],
    ["visible in a", undefined],
    ["visible in b", `${environment.workspace}/b/c/id_rsa`],
  ]);
});

it("looks behind symlinks, and trusts none that leaves the workspace", async () => {
  await using folder = temporaryFolder();
  const at = (path: string) => join(folder.path, path);
  for (const path of ["a", "kept/deep", "out", "loop"]) mkdirSync(at(path), { recursive: true });
  writeFileSync(at("kept/deep/.env"), "x");
  symlinkSync(at("kept"), at("a/link"));
  symlinkSync("/etc", at("out/link"));
  symlinkSync(at("loop"), at("loop/link"));
  const environment = openLocalEnvironment({ workspace: folder.path });
  const found = await refusedBelow(["a", "out", "loop"], environment, guard);
  await environment.close();
  expect([...found]).toEqual([
    ["a", `${environment.workspace}/kept/deep/.env`],
    ["out", `${environment.workspace}/out/link`],
    ["loop", undefined],
  ]);
});

it("leaves out directories that would take too long to search", { tags: "slow" }, async () => {
  const many = Object.fromEntries(Array.from({ length: 20_001 }, (_, index) => [`many/${index}`, ""]));
  const environment = new MemoryEnvironment({ files: { ...many, "few/a": "" } });
  expect([...(await refusedBelow(["few", "many"], environment, guard))]).toEqual([["few", undefined]]);
});
