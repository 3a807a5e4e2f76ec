/**
 * Makes the same change in one new workspace after the other: undisturbed in the first, then stopped before one step, or
 * with one step that fails, for each step in turn. Prints how it went as JSON (Interruptions).
 * Arguments: a folder, which gets a folder "whole" and one per step, each with a workspace and records; what to
 * interrupt, see makeChange; "stopAt" or "failAt"; what else is wrong, as JSON.
 *
 * With "recover" as the change: the folders are those of an earlier run. In each, the next start is stopped at another step.
 */
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { makeChangeWorld } from "./change-world.ts";
import { type Interference, interfere } from "./interference.ts";
import { makeChange } from "./make-change.ts";

export interface Interruptions {
  /** Steps of the undisturbed change, and the step that failed because of another fault; 0 for none. */
  readonly steps: number;
  readonly failedAt: number;
  /** Whether the change succeeded, for each step. */
  readonly succeeded: readonly boolean[];
}

const [home, act, how, others] = process.argv.slice(2) as [string, string, "stopAt" | "failAt", string];
const always = JSON.parse(others) as Interference;
if (act === "recover") await interruptStarts();
else process.stdout.write(JSON.stringify(await interruptChanges()));

async function interruptChanges(): Promise<Interruptions> {
  const whole = await change("whole", always);
  const succeeded: boolean[] = [];
  for (let step = whole.failedAt + 1; step <= whole.steps; step += 1) {
    succeeded.push((await change(`${step}`, { ...always, [how]: step })).succeeded);
  }
  return { ...whole, succeeded };
}

async function change(name: string, interference: Interference) {
  const folder = join(home, name);
  mkdirSync(folder);
  makeChangeWorld(folder);
  return interrupted(folder, interference);
}

async function interruptStarts(): Promise<void> {
  for (const name of readdirSync(home)) {
    // A start has about 25 steps at most.
    if (name !== "whole") await interrupted(join(home, name), { stopAt: 1 + (Number(name) % 25) });
  }
}

async function interrupted(folder: string, interference: Interference) {
  const stop = interfere(interference);
  // Not closed, because a killed process closes nothing either.
  const succeeded = await makeChange(folder, act).then(
    () => true,
    () => false,
  );
  return { ...stop(), succeeded };
}
