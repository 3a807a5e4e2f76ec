import { showPath } from "../../text/show-path.ts";
import type { Contents } from "./contents.ts";
import { mergeConflict } from "./merge-conflict.ts";
import type { Step, UndoPlan } from "./plan-undo.ts";
import { explainConflict, explainStuck, type Refusal, showCollisions, type WhoElse } from "./refusals.ts";

/** A plan with what could be merged, and what has to be left alone. */
export interface Settled {
  readonly plan: UndoPlan;
  readonly refusals: readonly Refusal[];
  readonly notes: readonly string[];
}

export async function settleConflicts(
  plan: UndoPlan,
  {
    merge,
    contents,
    whoElse,
  }: { readonly merge: boolean; readonly contents: Contents; readonly whoElse: WhoElse },
): Promise<Settled> {
  const refusals: Refusal[] = plan.stuck.map(explainStuck);
  const merged: { readonly phase: number; readonly step: Step }[] = [];
  for (const conflict of plan.conflicts) {
    const refusal = await explainConflict(conflict, contents, whoElse);
    const result = merge && refusal.isChanged ? await mergeConflict(conflict, contents) : undefined;
    if (result === undefined) refusals.push(refusal);
    else if ("path" in result) merged.push({ phase: conflict.phase, step: result });
    else if ("collisions" in result)
      refusals.push({ ...refusal, details: showCollisions(result.collisions) });
    else refusals.push({ ...refusal, reason: `${refusal.reason}, and cannot be merged: ${result.why}` });
  }
  return {
    plan: {
      ...plan,
      phases: plan.phases.map(({ steps, move }, index) => ({
        steps: [...steps, ...merged.flatMap(({ phase, step }) => (phase === index ? [step] : []))],
        move,
      })),
    },
    refusals,
    notes: merged.map(({ step: { path } }) => `${showPath(path)} had changed since: merged.`),
  };
}
