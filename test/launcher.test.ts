import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
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
}, 600_000);
