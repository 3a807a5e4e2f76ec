import { execFile } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { SandboxLevel } from "../../src/contract/call.ts";
import { attacks } from "../../src/sandbox/proof/attacks.ts";
import type { AttackResults } from "../support/attacks/attack-toolcrib.ts";
import { bundledProgram } from "../support/bundled-program.ts";
import { missingHere } from "../support/sandbox-fixture.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/**
 * The table of attacks (facts A1), for every way to start a command: CVE-2026-32048 was a way that skipped the
 * sandbox, CVE-2026-25725 allowed creating settings that did not exist yet.
 */
const program = await bundledProgram(new URL("../support/attacks/attack-toolcrib.ts", import.meta.url));
const nobody = 65534;
const levels = ["bwrap", "landlock"] as const;
const missing = { bwrap: await missingHere("bwrap"), landlock: await missingHere("landlock") };
const notAsNobody = whyNotAs();
if (notAsNobody !== undefined) console.warn(`\nSkipped as an ordinary user: ${notAsNobody}\n`);

describe.each(levels)("no way of starting a command escapes %s", (level) => {
  it.skipIf(missing[level] !== undefined)(
    "as the user who runs the tests",
    { tags: ["root", "slow"] },
    async () => {
      await expectHeld(level, undefined);
    },
  );

  it.skipIf(missing[level] !== undefined || notAsNobody !== undefined)(
    "for an ordinary user",
    { tags: "slow" },
    async () => {
      await expectHeld(level, nobody);
    },
  );
});

async function expectHeld(level: SandboxLevel, user: number | undefined): Promise<void> {
  const { report, broken } = await attack(level, user);
  const isOpen = (gap: string | undefined) => gap !== undefined && report.gaps.includes(gap);
  const open = attacks.flatMap(({ promise, gap }) => (isOpen(gap) ? [promise] : []));
  expect(report.level).toBe(level);
  expect(broken).toEqual(Object.fromEntries(Object.keys(broken).map((way) => [way, open])));
  expect(Object.keys(broken)).toHaveLength(8);
}

async function attack(level: SandboxLevel, user: number | undefined): Promise<AttackResults> {
  await using folder = temporaryFolder();
  chmodSync(folder.path, 0o755);
  const [home, temporary] = ["home", "tmp"].map((name) => join(folder.path, name)) as [string, string];
  for (const path of [home, temporary]) {
    mkdirSync(path);
    if (user !== undefined) chownSync(path, user, user);
  }
  const become = ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups", "--"];
  const command = [...(user === undefined ? [] : become), process.execPath, program, level];
  const { stdout } = await promisify(execFile)(command[0]!, command.slice(1), {
    cwd: folder.path,
    env: { PATH: process.env.PATH, HOME: home, TMPDIR: temporary },
  });
  return JSON.parse(stdout);
}

/** Why the attack cannot run as the user `nobody`. */
function whyNotAs(): string | undefined {
  if (process.getuid?.() !== 0) return "only root can switch users.";
  const closed = [program, process.execPath].find((path) => !othersReach(path));
  return closed === undefined ? undefined : `that user cannot read ${closed}.`;
}

function othersReach(path: string): boolean {
  if ((statSync(path).mode & 0o5) === 0) return false;
  return path === "/" || othersReach(dirname(path));
}
