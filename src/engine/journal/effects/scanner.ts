import type { Outcome, ToolCall } from "../../../contract/call.ts";
import type { ChangedRepository, Effects, EffectWatch, NotCompared } from "../../../contract/effects.ts";
import type { Environment } from "../../../contract/environment.ts";
import { errorWith, ToolError } from "../../../contract/error.ts";
import type { Change, EntryState } from "../../../contract/history.ts";
import type { Blobs } from "../../../journal/blobs.ts";
import { isSameState, liesIn } from "../../../journal/entry-states.ts";
import type { Journal } from "../../../journal/journal.ts";
import type { RecordedChange } from "../../../journal/record.ts";
import { counted } from "../../../lib/text/format-quantity.ts";
import { showPath } from "../../../lib/text/printable.ts";
import { describeIgnored } from "./describe-ignored.ts";
import { cannotWatch, endedScan, forgetEndedScan, incompleteIn, storeEndedScan } from "./ended-scan.ts";
import { findChanges } from "./find-changes.ts";
import { type KeepLimits, keepContents, notCopied, usualKeepLimits } from "./keep-contents.ts";
import { type PendingCall, PendingCalls } from "./pending-calls.ts";

/** Finds the changes that commands make in the workspace, and stores what an undo of them needs. */
export interface Scanner {
  /**
   * Runs a call that starts programs, then records what it created, changed or removed in the workspace. Adds effects
   * that undo does not cover to `call.account.notCovered` and to the text of the outcome. Fails before anything runs
   * when the disk has no space for the content that the call may change.
   */
  around(call: ToolCall, next: (call: ToolCall) => Promise<Outcome>): Promise<Outcome>;
  /** Why changes by commands are not determined in this workspace; undefined when they are, as far as is known. */
  readonly incomplete: string | undefined;
  /** Completes the scans of ended processes, including unrecorded changes since. Returns the calls. */
  settle(): Promise<readonly string[]>;
}

export interface ScannerParts {
  readonly environment: Environment;
  readonly journal: Pick<Journal, "append" | "change" | "changesAfter" | "records">;
  readonly blobs: Blobs;
  /** A private folder, created on first use. */
  readonly folder: string;
  /** Stops programs that ended processes have left running, because their further changes would belong to no call. */
  readonly endAbandoned?: () => Promise<void>;
  /** Absolute paths of Toolcrib's own files in the workspace. */
  readonly without?: readonly string[];
  readonly limits?: Partial<ScanLimits>;
}

interface ScanLimits extends KeepLimits {
  /** Above this number of files and folders, changes are not determined. */
  readonly maxEntries: number;
  /** The time of the scan before a command. */
  readonly maxLookMs: number;
  /** After a scan that a limit has ended, none is tried for this time. */
  readonly lookPauseMs: number;
}

const usualLimits: ScanLimits = {
  ...usualKeepLimits,
  maxEntries: 200_000,
  maxLookMs: 60_000,
  lookPauseMs: 600_000,
};

export function openScanner(parts: ScannerParts): Scanner {
  return new ChangeScanner(parts);
}

class ChangeScanner implements Scanner {
  readonly #parts: ScannerParts;
  readonly #limits: ScanLimits;
  readonly #pending: PendingCalls;
  /** The keys of the remarks that a result has shown. */
  readonly #mentioned = new Set<string>();

  constructor(parts: ScannerParts) {
    this.#parts = parts;
    this.#limits = { ...usualLimits, ...parts.limits };
    this.#pending = new PendingCalls(parts.folder);
  }

