import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { openPrivateDirectories } from "./private-directories.ts";

it("creates directories for the user only, and removes them with all contents", async () => {
  await using folder = temporaryFolder();
  const directories = openPrivateDirectories(folder.path);
  const modes = [directories.home, directories.temporary, directories.own].map(
    (path) => statSync(path).mode & 0o777,
  );
  expect(modes).toEqual([0o700, 0o700, 0o700]);
  mkdirSync(join(directories.home, "closed/inner"), { recursive: true });
  writeFileSync(join(directories.home, "closed/inner/file"), "");
  for (const path of ["closed/inner", "closed"]) chmodSync(join(directories.home, path), 0);
  await directories.close();
  expect([existsSync(directories.home), readdirSync(join(folder.path, "sessions"))]).toEqual([false, []]);
});

it("keeps the directories of running sessions, and removes those of dead processes", async () => {
  await using folder = temporaryFolder();
  const first = openPrivateDirectories(folder.path);
  const abandoned = join(folder.path, "sessions", "1-1-00000000-1.abc");
  mkdirSync(join(abandoned, "home"), { recursive: true });
  const second = openPrivateDirectories(folder.path);
  expect([first.home, second.home, abandoned].map((path) => existsSync(path))).toEqual([true, true, false]);
  await first.close();
  await second.close();
});

it("removes trees deeper than any path can name", async () => {
  await using folder = temporaryFolder();
  const directories = openPrivateDirectories(folder.path);
  const make = 'for (1..100) { mkdir "d" x 200; chdir "d" x 200 } chmod 0, "."';
  execFileSync("perl", ["-e", make], { cwd: directories.temporary });
  await directories.close();
  while (existsSync(directories.temporary)) await setTimeout(20);
  expect(existsSync(directories.temporary)).toBe(false);
});
