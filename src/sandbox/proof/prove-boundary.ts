import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SandboxReport } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { isOnPath } from "../../system/is-on-path.ts";
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

/** The machine that is attacked. Attacks are named by the promise that they break. */
export interface AttackedMachine {
  /** Writes the script of an attack to the file `attack` in the workspace. */
  prepare(promise: string): Promise<"ready" | "no home">;
  /** Checks the effects of an attack that has run. */
  judge(promise: string): Promise<Judgement>;
}

type Judgement = "failed" | "succeeded" | "no bash" | "no perl";

interface ProofOptions {
  readonly machine: AttackedMachine;
  readonly report: SandboxReport;
  /** Runs a command in the workspace of the machine, in the same way as a tool does, and waits for its end. */
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

async function prove(attack: Attack, { machine, report, run }: ProofOptions): Promise<Proof> {
  const { promise, gap } = attack;
  if (report.level === "none" && !attack.isAlwaysPromised)
    return { promise, outcome: "not promised", reason: report.gaps[0] ?? "" };
  if ((await machine.prepare(promise)) === "no home")
    return { promise, outcome: "not tried", reason: "The home directory cannot be written." };
  await run("bash attack");
  const judgement = await machine.judge(promise);
  if (judgement === "no bash" || judgement === "no perl")
    return { promise, outcome: "not tried", reason: `${judgement.slice(3)} is not installed.` };
  if (judgement === "failed") return { promise, outcome: "enforced" };
  if (gap !== undefined && report.gaps.includes(gap))
    return { promise, outcome: "not promised", reason: gap };
  return { promise, outcome: "open" };
}

/** The machine of a lab. Scripts and loot are files, which keeps them from rules and redaction. */
export class LabMachine implements AttackedMachine {
  readonly #lab: Lab;
  readonly #attacks: readonly Attack[];

  constructor(lab: Lab, attacks: readonly Attack[] = usual) {
    this.#lab = lab;
    this.#attacks = attacks;
  }

  async prepare(promise: string): Promise<"ready" | "no home"> {
    const { needs, script } = this.#find(promise);
    if (this.#lab.home === undefined && needs === "home") return "no home";
    const lines = ["exec > loot 2>&1", script(this.#lab)];
    if (needs === "perl") lines.splice(1, 0, "perl -e 0 || exit", "echo begun");
    writeFileSync(join(this.#lab.workspace, "attack"), `${lines.join("\n")}\n`);
    rmSync(this.#loot, { force: true });
    return "ready";
  }

  async judge(promise: string): Promise<Judgement> {
    const { needs, hasSucceeded } = this.#find(promise);
    // Data that the attack sent arrives in the next turns of the event loop.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    if (!existsSync(this.#loot)) {
      if (!isOnPath("bash")) return "no bash";
      throw new ToolError("internal", `The attack did not run: ${promise}`);
    }
    const loot = readFileSync(this.#loot, "latin1");
    if (needs === "perl" && !loot.includes("begun")) return "no perl";
    return (await hasSucceeded(this.#lab, loot)) ? "succeeded" : "failed";
  }

  get #loot(): string {
    return join(this.#lab.workspace, "loot");
  }

  #find(wanted: string): Attack {
    const attack = this.#attacks.find(({ promise }) => promise === wanted);
    if (attack === undefined) throw new Error(`There is no such attack: ${wanted}`);
    return attack;
  }
}