  async around(call: ToolCall, next: (call: ToolCall) => Promise<Outcome>): Promise<Outcome> {
    await this.settle();
    const begun = await this.#begin(call);
    if (typeof begun === "string") {
      const remark = { key: begun, text: `changes by its commands (${begun})` };
      return reportUncovered(call, next(call), [], this.#aside([], [remark]));
    }
    const outliving: Promise<unknown>[] = [];
    const running = next({
      ...call,
      outlivedBy: (work) => {
        outliving.push(work);
        call.outlivedBy(work);
      },
    });
    await running.catch(() => {});
    const { uncovered, folders } = await this.#end(begun);
    if (folders.unknown.length > 0) call.account.unseenFolders = folders.unknown;
    if (outliving.length > 0) call.outlivedBy(this.#endAgain(call, outliving));
    return reportUncovered(call, running, uncovered, this.#aside(folders.changed, remarksAbout(begun)));
  }

  get incomplete(): string | undefined {
    return incompleteIn(this.#parts);
  }

  async settle(): Promise<readonly string[]> {
    const { environment, endAbandoned, without = [], folder } = this.#parts;
    if (environment.watchEffects === undefined) return [];
    await endAbandoned?.();
    const settled: string[] = [];
    for (const pending of this.#pending.takeOver()) {
      const watch = await environment.resumeEffects?.(pending.callId, { without: [...without, folder] });
      if (watch === undefined) this.#pending.done(pending.callId);
      else await this.#end({ ...pending, watch, reasons: new Map() });
      settled.push(pending.callId);
    }
    return settled;
  }

  /** Returns the reason when changes are not determined. */
  async #begin(call: ScannedCall): Promise<Begun | string> {
    const { journal, environment, blobs } = this.#parts;
    if (environment.watchEffects === undefined) return cannotWatch;
    const watch = await this.#watchInTime(call);
    if (typeof watch === "string") return watch;
    const { hashes, reasons } = await keepContents(watch, call, { environment, blobs, limits: this.#limits });
    const pending = { callId: call.id, sequence: journal.append("scan", { callId: call.id }) };
    this.#pending.add(pending);
    await watch.keep(hashes);
    return { ...pending, watch, reasons };
  }

  /** Returns a watch, or the reason why there is none. After a scan that a limit has ended, none is tried for a while. */
  async #watchInTime({ id, signal }: ScannedCall): Promise<EffectWatch | string> {
    const { environment, journal, without = [], folder } = this.#parts;
    const { maxEntries, maxLookMs, lookPauseMs } = this.#limits;
    const ended = endedScan(folder, lookPauseMs);
    if (ended !== undefined) return ended;
    const limit = AbortSignal.timeout(maxLookMs);
    try {
      const watch = await environment.watchEffects!({
        id,
        without: [...without, folder],
        storedSince: journal.records("collected").at(-1)?.sequence ?? 0,
        maxEntries,
        signal: AbortSignal.any([signal, limit]),
      });
      forgetEndedScan(folder);
      return watch;
    } catch (error) {
      const isTooMuch = error instanceof ToolError && error.code === "too-large";
      if (signal.aborted || !(isTooMuch || limit.aborted)) throw error;
      const many = `there are more than ${maxEntries.toLocaleString("en")} files and folders`;
      const why = isTooMuch ? many : "scanning them takes too long";
      storeEndedScan(folder, why);
      return why;
    }
  }

  /** Returns what undo does not cover. Never throws, because a call that has run can no longer fail. */
  async #end(begun: Begun): Promise<Ended> {
    try {
      return await this.#record(begun);
    } catch (error) {
      const folders = { changed: [], unknown: [] };
      return { uncovered: [`changes by its commands (${(error as Error).message})`], folders };
    }
  }

  async #record({ callId, sequence, watch, reasons }: Begun): Promise<Ended> {
    const { journal, environment, blobs } = this.#parts;
    const { differences, notCompared, folders, repositories } = await watch.end();
    const { changes, hashes } = await findChanges(differences, { environment, blobs, reasons });
    journal.change(callId, withoutOthers(changes, journal.changesAfter(sequence), blobs));
    await watch.discard(hashes);
    this.#pending.done(callId);
    const uncovered = new Map<string, string>();
    for (const [path, reason] of notCompared) uncovered.set(path, whyNotCompared[reason]);
    for (const { path, lost } of changes) if (lost !== undefined) uncovered.set(path, lost);
    return {
      uncovered: [
        ...Array.from(uncovered, ([path, why]) => showUncovered(path, why)),
        ...repositories.map(describeRepository),
      ],
      folders,
    };
  }

  /** Scans again for work that continues after the call has ended. */
  async #endAgain(call: ToolCall, work: readonly Promise<unknown>[]): Promise<void> {
    const begun = await this.#begin({ ...call, signal: new AbortController().signal });
    await Promise.allSettled(work);
    if (typeof begun !== "string") await this.#end(begun);
  }

  /** Describes what results mention once, although it is recorded every time. */
  #aside(folders: readonly string[], remarks: readonly Remark[]): Aside {
    const sentences = (named: readonly string[], others: readonly Remark[]) => [
      ...(named.length === 0 ? [] : [describeIgnored(named)]),
      ...others.map(({ text }) => text),
    ];
    const isNew = (key: string) => !this.#mentioned.has(key);
    const notShownYet = sentences(
      folders.filter(isNew),
      remarks.filter(({ key }) => isNew(key)),
    );
    for (const key of [...folders, ...remarks.map((remark) => remark.key)]) this.#mentioned.add(key);
    return { all: sentences(folders, remarks), notShownYet };
  }
}

