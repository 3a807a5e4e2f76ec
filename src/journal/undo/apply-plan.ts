import { dirname, join } from "node:path/posix";
import type { ChangeOptions, EntryChange, Environment, FileChange } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { EntryState } from "../../contract/history.ts";
import { showPath } from "../../lib/text/printable.ts";
import { isSameContent, liesIn, nothing } from "../entry-states.ts";
import type { Contents } from "./contents.ts";
import type { Step, UndoPlan } from "./plan-undo.ts";

interface ApplyContext {
  readonly environment: Environment;
  readonly contents: Contents;
  readonly signal?: AbortSignal | undefined;
}

/** Applies a plan. Returns the directories that were not removed because they are not empty. */
export async function applyPlan({ phases }: UndoPlan, context: ApplyContext): Promise<readonly string[]> {
  // All contents are read before anything is changed, so a missing or damaged one stops the undo here.
  const prepared = [];
  for (const { steps, move } of phases) {
    const work = orderSteps(steps);
    prepared.push({ work, move, files: await toFileChanges(work.files, context.contents) });
  }
  const left: string[] = [];
  for (const { work, files, move } of prepared) {
    left.push(...(await applyWork(work, files, context)));
    if (move) await context.environment.move(move.to, move.from, staying([move.to, move.from], context));
  }
  return left;
}

async function applyWork(
  work: Work,
  files: readonly FileChange[],
  context: ApplyContext,
): Promise<readonly string[]> {
  const { environment } = context;
  const changeFiles = async (changes: readonly FileChange[], at: ApplyContext = context) => {
    const paths = changes.map(({ path }) => path);
    if (paths.length > 0) await environment.change(changes, staying(paths, at));
  };
  const done: EntryStep[] = [];
  const changeEntries = async (steps: readonly EntryStep[]) => {
    for (const step of steps) {
      await environment.changeEntry(step.path, step.change);
      done.push(step);
    }
  };
  const clearing = await toFileChanges(work.cleared, context.contents);
  // Restores the files when a later step fails.
  const restoring = await toFileChanges(work.cleared.map(reverse), context.contents);
  let isCleared = false;
  try {
    await changeEntries([...work.loosened, ...work.linksRemoved]);
    await changeFiles(clearing);
    isCleared = true;
    await changeEntries([...work.directoriesCleared, ...work.directoriesMade]);
    await changeFiles(files);
  } catch (error) {
    for (const { path, change } of done.reverse()) {
      const inverse = { before: change.after, after: change.before } as EntryChange;
      await environment.changeEntry(path, inverse).catch(() => {});
    }
    if (isCleared) await changeFiles(restoring, { ...context, signal: undefined }).catch(() => {});
    throw error;
  }
  await changeEntries(work.linksMade);
  const left = await removeEmpty(work.directoriesRemoved, environment);
  await changeEntries(work.permissions);
  return left;
}

/** Removes directories, deepest first, except those that are not empty. */
async function removeEmpty(
  steps: readonly EntryStep[],
  environment: Environment,
): Promise<readonly string[]> {
  const left: string[] = [];
  for (const { path, change } of steps) {
    try {
      await environment.changeEntry(path, change);
    } catch (error) {
      if (!(error instanceof ToolError && error.code === "stale")) throw error;
      left.push(path);
    }
  }
  return left;
}

/**
 * Returns options that change these paths only at their recorded location, never behind a link that has replaced a
 * directory, even if it is replaced right now. Therefore an undo needs no guard. `paths` are in the order of the
 * changes.
 */
function staying(paths: readonly string[], { environment, signal }: ApplyContext): ChangeOptions {
  return {
    signal,
    announce: (effects) => {
      // Directories that are created for the files come first.
      const reached = effects.slice(effects.length - paths.length);
      const isAstray = (path: string, at: number) =>
        reached[at]?.realPath !== join(environment.workspace, path);
      const astray = paths.find(isAstray);
      if (astray === undefined) return;
      const message = `Nothing was undone: ${dirname(astray)} is now a link or is behind one`;
      const hint = "Restore the directory, or also undo the call that made the link.";
      throw new ToolError("stale", message, { hint });
    },
  };
}

async function toFileChanges(steps: readonly Step[], contents: Contents): Promise<readonly FileChange[]> {
  const changes: FileChange[] = [];
  for (const { path, now, wanted, hardLinks } of steps) {
    const before = now.kind === "file" ? now.hash : "nothing";
    if (wanted.kind !== "file") changes.push({ path, before, after: "nothing" });
    else {
      const after = await contents.read(wanted.hash).catch((error) => namePath(path, error));
      changes.push({ path, before, after, mode: wanted.mode, hardLinks });
    }
  }
  return changes;
}

