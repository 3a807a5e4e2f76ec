import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { EntryState } from "../../contract/history.ts";
import { type Collision, mergeContents } from "../../edit/merge.ts";
import { showPath } from "../../lib/text/printable.ts";
import { isSameContent } from "../entry-states.ts";
import type { Contents } from "./contents.ts";
import type { Phase } from "./net-changes.ts";
import { type Conflict, type Present, type Step, toStep, type UndoPlan } from "./plan-undo.ts";
import { explainConflict, explainStuck, type Refusal, showCollisions } from "./refusals.ts";
import type { LaterCalls, UndoScope } from "./select-calls.ts";
import { type ShowContext, whyHidden } from "./show-change.ts";

/** A plan with merged conflicts, and the refused paths. */
export interface Settled {
  readonly plan: UndoPlan;
  readonly refusals: readonly Refusal[];
  readonly notes: readonly string[];
}

interface SettleContext extends ShowContext {
  readonly merge: boolean;
  readonly later: LaterCalls;
}

export async function settleConflicts(plan: UndoPlan, context: SettleContext): Promise<Settled> {
  const refusals: Refusal[] = plan.stuck.map(explainStuck);
  const notes: string[] = [];
  const settled: { readonly phase: number; readonly step: Step }[] = [];
  for (const conflict of plan.conflicts) {
    const { phase, net } = conflict;
    const result = await settle(conflict, context);
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

interface Solution {
  readonly step: Step;
  readonly isMerged: boolean;
}

async function settle(conflict: Conflict, context: SettleContext): Promise<Solution | Refusal> {
  const { merge, contents, later } = context;
  const followed = await later.follow(conflict);
  if ("wanted" in followed) return { step: followed, isMerged: false };
  const refusal = await explainConflict(followed, context);
  if (!merge || !refusal.isChanged) return refusal;
  const result = await mergeConflict(followed, contents);
  if ("wanted" in result) return { step: result, isMerged: true };
  if ("collisions" in result) {
    const hidden = whyHidden(followed.net.path, context);
    return { ...refusal, details: hidden ?? showCollisions(result.collisions) };
  }
  return { ...refusal, reason: `${refusal.reason}, and cannot be merged: ${result.why}` };
}

function describe(path: string, { step, isMerged }: Solution): readonly string[] {
  const name = showPath(step.path);
  return [
    ...(step.path === path ? [] : [`${showPath(path)} is now named ${name}.`]),
    ...(isMerged ? [`${name} had changed since; merged.`] : []),
  ];
}

type Merged = Step | { readonly collisions: readonly Collision[] } | { readonly why: string };

/** Removes the changes from a file that has other changes too, by merging the difference from `after` to `before`. */
async function mergeConflict({ net, now, pieces }: Conflict, contents: Contents): Promise<Merged> {
  if (now?.kind !== "file") return { why: "there is no file to merge with" };
  let merged: FileState = now;
  for (const piece of pieces) {
    const { before, after } = piece;
    if (before.kind !== "file" || after.kind !== "file") return { why: "only files can be merged" };
    const mode = mergeModes(after.mode, merged.mode, before.mode);
    if (mode === undefined) return { why: "its permissions were also changed" };
    const content = await mergePiece({ before, after, merged }, contents);
    if (!("kind" in content)) return content;
    merged = { ...content, mode };
  }
  return toStep(net, now, merged);
}

type FileState = Extract<EntryState, { readonly kind: "file" }>;

async function mergePiece(
  { before, after, merged }: Record<"before" | "after" | "merged", FileState>,
  contents: Contents,
): Promise<FileState | Exclude<Merged, Step>> {
  if (isSameContent(merged, after)) return before;
  if (isSameContent(before, after)) return merged;
  const [base, ours, theirs] = await Promise.all(
    [after, merged, before].map((state) => contents.peek(state)),
  );
  if (isMissing(base) || isMissing(ours) || isMissing(theirs))
    return { why: "its content is no longer stored or is too large to merge" };
  const merge = mergeContents(base, ours, theirs);
  if (merge.kind === "binary") return { why: "it is not text" };
  if (merge.kind === "collides") return { collisions: merge.collisions };
  return contents.add(merge.content, merged.mode) as FileState;
}

function isMissing(content: Uint8Array | "nothing" | undefined): content is "nothing" | undefined {
  return content === undefined || content === "nothing";
}

/** Merges the permissions of both sides; undefined when they conflict. */
function mergeModes(base: number, ours: number, theirs: number): number | undefined {
  if (base === theirs || ours === theirs) return ours;
  return ours === base ? theirs : undefined;
}

interface ReadContext {
  readonly environment: Environment;
  readonly contents: Contents;
  readonly scope: UndoScope;
}

/** Reads the current state of every path of the phases. */
export async function readStates(
  phases: readonly Phase[],
  context: ReadContext,
  signal: AbortSignal | undefined,
): Promise<Present> {
  const { contents } = context;
  const states = new Map<string, ReturnType<Present["state"]>>();
  const names = phases.flatMap(({ nets, move }) => [
    ...nets.map(({ currentName: present }) => present),
    move?.currentFrom,
    move?.currentTo,
  ]);
  for (const name of names) {
    if (name === undefined || states.has(name)) continue;
    const state = await stateAt(name, context, signal);
    states.set(name, state);
    if ("kind" in state) contents.note(name, state);
  }
  return {
    state: (name) => states.get(name) ?? { kind: "nothing" },
    has: (hash) => contents.has(hash),
  };
}

export async function stateAt(
  name: string,
  { environment, scope }: Pick<ReadContext, "environment" | "scope">,
  signal: AbortSignal | undefined,
): Promise<ReturnType<Present["state"]>> {
  const refusal = scope.refuses?.(name);
  if (refusal !== undefined) return { unreadable: `it ${refusal}; only the user may undo that` };
  try {
    return await environment.state(name, { signal });
  } catch (error) {
    if (!(error instanceof ToolError) || notAboutTheFile.has(error.code)) throw error;
    return { unreadable: error.message };
  }
}

/** With "unavailable", the target cannot be reached: the next attempt may succeed. */
const notAboutTheFile: ReadonlySet<string> = new Set(["cancelled", "timeout", "unavailable"]);
