import type { EntryChange } from "../../contract/environment.ts";
import type { EntryState } from "../../contract/history.ts";
import { isSameContent, liesIn, nothing } from "../entry-states.ts";
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
  const replaced = steps.filter(isReplaced).map(({ path }) => path);
  const isCrossed = steps.some(({ now, wanted }) => kindsOf(now, wanted) in crossings);
  const clears = ({ now, wanted }: Step) => isCrossed && now.kind === "file" && wanted.kind !== "file";
  return {
    loosened: shallowFirst.flatMap((step) => entryStep(step, { after: loosen(step) })),
    linksRemoved: steps
      .filter(({ now }) => isLink(now))
      .flatMap((step) => entryStep(step, { after: nothing })),
    cleared: files.filter(clears),
    directoriesCleared: deepFirst
      .filter((step) => isReplaced(step) || (goes(step) && liesIn(step.path, replaced)))
      .flatMap((step) => entryStep(step, { before: loosen(step), after: nothing })),
    directoriesMade: shallowFirst
      .filter(({ now, wanted }) => isDirectory(wanted) && !isDirectory(now))
      .flatMap((step) => entryStep(step, { before: nothing, after: writable(step.wanted) })),
    files: files.filter((step) => !clears(step)),
    linksMade: steps
      .filter(({ wanted }) => isLink(wanted))
      .flatMap((step) => entryStep(step, { before: nothing })),
    directoriesRemoved: deepFirst
      .filter((step) => goes(step) && !liesIn(step.path, replaced))
      .flatMap((step) => entryStep(step, { before: loosen(step) })),
    permissions: deepFirst.flatMap((step) => entryStep(step, { before: settling(step) })),
  };
}

/** Where one kind takes the place of the other, files cannot all change at once. */
const crossings = { "file directory": true, "directory file": true, "directory link": true };

/** A directory in whose place something else comes. */
function isReplaced({ now, wanted }: Step): boolean {
  return isDirectory(now) && (wanted.kind === "file" || isLink(wanted));
}

/** A directory that goes, if nothing is in it. */
function goes({ now, wanted }: Step): boolean {
  return isDirectory(now) && wanted.kind === "nothing";
}

function kindsOf(now: EntryState, wanted: EntryState): string {
  return `${now.kind} ${wanted.kind}`;
}

function changesContent({ now, wanted }: Step): boolean {
  return (now.kind === "file" || wanted.kind === "file") && !isSameContent(now, wanted);
}

/** What may not be written now, but will be: a file, or a directory, also one that is emptied to go. */
function loosen(step: Step): EntryState {
  const { now, wanted } = step;
  const isWritten = isDirectory(now) || (now.kind === wanted.kind && changesContent(step));
  return isWritten ? writable(now) : now;
}

/** What has the wrong permissions in the end, and is the same otherwise; else what it is to be. */
function settling(step: Step): EntryState {
  const { now, wanted } = step;
  if (isDirectory(wanted)) return isDirectory(now) ? loosen(step) : writable(wanted);
  return isSameContent(now, wanted) ? now : wanted;
}

function writable(state: EntryState): EntryState {
  if (state.kind === "directory") return { ...state, mode: state.mode | 0o700 };
  return state.kind === "file" ? { ...state, mode: state.mode | 0o200 } : state;
}

/** None where nothing changes. */
function entryStep(
  { path, now, wanted }: Step,
  { before = now, after = wanted }: { readonly before?: EntryState; readonly after?: EntryState },
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
