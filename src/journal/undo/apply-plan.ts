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

/** Makes a plan true. Answers which directories were left because something else is in them by now. */
export async function applyPlan({ phases }: UndoPlan, context: ApplyContext): Promise<readonly string[]> {
  // All contents are at hand before anything is changed: one that is gone or damaged stops it here.
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
    if (changes.length > 0)
      await environment.change(
        changes,
        staying(
          changes.map(({ path }) => path),
          at,
        ),
      );
  };
  const done: EntryStep[] = [];
  const changeEntries = async (steps: readonly EntryStep[]) => {
    for (const step of steps) {
      await environment.changeEntry(step.path, step.change);
      done.push(step);
    }
  };
  const clearing = await toFileChanges(work.cleared, context.contents);
  // Should the rest fail, these go back.
  const restoring = await toFileChanges(work.cleared.map(reverse), context.contents);
  let isCleared = false;
  try {
    await changeEntries([...work.loosened, ...work.linksRemoved]);
    await changeFiles(clearing);
    isCleared = true;
    await changeEntries([...work.directoriesCleared, ...work.directoriesMade]);
    await changeFiles(files);
  } catch (error) {
    for (const { path, change } of done.reverse())
      await environment.changeEntry(path, inverse(change)).catch(() => {});
    if (isCleared) await changeFiles(restoring, { ...context, signal: undefined }).catch(() => {});
    throw error;
  }
  await changeEntries(work.linksMade);
  const left = await removeEmpty(work.directoriesRemoved, environment);
  await changeEntries(work.permissions);
  return left;
}

/** Removes directories, deepest first, but for those in which something is. */
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
 * How paths are changed, given in their order: only where they were, never behind a link that somebody has put in place
 * of a directory, be it at this very moment. So an undo needs no guard.
 */
function staying(paths: readonly string[], { environment, signal }: ApplyContext): ChangeOptions {
  return {
    signal,
    announce: (effects) => {
      // Directories that are made for them come first.
      const reached = effects.slice(effects.length - paths.length);
      const astray = paths.find(
        (path, index) => reached[index]?.realPath !== join(environment.workspace, path),
      );
      if (astray !== undefined) throw behindLink(dirname(astray));
    },
  };
}

function behindLink(folder: string): ToolError {
  return new ToolError("stale", `${folder} is a link by now, or lies behind one; nothing was undone`, {
    hint: "Put the directory back where it was, or undo what made the link as well.",
  });
}

async function toFileChanges(steps: readonly Step[], contents: Contents): Promise<readonly FileChange[]> {
  const changes: FileChange[] = [];
  for (const { path, now, wanted, hardLinks } of steps) {
    const before = now.kind === "file" ? now.hash : "nothing";
    changes.push(
      wanted.kind === "file"
        ? {
            path,
            before,
            after: await contents.read(wanted.hash).catch((error) => naming(path, error)),
            mode: wanted.mode,
            hardLinks,
          }
        : { path, before, after: "nothing" },
    );
  }
  return changes;
}

/** A content does not know whose it was. */
function naming(path: string, error: unknown): never {
  if (!(error instanceof ToolError) || error.code !== "unavailable") throw error;
  const { code, message, cause } = error;
  throw new ToolError(code, `${showPath(path)} cannot be brought back: ${message}`, {
    hint: "Nothing was undone. Name the other files to undo these; this one can only come from elsewhere, git for example.",
    cause,
  });
}

function reverse(step: Step): Step {
  return { ...step, now: step.wanted.kind === "file" ? step.wanted : nothing, wanted: step.now };
}

function inverse({ before, after }: EntryChange): EntryChange {
  return { before: after, after: before } as EntryChange;
}

/** The steps of one phase, in the order in which they can be done. */
interface Work {
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

interface EntryStep {
  readonly path: string;
  readonly change: EntryChange;
}

function orderSteps(steps: readonly Step[]): Work {
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