type ScannedCall = Pick<ToolCall, "id" | "signal" | "notify" | "accesses">;

interface Begun extends PendingCall {
  readonly watch: EffectWatch;
  /** Why contents are not stored, by path. */
  readonly reasons: ReadonlyMap<string, string>;
}

interface Ended extends Pick<Effects, "folders"> {
  /** The effects that undo does not cover, each as "path (why)". */
  readonly uncovered: readonly string[];
}

interface Remark {
  readonly key: string;
  readonly text: string;
}

function remarksAbout({ reasons }: Begun): readonly Remark[] {
  const files = Array.from(reasons.values()).filter((reason) => reason === notCopied).length;
  if (files === 0) return [];
  return [{ key: notCopied, text: `any change to ${counted(files, "file")} not copied before the command` }];
}

const whyNotCompared: Readonly<Record<NotCompared, string>> = {
  ignored: "ignored by git",
  repository: "git's own",
  unreadable: "no read permission",
  system: "not on a disk",
  special: "not a file, directory or link",
};

function describeRepository({ path, parts }: ChangedRepository): string {
  return showUncovered(path === "" ? ".git" : `${path}/.git`, parts.join(", "));
}

/**
 * Removes changes that other calls made at the same time, because those have their own records. If the command changed
 * the result of another call, its change starts from that result.
 */
function withoutOthers(
  found: readonly Change[],
  others: readonly RecordedChange[],
  blobs: Pick<Blobs, "has">,
): readonly Change[] {
  if (others.length === 0) return found;
  const left = new Map<string, EntryState>(others.map(({ path, after }) => [path, after]));
  const moved = others.flatMap((change) => (isMovedTree(change) ? [change.path] : []));
  return found.flatMap((change) => {
    const state = left.get(change.path);
    if (state === undefined) return liesIn(change.path, moved) ? [] : [change];
    if (isSameState(state, change.after)) return [];
    const isLost = state.kind === "file" && !blobs.has(state.hash);
    const lost = isLost ? "another call changed it at the same time" : undefined;
    return [{ ...change, before: state, lost }];
  });
}

/** Recognizes a moved directory, whose record does not list its content. */
function isMovedTree({ moved, before, after }: RecordedChange): boolean {
  return moved !== undefined && (before.kind === "directory" || after.kind === "directory");
}

/** Effects that undo does not cover and that results mention once. */
interface Aside {
  readonly all: readonly string[];
  readonly notShownYet: readonly string[];
}

/** Adds the effects that undo does not cover, each as "path (why)", to the account of a call and to its outcome. */
async function reportUncovered(
  call: Pick<ToolCall, "account">,
  running: Promise<Outcome>,
  uncovered: readonly string[],
  aside: Aside = { all: [], notShownYet: [] },
): Promise<Outcome> {
  const recorded = [...shortened(uncovered, maxRecorded), ...aside.all];
  if (recorded.length > 0) call.account.notCovered = [...(call.account.notCovered ?? []), ...recorded];
  const note = (sentences: readonly string[]) => noteOf([...shortened(uncovered, maxNamed), ...sentences]);
  const outcome = await running.catch((error: unknown) => {
    throw error instanceof ToolError ? withNote(error, note(aside.notShownYet)) : error;
  });
  if (!outcome.ok) return { ok: false, error: withNote(outcome.error, note(aside.notShownYet)) };
  // The output of a call that is undone at once always mentions all of them.
  const shown = note(outcome.afterwards === undefined ? aside.notShownYet : aside.all);
  if (shown === undefined) return outcome;
  const add = (text: string) => `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}[${shown}]`;
  return { ...outcome, text: add(outcome.text), fullText: add(outcome.fullText) };
}

function noteOf(sentences: readonly string[]): string | undefined {
  return sentences.length === 0 ? undefined : `Undo does not cover: ${sentences.join(", ")}`;
}

function showUncovered(path: string, why: string): string {
  return `${showPath(path)} (${why})`;
}

const maxNamed = 3;
const maxRecorded = 100;

function shortened(sentences: readonly string[], count: number): readonly string[] {
  const others = sentences.length - count;
  return others > 0 ? [...sentences.slice(0, count), `${others} more`] : sentences;
}

function withNote(error: ToolError, note: string | undefined): ToolError {
  if (note === undefined) return error;
  const append = (hint: string | null | undefined) => (hint ? `${hint} ${note}.` : `${note}.`);
  const { forUser } = error;
  return errorWith(error, {
    hint: append(error.hint),
    forUser: forUser?.hint === undefined ? forUser : { ...forUser, hint: append(forUser.hint) },
  });
}
