import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "./support/temporary-folder.ts";

const script = join(import.meta.dirname, "../packaging/start-binary.cjs");

/** Stands for the parts that are built into the binary: here a program that is unpacked already. */
const assets = `
  const Module = require("node:module");
  const load = Module._load;
  const sea = { getAsset: () => JSON.stringify({ id: "1", start: "start.js", files: [] }) };
  Module._load = (name, ...more) => (name === "node:sea" ? sea : load(name, ...more));
`;

/** Starts the binary with an unpacked program, after `change` to its folders. */
function start(top: string, change: (cache: string) => void) {
  const cache = join(top, "cache");
  const unpacked = join(cache, "program/1");
  mkdirSync(unpacked, { recursive: true });
  for (const folder of [cache, join(cache, "program"), unpacked]) chmodSync(folder, 0o700);
  writeFileSync(join(unpacked, "node"), "#!/bin/sh\necho started\n", { mode: 0o700 });
  writeFileSync(join(top, "assets.cjs"), assets);
  change(cache);
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ["--no-warnings", "--require", join(top, "assets.cjs"), script],
    { env: { ...process.env, TOOLCRIB_HOME: top }, encoding: "utf8" },
  );
  return [status, stdout, stderr.split(":")[0]];
}

describe("the single binary", () => {
  it("starts the program that it has unpacked", async () => {
    await using folder = temporaryFolder();
    expect(start(folder.path, () => {})).toEqual([0, "started\n", ""]);
  });

  it.each([
    ["the program", (cache: string) => chmodSync(join(cache, "program/1"), 0o777)],
    ["the folder of all versions", (cache: string) => chmodSync(join(cache, "program"), 0o770)],
    ["the cache", (cache: string) => chmodSync(cache, 0o777)],
    [
      "the target of a link",
      (cache: string) => {
        renameSync(join(cache, "program/1"), join(cache, "elsewhere"));
        symlinkSync("../elsewhere", join(cache, "program/1"));
      },
    ],
  ])("does not start when another user can change %s", async (_, change) => {
    await using folder = temporaryFolder();
    const refused = `toolcrib does not start from ${join(folder.path, "cache/program/1")}`;
    expect(start(folder.path, change)).toEqual([1, "", refused]);
  });
});
