import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { hasRepository } from "./has-repository.ts";

it("finds a repository in the folder and above it, also that of a linked working tree", async () => {
  await using folder = temporaryFolder();
  const inner = join(folder.path, "a/b");
  mkdirSync(inner, { recursive: true });
  const none = hasRepository(inner);
  mkdirSync(join(folder.path, ".git"));
  const above = hasRepository(inner);
  await using other = temporaryFolder();
  writeFileSync(join(other.path, ".git"), "gitdir: /elsewhere\n");
  expect([none, above, hasRepository(other.path)]).toEqual([false, true, true]);
});
