import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openCountedTarget } from "../../test/support/remote/counted-target.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";

it("makes few calls on the target for each call of a tool", async () => {
  await using folder = temporaryFolder();
  for (const name of ["one", "two"]) {
    mkdirSync(join(folder.path, name));
    for (let index = 0; index < 5; index++)
      writeFileSync(join(folder.path, name, `${index}.txt`), `needle ${index}\n`);
  }
  const git = (...args: string[]) => execFileSync("git", ["-C", folder.path, ...args], { stdio: "ignore" });
  git("init");
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-m", "x");
  await using target = await openCountedTarget(folder.path);
  const calls = async (name: string, input: object) => (await target.count(name, input)).calls;

  expect(await calls("file.read", { path: "one/1.txt" })).toEqual(["readLines"]);
  expect(await calls("search.grep", { pattern: "needle" })).toEqual(["search"]);
  expect(await calls("search.grep", { pattern: "needle", path: "one" })).toEqual(["search"]);
  expect(await calls("file.list", { path: "one" })).toEqual(["list"]);
  expect(await calls("search.glob", { pattern: "**/*.txt" })).toEqual(["walk", "modifiedTimes"]);
  const edit = { path: "one/1.txt", find: "needle", replace: "thread" };
  expect(countedBy(await calls("edit.replace", edit))).toEqual({ realPath: 5, readFile: 2, change: 1 });
  const written = await calls("file.write", { path: "one/new.txt", content: "x\n" });
  expect(countedBy(written)).toEqual({ realPath: 2, info: 1, readFile: 1, change: 1 });
  expect(countedBy(await calls("shell.run", { command: "true" }))).toEqual({ start: 1 });
  expect((await calls("git.status", {})).length).toBeLessThanOrEqual(20);
});

it("reads files together that a command could change, or has changed", async () => {
  await using folder = temporaryFolder();
  for (let index = 0; index < 20; index++) writeFileSync(join(folder.path, `${index}.txt`), `${index}\n`);
  // Larger than what is read together.
  writeFileSync(join(folder.path, "large.txt"), "x".repeat(300_000));
  await using target = await openCountedTarget(folder.path);
  const command = 'for i in *.txt; do echo more >> "$i"; done';
  const { calls } = await target.count("shell.run", { command });
  const { readFiles, readBytes } = countedBy(calls);
  expect({ readFiles, readBytes }).toEqual({ readFiles: 2, readBytes: 2 });
  await target.count("journal.undo", {});
  expect(readFileSync(join(folder.path, "7.txt"), "utf8")).toBe("7\n");
  expect(readFileSync(join(folder.path, "large.txt"), "utf8")).toBe("x".repeat(300_000));
});

function countedBy(calls: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const call of calls) counts[call] = (counts[call] ?? 0) + 1;
  return counts;
}
