import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SandboxReport } from "../../contract/environment.ts";
import { type Attack, attacks as usual } from "./attacks.ts";
import type { Lab } from "./lab.ts";

/** The result of one attack. */
export interface Proof {
  readonly promise: string;
  /** "open": the attack succeeded. "not promised": it succeeded or was not tried, and the level declares the gap. */
  readonly outcome: "enforced" | "open" | "not promised" | "not tried";
  /** The reason why the attack was not tried, or the declared gap. */
  readonly reason?: string;
}

interface ProofOptions {
  readonly lab: Lab;
  readonly report: SandboxReport;
  /** Runs a command in the workspace of the lab, in the same way as a tool does, and waits for its end. */
  readonly run: (command: string) => Promise<void>;
  readonly attacks?: readonly Attack[];
  readonly progress?: (promise: string) => void;
}

/** Tries the attacks one after the other, and checks their effects. */
export async function proveBoundary(options: ProofOptions): Promise<readonly Proof[]> {
  const { attacks = usual, progress } = options;
  const proofs: Proof[] = [];
  for (const attack of attacks) {
    progress?.(attack.promise);
    proofs.push(await prove(attack, options));
  }
  return proofs;
}

async function prove(attack: Attack, { lab, report, run }: ProofOptions): Promise<Proof> {
  const { promise, gap } = attack;
  if (report.level === "none" && !attack.isAlwaysPromised)
    return { promise, outcome: "not promised", reason: report.gaps[0] ?? "" };
  if (lab.home === undefined && attack.needs === "home")
    return { promise, outcome: "not tried", reason: "The home directory cannot be written." };
  const loot = await runAttack(attack, lab, run);
  if (loot === undefined) return { promise, outcome: "not tried", reason: "perl is not installed." };
  if (!(await attack.hasSucceeded(lab, loot))) return { promise, outcome: "enforced" };
  if (gap !== undefined && report.gaps.includes(gap))
    return { promise, outcome: "not promised", reason: gap };
  return { promise, outcome: "open" };
}

/** Runs an attack and returns its output; undefined without perl. Files keep it from rules and redaction. */
async function runAttack(attack: Attack, lab: Lab, run: ProofOptions["run"]): Promise<string | undefined> {
  const [script, loot] = ["attack", "loot"].map((name) => join(lab.workspace, name)) as [string, string];
  const needsPerl = attack.needs === "perl";
  const lines = ["exec > loot 2>&1", attack.script(lab)];
  if (needsPerl) lines.splice(1, 0, "perl -e 0 || exit", "echo begun");
  writeFileSync(script, `${lines.join("\n")}\n`);
  rmSync(loot, { force: true });
  await run("bash attack");
  // Data that the attack sent arrives in the next turns of the event loop.
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  if (!existsSync(loot)) throw new Error(`The attack did not run: ${attack.promise}`);
  const output = readFileSync(loot, "latin1");
  return needsPerl && !output.includes("begun") ? undefined : output;
}
