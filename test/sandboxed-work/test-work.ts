import { execFile } from "node:child_process";
import { accessSync, chmodSync, chownSync, constants, mkdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { SandboxLevel } from "../../src/contract/call.ts";
import { bundledProgram } from "../support/bundled-program.ts";
import { missingHere } from "../support/sandbox-fixture.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { works } from "./works.ts";

const worker = await bundledProgram(new URL("worker.ts", import.meta.url));
const nobody = 65534;

/** The users to test as: the current one, and an ordinary one when running as root. */
const workers = process.getuid?.() === 0 ? (["root", "an ordinary user"] as const) : (["this user"] as const);

/** Tests real work at this level. `tags` are those of the tests that run as root. */
export async function testWork(
  level: SandboxLevel,
  { tags: tagsOfRoot }: { readonly tags: string[] },
): Promise<void> {
  const missing = await missingHere(level);
  for (const who of workers) {
    describe.skipIf(missing !== undefined)(`in the sandbox ${level}, ${who}`, () => {
      const path = who === "an ordinary user" ? pathOfOthers() : (process.env.PATH ?? "");
      const tags = who === "root" ? ["slow", ...tagsOfRoot] : ["slow"];
      const names = Object.keys(works).filter((name) => canBeDone(name, who, path));
      it(`does real work: ${names.join(", ")}`, { tags }, async () => {
        const expected = Object.fromEntries(names.map((name) => [name, works[name]!.says(level)]));
        expect(await done(names, { level, who, path })).toEqual(expected);
      });
    });
  }
}

function canBeDone(name: string, who: string, path: string): boolean {
  const missing = works[name]!.needs.filter((program) => !isOnPath(program, path));
  if (missing.length > 0)
    console.warn(`\nSkipped "${name}" for ${who}, because there is no ${missing.join(", ")}\n`);
  return missing.length === 0;
}

async function done(
  names: readonly string[],
  { level, who, path }: { readonly level: SandboxLevel; readonly who: string; readonly path: string },
): Promise<unknown> {
  await using folder = temporaryFolder();
  const command = [process.execPath, worker, folder.path, level, ...names];
  if (who === "an ordinary user") {
    giveAway(folder.path);
    command.unshift("setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups");
  }
  const home = join(folder.path, "home");
  const env =
    who === "an ordinary user" ? { PATH: path, HOME: home, LANG: "C.UTF-8" } : { ...process.env, PATH: path };
  const { stdout } = await promisify(execFile)(command[0]!, command.slice(1), { env, cwd: "/" });
  return JSON.parse(stdout);
}

function giveAway(folder: string): void {
  mkdirSync(join(folder, "home"));
  for (const directory of [folder, join(folder, "home")]) {
    chmodSync(directory, 0o755);
    chownSync(directory, nobody, nobody);
  }
}

/** The directories of the system, and of Node. */
function pathOfOthers(): string {
  return [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter);
}

function isOnPath(program: string, path: string): boolean {
  return path.split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
