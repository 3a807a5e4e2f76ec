import { monotonicMs } from "../../lib/clock.ts";
import type { Life } from "../../system/process-owner.ts";
import { livingProcesses } from "../../system/run-tree.ts";
import { type MachineUse, machineUse } from "./usage.ts";

// Which cost next to nothing, and are oftener while something has just begun.
const glanceMs = 100;
const youngGlanceMs = 50;
const youngMs = 2000;

/** Who takes part. */
export interface RoundMember {
  readonly begunMs: number;
  /** At the machine as a whole, whether a look at all processes is worth while: "if made" when another makes it. */
  glance(machine: MachineUse): "yes" | "if made" | "no";
  look(round: Round): Promise<void>;
}

/** A look at all processes. */
export interface Round {
  readonly atMs: number;
  readonly machine: MachineUse;
  readonly all: readonly Life[];
}

/** All of this process look together: at the machine as a whole, and, when one must, at every process in it. */
export function joinRounds(member: RoundMember): void {
  members.add(member);
  clearTimeout(timer);
  plan();
}

export function leaveRounds(member: RoundMember): void {
  members.delete(member);
  if (members.size === 0) clearTimeout(timer);
}

const members = new Set<RoundMember>();
let timer: NodeJS.Timeout | undefined;

function plan(): void {
  const youngest = Math.max(...[...members].map(({ begunMs }) => begunMs));
  const pauseMs = monotonicMs() - youngest < youngMs ? youngGlanceMs : glanceMs;
  // Who waits for a command keeps the process running, not who watches it.
  timer = setTimeout(goRound, pauseMs).unref();
}

function goRound(): void {
  const machine = machineUse();
  const wishes = [...members].map((member) => ({ member, wish: member.glance(machine) }));
  if (wishes.some(({ wish }) => wish === "yes")) {
    const round = { atMs: monotonicMs(), machine, all: livingProcesses() };
    for (const { member, wish } of wishes) if (wish !== "no") void member.look(round);
  }
  if (members.size > 0) plan();
}
