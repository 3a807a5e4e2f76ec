/** @module-tag slow */
import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "./support/temporary-folder.ts";

const launcher = join(import.meta.dirname, "../bin/toolcrib.js");

it("exits when TOOLCRIB_HOME cannot be created, with a hint", async () => {
  await using folder = temporaryFolder();
  writeFileSync(join(folder.path, "file"), "");
  for (const home of ["/proc/none", join(folder.path, "file/below")]) {
    const { status, stderr } = spawnSync(process.execPath, [launcher, "call", "file.list"], {
      cwd: folder.path,
      env: { ...process.env, TOOLCRIB_HOME: home },
      encoding: "utf8",
      timeout: 20_000,
      killSignal: "SIGKILL",
    });
    expect([status, stderr.split("\n").slice(-2)]).toEqual([
      1,
      ["Set TOOLCRIB_HOME to a writable folder.", ""],
    ]);
  }
});

it("refuses a relative home directory, and creates nothing", async () => {
  await using folder = temporaryFolder();
  const run = (variables: NodeJS.ProcessEnv) => {
    const { TOOLCRIB_HOME: _, XDG_CACHE_HOME: __, ...others } = process.env;
    const env = { ...others, ...variables };
    const { status, stderr } = spawnSync(process.execPath, [launcher, "call", "file.list"], {
      cwd: folder.path,
      env,
      encoding: "utf8",
    });
    return [status, stderr];
  };
  expect([run({ HOME: "below" }), run({ HOME: "" }), run({ TOOLCRIB_HOME: "below" })]).toEqual([
    [2, "HOME is not an absolute path: below\nSet it to an absolute path.\n"],
    [2, "HOME is not an absolute path: (empty)\nSet it to an absolute path.\n"],
    [2, "TOOLCRIB_HOME is not an absolute path: below\nSet it to an absolute path.\n"],
  ]);
  expect(readdirSync(folder.path)).toEqual([]);
});

it("says in one sentence that the current folder was deleted", async () => {
  await using folder = temporaryFolder();
  const run = (...words: readonly string[]) => {
    const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"';
    const { status, stderr } = spawnSync("sh", ["-c", script, "sh", process.execPath, launcher, ...words], {
      cwd: folder.path,
      env: { ...process.env, TOOLCRIB_HOME: join(folder.path, "home") },
      encoding: "utf8",
    });
    return [status, stderr];
  };
  const said = [2, "The current folder does not exist any more\nChange to a folder that exists: cd\n"];
  expect([run("call", "file.list"), run("doctor"), run("log")]).toEqual([said, said, said]);
});
