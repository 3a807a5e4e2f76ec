import type { EntryChange } from "../../contract/environment.ts";
import type { EntryState } from "../../contract/history.ts";
import { isSameContent, nothing } from "./entry-states.ts";
import type { Step } from "./plan-undo.ts";

/** The steps of one phase, in the order in which they can be done. */
export interface Work {
  /** Permissions without which nothing could be written. */
  readonly loosened: readonly EntryStep[];
  readonly linksRemoved: readonly EntryStep[];
  /** Files that have to make way for directories, or go together with one: they cannot wait for the others. */
  readonly cleared: readonly Step[];
  readonly directoriesCleared: readonly EntryStep[];
  readonly directoriesMade: readonly EntryStep[];
  /** All or none. */
  readonly files: readonly Step[];
  readonly linksMade: readonly EntryStep[];
  readonly directoriesRemoved: readonly EntryStep[];
  readonly permissions: readonly EntryStep[];
}

export interface EntryStep {
  readonly path: string;
  readonly change: EntryChange;
}

export function orderSteps(steps: readonly Step[]): Work {
  const shallowFirst = steps.toSorted((one, other) => depth(one) - depth(other));
  const deepFirst = shallowFirst.toReversed();
  const files = steps.filter(changesContent);
  const isCrossed = steps.some(({ now, then }) => kindsOf(now, then) in crossings);
  const clears = ({ now, then }: Step) => isCrossed && now.kind === "file" && then.kind !== "file";
  return {
    loosened: shallowFirst.flatMap((step) => entryStep(step, { after: loosen(step) })),
    linksRemoved: steps
      .filter(({ now }) => isLink(now))
      .flatMap((step) => entryStep(step, { after: nothing })),
    cleared: files.filter(clears),
    directoriesCleared: deepFirst
      .filter(({ now, then }) => isDirectory(now) && (then.kind === "file" || isLink(then)))
      .flatMap((step) => entryStep(step, { after: nothing })),
    directoriesMade: shallowFirst
      .filter(({ now, then }) => isDirectory(then) && !isDirectory(now))
      .flatMap((step) => entryStep(step, { before: nothing, after: writable(step.then) })),
    files: files.filter((step) => !clears(step)),
    linksMade: steps
      .filter(({ then }) => isLink(then))
      .flatMap((step) => entryStep(step, { before: nothing })),
    directoriesRemoved: deepFirst
      .filter(({ now, then }) => isDirectory(now) && then.kind === "nothing")
      .flatMap((step) => entryStep(step, {})),
    permissions: deepFirst.flatMap((step) => entryStep(step, { before: settling(step) })),
  };
}

/** Where one kind takes the place of the other, files cannot all change at once. */
const crossings = { "file directory": true, "directory file": true, "directory link": true };

function kindsOf(now: EntryState, then: EntryState): string {
  return `${now.kind} ${then.kind}`;
}

function changesContent({ now, then }: Step): boolean {
  return (now.kind === "file" || then.kind === "file") && !isSameContent(now, then);
}

/** What may not be written now, but will be. */
function loosen(step: Step): EntryState {
  const { now, then } = step;
  const isWritten = now.kind === then.kind && (isDirectory(now) || changesContent(step));
  return isWritten ? writable(now) : now;
}

/** What has the wrong permissions in the end, and is the same otherwise; else what it is to be. */
function settling(step: Step): EntryState {
  const { now, then } = step;
  if (isDirectory(then)) return isDirectory(now) ? loosen(step) : writable(then);
  return isSameContent(now, then) ? now : then;
}

function writable(state: EntryState): EntryState {
  if (state.kind === "directory") return { ...state, mode: state.mode | 0o700 };
  return state.kind === "file" ? { ...state, mode: state.mode | 0o200 } : state;
}

/** None where nothing changes. */
function entryStep(
  { path, now, then }: Step,
  { before = now, after = then }: { readonly before?: EntryState; readonly after?: EntryState },
): readonly EntryStep[] {
  const isSame =
    before.kind === after.kind && (!("mode" in before && "mode" in after) || before.mode === after.mode);
  // Whoever asks sees to it that the two fit together.
  return isSame ? [] : [{ path, change: { before, after } as EntryChange }];
}

function isLink({ kind }: EntryState): boolean {
  return kind === "link";
}

function isDirectory({ kind }: EntryState): boolean {
  return kind === "directory";
}

function depth({ path }: Step): number {
  return path.split("/").length;
}