/** Adds the path to the error of a missing content. */
function namePath(path: string, error: unknown): never {
  if (!(error instanceof ToolError) || error.code !== "unavailable") throw error;
  const { code, message, cause } = error;
  throw new ToolError(code, `Nothing was undone: ${showPath(path)} cannot be restored: ${message}`, {
    hint: "Undo the other files by their paths, and restore this one from another source, such as git.",
    cause,
  });
}

function reverse(step: Step): Step {
  return { ...step, now: step.wanted.kind === "file" ? step.wanted : nothing, wanted: step.now };
}

interface Work {
  /** Changes of permissions that writing needs. */
  readonly loosened: readonly EntryStep[];
  readonly linksRemoved: readonly EntryStep[];
  /** Files that must be removed first, because a directory replaces them or is removed with them. */
  readonly cleared: readonly Step[];
  readonly directoriesCleared: readonly EntryStep[];
  readonly directoriesMade: readonly EntryStep[];
  /** Files that are changed together or not at all. */
  readonly files: readonly Step[];
  readonly linksMade: readonly EntryStep[];
  readonly directoriesRemoved: readonly EntryStep[];
  readonly permissions: readonly EntryStep[];
}

interface EntryStep {
  readonly path: string;
  readonly change: EntryChange;
}

function orderSteps(steps: readonly Step[]): Work {
  const shallowFirst = steps.toSorted((one, other) => depth(one) - depth(other));
  const deepFirst = shallowFirst.toReversed();
  const files = steps.filter(changesContent);
  const replaced = steps.filter(isReplaced).map(({ path }) => path);
  const isCrossed = steps.some(({ now, wanted }) => `${now.kind} ${wanted.kind}` in crossings);
  const clears = ({ now, wanted }: Step) => isCrossed && now.kind === "file" && wanted.kind !== "file";
  return {
    loosened: shallowFirst.flatMap((step) => entryStep(step, { after: loosen(step) })),
    linksRemoved: steps
      .filter(({ now }) => isLink(now))
      .flatMap((step) => entryStep(step, { after: nothing })),
    cleared: files.filter(clears),
    directoriesCleared: deepFirst
      .filter((step) => isReplaced(step) || (isRemoved(step) && liesIn(step.path, replaced)))
      .flatMap((step) => entryStep(step, { before: loosen(step), after: nothing })),
    directoriesMade: shallowFirst
      .filter(({ now, wanted }) => isDirectory(wanted) && !isDirectory(now))
      .flatMap((step) => entryStep(step, { before: nothing, after: writable(step.wanted) })),
    files: files.filter((step) => !clears(step)),
    linksMade: steps
      .filter(({ wanted }) => isLink(wanted))
      .flatMap((step) => entryStep(step, { before: nothing })),
    directoriesRemoved: deepFirst
      .filter((step) => isRemoved(step) && !liesIn(step.path, replaced))
      .flatMap((step) => entryStep(step, { before: loosen(step) })),
    permissions: deepFirst.flatMap((step) => entryStep(step, { before: settling(step) })),
  };
}

/** Replacements that prevent changing all files at once. */
const crossings = { "file directory": true, "directory file": true, "directory link": true };

function isReplaced({ now, wanted }: Step): boolean {
  return isDirectory(now) && (wanted.kind === "file" || isLink(wanted));
}

/** Recognizes a directory that is removed if it is empty. */
function isRemoved({ now, wanted }: Step): boolean {
  return isDirectory(now) && wanted.kind === "nothing";
}

function changesContent({ now, wanted }: Step): boolean {
  return (now.kind === "file" || wanted.kind === "file") && !isSameContent(now, wanted);
}

/** Returns the current state, with write permission for files that the undo writes and directories that it changes. */
function loosen(step: Step): EntryState {
  const { now, wanted } = step;
  const isWritten = isDirectory(now) || (now.kind === wanted.kind && changesContent(step));
  return isWritten ? writable(now) : now;
}

/** Returns the state before the permissions are finally changed. */
function settling(step: Step): EntryState {
  const { now, wanted } = step;
  if (isDirectory(wanted)) return isDirectory(now) ? loosen(step) : writable(wanted);
  return isSameContent(now, wanted) ? now : wanted;
}

function writable(state: EntryState): EntryState {
  if (state.kind === "directory") return { ...state, mode: state.mode | 0o700 };
  return state.kind === "file" ? { ...state, mode: state.mode | 0o200 } : state;
}

/** Returns the step for an entry; none when nothing changes. */
function entryStep(
  { path, now, wanted }: Step,
  { before = now, after = wanted }: { readonly before?: EntryState; readonly after?: EntryState },
): readonly EntryStep[] {
  const isSame =
    before.kind === after.kind && (!("mode" in before && "mode" in after) || before.mode === after.mode);
  // The type assertion is safe, because callers pass states that fit together.
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
