import type { SandboxLevel } from "../../contract/account.ts";
import { explainClosedPlaces } from "./closed-places.ts";
import { explainNoNetwork } from "./no-network.ts";

/** A command that has run in a sandbox. */
export interface ConfinedRun {
  readonly command: string;
  /** What it said on both outputs, or the end of that. */
  readonly output: string;
  /** Null when it was ended. */
  readonly exitCode: number | null;
  readonly sandbox: SandboxLevel;
  /** There is a host that it could reach. */
  readonly hasNetwork: boolean;
}

/** Where a command failed because it was confined: which rule, or which way, lets it do what it tried. */
export function explainConfinedFailure(run: ConfinedRun): readonly string[] {
  const { command, exitCode, sandbox, hasNetwork } = run;
  if (sandbox === "none") return [];
  const said = run.output.slice(-longestOutput);
  // A pipe hides the failure of its first part; and who only reads of failures has not failed.
  const output = exitCode === 0 ? complaintsIn(said) : said;
  const offline = hasNetwork ? undefined : explainNoNetwork({ command, output, exitCode });
  return [...(offline === undefined ? [] : [offline]), ...explainClosedPlaces(output, sandbox)];
}

function complaintsIn(output: string): string {
  return output
    .split("\n")
    .filter((line) => complaint.test(line))
    .join("\n");
}

const complaint =
  /^(?:curl: \(\d+\)|fatal: |npm (?:error|ERR!)|ssh: |wget: |error: |ERROR: |[EW]: |\S*bash: )/;

const longestOutput = 32 * 1024;
