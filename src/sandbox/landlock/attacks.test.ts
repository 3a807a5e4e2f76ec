import { execFile } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { bundledProgram } from "../../../test/support/bundled-program.ts";
import { versionOfLandlock } from "../../../test/support/landlock/version-of-landlock.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";

const version = await versionOfLandlock();
const isRoot = process.getuid?.() === 0;
const program = await bundledProgram(new URL("../../../test/support/landlock/attacks.ts", import.meta.url));

if (version === 0) console.warn("SKIPPED: attacks on Landlock, which this kernel does not have");

describe.skipIf(version === 0)("the Landlock sandbox", () => {
  it("withstands every attack by the user who runs the tests", { tags: ["root", "slow"] }, async () => {
    expect(await attack({})).toEqual([]);
  });

  it.skipIf(!isRoot)("withstands every attack by an ordinary user", { tags: "slow" }, async (context) => {
    if (!othersReach(program) || !othersReach(process.execPath)) {
      console.warn(`SKIPPED: attacks as an ordinary user, who cannot read ${program} or ${process.execPath}`);
      context.skip();
    }
    expect(await attack({ user: 65534 })).toEqual([]);
  });

  it.each([1, 4].filter((older) => older < version))(
    "of version %i lets only signals pass, as it reports",
    { tags: "slow" },
    async (older) => {
      expect(await attack({ version: older })).toEqual(["end another process"]);
    },
  );
});

if (!isRoot) console.warn("SKIPPED: attacks on Landlock as another user, which takes root");

/** The attacks that have succeeded. */
async function attack(as: { readonly user?: number; readonly version?: number }): Promise<readonly string[]> {
  await using folder = temporaryFolder();
  chmodSync(folder.path, 0o755);
  const [home, temporary] = ["home", "tmp"].map((name) => join(folder.path, name));
  for (const path of [home!, temporary!]) {
    mkdirSync(path);
    if (as.user !== undefined) chownSync(path, as.user, as.user);
  }
  const become = ["setpriv", `--reuid=${as.user}`, `--regid=${as.user}`, "--clear-groups", "--"];
  const command = [
    ...(as.user === undefined ? [] : become),
    process.execPath,
    program,
    String(as.version ?? 99),
  ];
  const { stdout } = await promisify(execFile)(command[0]!, command.slice(1), {
    cwd: folder.path,
    env: { PATH: "/usr/bin:/bin", HOME: home, TMPDIR: temporary, SECRET_OF_PARENT: "secret" },
  });
  const results = Object.entries(JSON.parse(stdout) as Record<string, string>);
  expect(results.length).toBeGreaterThan(40);
  return results.filter(([, result]) => result !== "held").map(([name]) => name);
}

/** Whether every user may read a file and enter all its parent directories. */
function othersReach(path: string): boolean {
  if ((statSync(path).mode & 0o5) === 0) return false;
  return path === "/" || othersReach(dirname(path));
}
