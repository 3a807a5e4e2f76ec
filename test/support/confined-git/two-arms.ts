import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { usualVariables } from "../../../src/system/environment-variables.ts";
import { openSandboxFixture } from "../sandbox-fixture.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { differences, firstDifference, stateOf } from "./repository-state.ts";
import { copyable, makeRepositories, plainly, variables } from "./seed.ts";
import type { Sequence } from "./sequences.ts";
import { usualConfinement } from "./usual-confinement.ts";

/** Runs the same lines in a sandbox and in plain bash, each in a copy of the same repositories. */
export interface TwoArms extends AsyncDisposable {
  /** Returns what differs; nothing when git in the sandbox did what plain git does. */
  compare(name: string, sequence: Sequence): Promise<readonly string[]>;
}

interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | undefined;
}

/** `lanes`: how many sandboxes are open, so that as many sequences can run at once. */
export function openTwoArms(lanes = 1): TwoArms {
  const seed = copyable(makeRepositories);
  const folder = temporaryFolder();
  const fixtures = Array.from({ length: lanes }, () => openSandboxFixture("bwrap"));
  const free = [...fixtures];

  return {
    compare: async (name, sequence) => {
      const { given = "", lines } = "lines" in sequence ? sequence : { lines: sequence };
      const fixture = free.pop()!;
      const own = name.replace(/\W+/g, "-");
      // Paths of equal length, because some output is cut to a width.
      const plain = { top: join(folder.path, "work space", own), outside: join(folder.path, "outside", own) };
      const inside = { top: join(fixture.workspace, own), outside: join(fixture.outside, own) };
      const confinement = { ...usualConfinement(fixture.workspace) };
      const isOutside = lines.some((line) => line.includes("OUTSIDE"));
      if (isOutside) Object.assign(confinement, { readable: [inside.outside], writable: [inside.outside] });
      try {
        for (const { top, outside } of [plain, inside]) {
          seed.copyTo(top);
          if (isOutside) cpSync(join(top, "remote.git"), join(outside, "remote.git"), { recursive: true });
          // The copy has other inodes and times than the index says.
          plainly(join(top, "repo"), `git update-index -q --refresh\n${given}`);
        }
        const found: string[] = [];
        for (const line of lines) {
          const [expected, actual] = await Promise.all([
            runPlainly(plain.top, script(plain, line)),
            fixture.run(script(inside, line), confinement),
          ]);
          found.push(...ranDifferently(line, steady(actual, inside), steady(expected, plain)));
        }
        const states = await Promise.all([stateOf(inside.top), stateOf(plain.top)]);
        found.push(...differences(...states));
        if (isOutside)
          found.push(...differences(await stateOf(inside.outside), await stateOf(plain.outside)));
        return found;
      } finally {
        for (const { top, outside } of [plain, inside])
          for (const path of [top, outside]) rmSync(path, { recursive: true, force: true });
        free.push(fixture);
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const fixture of fixtures) await fixture[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
      await seed[Symbol.asyncDispose]();
    },
  };
}

function script({ top, outside }: Record<"top" | "outside", string>, line: string): string {
  const exports = Object.entries(variables).map(([name, value]) => `${name}='${value}'`);
  return `umask 022; export ${exports.join(" ")} OUTSIDE='${outside}'; cd '${top}/repo' || exit 99\n${line}`;
}

async function runPlainly(cwd: string, command: string): Promise<Ran> {
  const { PATH, HOME, LANG } = process.env;
  const child = spawn("/bin/bash", ["--noprofile", "--norc", "-c", command], {
    cwd,
    env: { PATH, HOME, LANG, ...usualVariables({ others: {}, terminal: false }) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { stdout, stderr, code: code ?? undefined };
}

/** Removes the paths of this run. */
function steady(ran: Ran, { top, outside }: Record<"top" | "outside", string>): Ran {
  const without = (output: string) => output.replaceAll(top, "FOLDER").replaceAll(outside, "OUTSIDE");
  return { stdout: without(ran.stdout), stderr: without(ran.stderr), code: ran.code };
}

function ranDifferently(line: string, inside: Ran, plain: Ran): readonly string[] {
  const of = `of ${JSON.stringify(line.slice(0, 60))}`;
  return [
    ...(inside.code === plain.code ? [] : [`exit ${of}: ${inside.code} instead of ${plain.code}`]),
    ...(["stdout", "stderr"] as const).flatMap((stream) =>
      inside[stream] === plain[stream]
        ? []
        : [`${stream} ${of}: ${firstDifference(inside[stream], plain[stream])}`],
    ),
  ];
}
