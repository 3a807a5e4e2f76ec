import { showPath } from "../../lib/show-path.ts";
import type { LaterCalls } from "./later-calls.ts";
import { mergeConflict } from "./merge-conflict.ts";
import type { Conflict, Step, UndoPlan } from "./plan-undo.ts";
import { explainConflict, explainStuck, type Refusal, showCollisions } from "./refusals.ts";
import { type ShowingDesk, whyHidden } from "./show-files.ts";

/** A plan with what could be merged, and what has to be left alone. */
export interface Settled {
  readonly plan: UndoPlan;
  readonly refusals: readonly Refusal[];
  readonly notes: readonly string[];
}

export interface SettlingDesk extends ShowingDesk {
  readonly merge: boolean;
  readonly later: LaterCalls;
}

export async function settleConflicts(plan: UndoPlan, desk: SettlingDesk): Promise<Settled> {
  const refusals: Refusal[] = plan.stuck.map(explainStuck);
  const notes: string[] = [];
  const settled: { readonly phase: number; readonly step: Step }[] = [];
  for (const conflict of plan.conflicts) {
    const { phase, net } = conflict;
    const result = await settle(conflict, desk);
    if (!("step" in result)) refusals.push(result);
    else {
      settled.push({ phase, step: result.step });
      notes.push(...describe(net.path, result));
    }
  }
  return {
    plan: {
      ...plan,
      phases: plan.phases.map(({ steps, move }, index) => ({
        steps: [...steps, ...settled.flatMap(({ phase, step }) => (phase === index ? [step] : []))],
        move,
      })),
    },
    refusals,
    notes,
  };
}

/** What is done about a conflict after all. */
interface Solution {
  readonly step: Step;
  readonly isMerged: boolean;
}

async function settle(conflict: Conflict, desk: SettlingDesk): Promise<Solution | Refusal> {
  const { merge, contents, later } = desk;
  const followed = await later.follow(conflict);
  if ("wanted" in followed) return { step: followed, isMerged: false };
  const refusal = await explainConflict(followed, desk);
  if (!merge || !refusal.isChanged) return refusal;
  const result = await mergeConflict(followed, contents);
  if ("wanted" in result) return { step: result, isMerged: true };
  if ("collisions" in result) {
    const hidden = whyHidden(followed.net.path, desk);
    return { ...refusal, details: hidden ?? showCollisions(result.collisions) };
  }
  return { ...refusal, reason: `${refusal.reason}, and cannot be merged: ${result.why}` };
}

function describe(path: string, { step, isMerged }: Solution): readonly string[] {
  const name = showPath(step.path);
  return [
    ...(step.path === path ? [] : [`${showPath(path)} has the name ${name} by now.`]),
    ...(isMerged ? [`${name} had changed since: merged.`] : []),
  ];
}
