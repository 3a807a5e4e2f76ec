import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { installed, tarball } from "./support.ts";

const run = promisify(execFile);
const modules = join(import.meta.dirname, "node_modules");

describe("the package", () => {
  it("installs with npm as four packages, without scripts", async () => {
    await using folder = temporaryFolder();
    writeFileSync(join(folder.path, "package.json"), '{ "private": true }');
    await run("npm", ["install", "--no-audit", "--no-fund", "--foreground-scripts", tarball], {
      cwd: folder.path,
    });
    const lock = JSON.parse(readFileSync(join(folder.path, "node_modules/.package-lock.json"), "utf8"));
    expect(Object.keys(lock.packages)).toEqual([
      "node_modules/@vscode/ripgrep",
      `node_modules/@vscode/ripgrep-${process.platform}-${process.arch}`,
      "node_modules/toolcrib",
      "node_modules/zod",
    ]);
    const { scripts } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    expect(Object.keys(scripts).filter((name) => /install/.test(name))).toEqual([]);
  });

  it("has types that modern resolution finds for every entry point", async () => {
    const attw = join(modules, "@arethetypeswrong/cli/dist/index.js");
    // CommonJS programs load it with require(esm), which Node 22.18 has.
    const options = ["--profile", "node16", "--ignore-rules", "cjs-resolves-to-esm"];
    const { stdout } = await run(process.execPath, [attw, tarball, ...options]);
    expect(stdout).toContain("node16 (from ESM): 🟢");
    expect(stdout.replace(/^.*ignored.*$/gm, "")).not.toMatch(/💀|🥴|🎭|❌|🐛|🚭/u);
  });
});
