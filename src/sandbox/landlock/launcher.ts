import { perlProgram } from "../../system/perl-program.ts";
import type { Architecture } from "../seccomp/system-calls.ts";
import type { LandlockRules } from "./rules.ts";

interface LaunchPlan {
  readonly architecture: Architecture;
  readonly rules: LandlockRules;
  /** Whether to open the only terminal that the program may use. A variable names its descriptors. */
  readonly terminal: boolean;
  readonly seccomp: Uint8Array;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly file: string;
  readonly args: readonly string[];
}

/** Returns the text of launcher.pl, which is run by `perl -e` and reads the plan from descriptor 3. */
export function launcherProgram(): string {
  return perlProgram("launcher.pl", import.meta.url);
}

/** Encodes the plan for the launcher: strings are prefixed by their lengths, lists by their counts. */
export function encodePlan(plan: LaunchPlan): Uint8Array {
  const { architecture, rules, terminal, seccomp, cwd, env, file, args } = plan;
  const strings: (string | Uint8Array)[] = [
    ...[
      ...(architecture === "x64" ? [157, 126, 257, 3, 160, 0x2a0000] : [167, 91, 56, 57, 164, 0x288000]),
      ...[rules.attributeBytes, rules.handledFiles, rules.handledNetwork, rules.scoped],
      terminal ? rules.deviceRights : 0,
    ].map(String),
    ...[seccomp, cwd, file],
    ...list(rules.paths.flatMap(({ rights, path }) => [String(rights), path])),
    ...list(rules.ports.flatMap(({ rights, port }) => [String(rights), String(port)])),
    ...list(Object.entries(env).flat()),
    ...list(args),
  ];
  return withLength(Buffer.concat(strings.map((string) => withLength(Buffer.from(string)))));
}

function list(strings: readonly string[]): readonly string[] {
  return [String(strings.length), ...strings];
}

function withLength(bytes: Uint8Array): Uint8Array {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
