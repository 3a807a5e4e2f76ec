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
  expect(countedBy(await calls("edit.replace", edit))).toEqual({ realPath: 5, readFile: 1, change: 1 });
  const written = await calls("file.write", { path: "one/new.txt", content: "x\n" });
  expect(countedBy(written)).toEqual({ realPath: 2, info: 1, readFile: 1, change: 1 });
  expect(countedBy(await calls("shell.run", { command: "true" }))).toEqual({ start: 1 });
  expect((await calls("git.status", {})).length).toBeLessThanOrEqual(24);
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

it("is not sent a content again that the journal has", { tags: "slow" }, async () => {
  await using folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  const text = (letter: string) => `${letter.repeat(99)}\n`.repeat(500);
  for (const name of ["one.txt", "two.txt"]) writeFileSync(at(name), text(name[0]!));
  writeFileSync(at("large.bin"), text("x").repeat(10));
  await using target = await openCountedTarget(folder.path);
  const run = async (command: string) => {
    const { bytes } = await target.count("shell.run", { command });
    return bytes < 20_000 ? "nothing was sent" : bytes;
  };

  expect(await run("touch first")).toBeGreaterThan(600_000);
  expect(await run("touch *; sleep 0.1")).toBe("nothing was sent");
  // The same contents at other paths, and of a file that is read in pieces.
  expect(await run("mkdir copies && cp one.txt two.txt large.bin copies; rm two.txt")).toBe(
    "nothing was sent",
  );
  // One that is new is sent once, however many files have it.
  const sent = await run("sed s/o/new/ one.txt | tee new1.txt new2.txt new3.txt > new4.txt");
  expect(sent).toBeGreaterThan(50_000);
  expect(sent).toBeLessThan(80_000);

  const edit = { path: "one.txt", find: `${"o".repeat(99)}\n`.repeat(500), replace: "short\n" };
  expect((await target.count("edit.replace", edit)).bytes).toBeLessThan(20_000);
  expect((await target.count("file.write", { path: "new1.txt", content: "x" })).bytes).toBeLessThan(20_000);
  expect((await target.count("file.delete", { path: "copies", recursive: true })).bytes).toBeLessThan(20_000);
  for (let undone = 0; undone < 3; undone++) await target.count("journal.undo", {});
  expect(readFileSync(at("one.txt"), "utf8")).toBe(text("o"));
  expect(readFileSync(at("new1.txt"), "utf8")).toBe(readFileSync(at("new2.txt"), "utf8"));
  expect(readFileSync(at("copies/large.bin"), "utf8")).toBe(text("x").repeat(10));
});

it("is sent the content of a file once for an edit", async () => {
  await using folder = temporaryFolder();
  const text = `${"a".repeat(99)}\n`.repeat(1000);
  writeFileSync(join(folder.path, "one.txt"), `${text}find me\n`);
  await using target = await openCountedTarget(folder.path);
  const { bytes } = await target.count("edit.replace", {
    path: "one.txt",
    find: "find me",
    replace: "found",
  });
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThan(120_000);
  await target.count("journal.undo", {});
  expect(readFileSync(join(folder.path, "one.txt"), "utf8")).toBe(`${text}find me\n`);
});

function countedBy(calls: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const call of calls) counts[call] = (counts[call] ?? 0) + 1;
  return counts;
}
