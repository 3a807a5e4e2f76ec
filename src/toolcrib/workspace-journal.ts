import type { Conversations } from "../contract/conversations.ts";
import type { Environment } from "../contract/environment.ts";
import type { PathGuard } from "../contract/guard.ts";
import type { ChangedFile } from "../contract/history.ts";
import { type HeldItem, listHeldBack, toHeldItem } from "../engine/sandbox/held-back.ts";
import { type Blobs, openBlobs } from "../journal/blobs.ts";
import { storedPath } from "../journal/calls/call-row.ts";
import type { Collection } from "../journal/collect/collect.ts";
import type { JournalBudget } from "../journal/collect/collector.ts";
import { StoredConversations } from "../journal/conversations.ts";
import { type Coverage, coverageOf } from "../journal/coverage.ts";
import {
  type CallFilter,
  type CallRecord,
  type CallSummary,
  type ClientInfo,
  Journal,
  type RecordedChange,
  type SessionCalls,
  type SessionRecord,
  type SummaryFilter,
} from "../journal/journal.ts";
import { sessionInUse } from "../journal/read-sessions.ts";
import { folderOf, targetOf } from "../journal/record.ts";
import type { JournalSurvey } from "../journal/survey.ts";
import { UndoRecords } from "../journal/undo/undo-records.ts";
import type { JournalReport, VerifyOptions } from "../journal/verify-journal.ts";
import { TimeSlice } from "../lib/async/time-slice.ts";
import { newIdentifier } from "../lib/identifier.ts";
import { redactionOfRecords } from "../policy/redaction/redact.ts";
import { recordFolders } from "../sandbox/restore-abandoned.ts";
import { statsAt } from "../system/attempt.ts";
import { makePrivateDirectory, type WorkspaceFiles, workspaceFiles } from "../system/directories.ts";
import type { OutputPart, OutputRange } from "./open-workspace.ts";

export type { HeldItem } from "../engine/sandbox/held-back.ts";
export type { Collection } from "../journal/collect/collect.ts";
export type { JournalBudget } from "../journal/collect/collector.ts";
export { journalBudget } from "../journal/collect/collector.ts";
export type {
  CallFilter,
  CallRecord,
  ClientInfo,
  RecordedChange,
  SessionRecord,
  SummaryFilter,
} from "../journal/journal.ts";
export { folderOf, targetOf } from "../journal/record.ts";
export type { JournalSurvey } from "../journal/survey.ts";
export type { JournalReport } from "../journal/verify-journal.ts";
export { redactValue } from "../policy/redaction/redact.ts";

/** A recorded call as the user sees it. */
export interface LoggedCall extends CallRecord {
  /** The outcome, or the reason why there is none; "failed" when the tool worked and the command that it ran failed. */
  readonly state: NonNullable<CallRecord["outcome"]> | "failed" | "running" | "interrupted";
  /** How much of its changes can be undone; null when it changed nothing. */
  readonly undoable: Coverage | null;
  /** The program that made it; null when an earlier version recorded the call. */
  readonly client: ClientInfo | null;
  /** The real path of the workspace; null when it is not known. */
  readonly workspace: string | null;
  /** The machine of the workspace: "local", or a name such as `ssh:host:/srv/app`. */
  readonly target: string;
  /** Entries that were held back while it ran commands. This call or another one has created them. */
  readonly heldBack: readonly HeldItem[];
}

/** A call in a list, as the user sees it. */
export interface ListedCall extends CallSummary {
  /** See `LoggedCall`. */
  readonly state: LoggedCall["state"];
  /** How much of its changes can be undone, or that they were; null when it changed nothing. */
  readonly undoable: Coverage | "undone" | null;
  /** How many entries were held back: see `LoggedCall`. */
  readonly heldBack: number;
}

/** A page of a list of calls, newest first. */
export interface ListedCalls {
  readonly calls: readonly ListedCall[];
  /** The `before` of the next page; null at the end. */
  readonly next: number | null;
}

/** Where a workspace has its journal. */
export interface JournalPlace {
  readonly files: WorkspaceFiles;
  /** The real path of the workspace; undefined when only its journal knows it. */
  readonly workspace?: string;
}

/** The journal of a workspace, for the user to read while others may be writing it. Must be closed. */
export class WorkspaceJournal {
  readonly #files: WorkspaceFiles;
  /** The name of the workspace in Toolcrib's own data; undefined when only its journal knows it. */
  readonly workspace: string | undefined;
  readonly #journal: Journal;
  readonly #blobs: Blobs;
  readonly #conversations: Conversations;

  constructor(place: { readonly state: string; readonly workspace: string } | JournalPlace) {
    this.#files = "files" in place ? place.files : workspaceFiles(place.state, place.workspace);
    this.workspace = place.workspace;
    makePrivateDirectory(this.#files.outputs);
    const session = newIdentifier("session");
    this.#journal = new Journal({ file: this.#files.journal, session, redact: redactionOfRecords() });
    this.#blobs = openBlobs(this.#files.blobs);
    this.#conversations = new StoredConversations(this.#journal);
  }

  get warnings(): readonly string[] {
    return this.#journal.warnings;
  }

  /** Returns the matching calls with all that is recorded about them, newest first. */
  calls(filter: SummaryFilter): readonly LoggedCall[] {
    return this.#log(this.#journal.summaries(this.#stored(filter)));
  }

  /** Returns the matching calls that ended after a record, in this order, and the number of the last record. */
  ended(
    after: number,
    filter: SummaryFilter,
  ): { readonly calls: readonly LoggedCall[]; readonly upTo: number } {
    const upTo = this.lastSequence();
    const calls = this.#journal.summaries({ ...this.#stored(filter), after, ended: true });
    return { calls: this.#log(calls), upTo };
  }

  /** Returns the calls that changed something, newest first. Reads the records themselves, as undo does. */
  changing(filter: Pick<CallFilter, "session" | "upTo" | "limit">): readonly CallRecord[] {
    return this.#journal.calls({ ...filter, changing: true });
  }

  find(callId: string): LoggedCall | undefined {
    return this.#log([{ callId }])[0];
  }

  /** Returns a page of the matching calls, newest first. Default: 100 calls. */
  summaries(filter: SummaryFilter): ListedCalls {
    const { limit = 100 } = filter;
    const found = this.#journal.summaries({ ...this.#stored(filter), limit: limit + 1 });
    const calls = this.#list(found.slice(0, limit));
    return { calls, next: found.length > limit ? calls.at(-1)!.sequence : null };
  }

  /** Counts the matching calls; null when that would take long, until `prepare` has ended. */
  countMatching(filter: Omit<SummaryFilter, "before" | "limit">): number | null {
    return this.#journal.countSummaries(this.#stored(filter));
  }

  /** Returns the calls with a record after this one (they began, changed files or ended), and the last record. */
  changedSince(sequence: number): { readonly calls: readonly ListedCall[]; readonly upTo: number } {
    const upTo = this.lastSequence();
    return { calls: this.#list(this.#journal.summaries({ after: sequence })), upTo };
  }

  /** Returns a call as lists show it. */
  listed(callId: string): ListedCall | undefined {
    return this.#list(this.#journal.summariesOf([callId]))[0];
  }

  /** Returns the calls that run now, oldest first. */
  runningCalls(): readonly ListedCall[] {
    const alive = this.#journal.running().filter(({ isAlive }) => isAlive);
    return this.#list(this.#journal.summariesOf(alive.map(({ callId }) => callId)));
  }

  /** Returns the undo that reverted a call, and the calls that this call reverted. */
  undosOf(callId: string): { readonly undoneBy: string | null; readonly undid: readonly string[] } {
    const undos = UndoRecords.of(this.#journal);
    return { undoneBy: undos.undoneBy(callId) ?? null, undid: undos.undid(callId) };
  }

  /** Returns the changes of a call, file by file, without recording that. The guard hides files. */
  async changedFiles(
    callId: string,
    { workspace, guard }: { readonly workspace: string; readonly guard: PathGuard },
  ): Promise<readonly ChangedFile[]> {
    const [{ JournalHistory }, environment] = await Promise.all([
      import("../journal/undo/history.ts"),
      currentFiles(workspace),
    ]);
    try {
      const scope = { session: this.#journal.session, calls: "workspace" } as const;
      const parts = { journal: this.#journal, blobs: this.#blobs, environment, callId: "", scope, guard };
      return (await new JournalHistory(parts).changes({ kind: "calls", ids: [callId] })).files;
    } finally {
      await environment.close();
    }
  }

  /** Returns a part of a stored output, by its handle. Rejects with `not-found` when it is not stored here. */
  async readOutput(handle: string, range?: OutputRange): Promise<OutputPart> {
    const { openLocalEnvironment } = await import("../environment/local/local-environment.ts");
    const { readOutput } = await import("./open-workspace.ts");
    const outputs = openLocalEnvironment({ workspace: this.#files.outputs });
    return readOutput(outputs, handle, range).finally(() => outputs.close());
  }

  /** Returns the number of the last record; 0 without records. */
  lastSequence(): number {
    return this.#journal.lastSequence();
  }

  /**
   * Prepares what a list of the matching calls needs. Default: all calls. Without it, the list does so, which can take
   * half a minute the first time. An abort keeps the rows that exist, and the next call continues there. `progress`
   * gets the number of records that are left.
   */
  async prepare(
    signal?: AbortSignal,
    filter: SummaryFilter = {},
    progress?: (left: number) => void,
  ): Promise<void> {
    const timeSlice = new TimeSlice(signal);
    const stored = this.#stored(filter);
    for (let windows = 1; !this.#journal.isPreparedFor(stored); windows *= 4)
      for (let prepared = 0; prepared < windows; prepared++) {
        const left = this.#journal.prepareSummaries();
        if (left === 0) return;
        progress?.(left);
        await timeSlice.next();
      }
  }

  /** The recorded conversations with models. */
  get conversations(): Conversations {
    return this.#conversations;
  }

  /** Returns the sessions that wrote something, oldest first. */
  sessions(): readonly SessionRecord[] {
    return this.#journal.sessions();
  }

  /** Counts the calls of these sessions. */
  countCalls(sessions: readonly string[]): ReadonlyMap<string, SessionCalls> {
    return this.#journal.countCalls(sessions);
  }

  /** Throws `unavailable` when a running process has the session open. */
  refuseOpen(session: string): void {
    const found = this.#journal.sessions(session)[0];
    if (found?.state === "open") throw sessionInUse(session, found.pid);
  }

  isOpen(session: string): boolean {
    return this.#journal.sessions(session)[0]?.state === "open";
  }

  /** Returns what was held back in this workspace, latest last. */
  heldBack(): readonly HeldItem[] {
    const held = listHeldBack(recordFolders(this.#files.sandbox).quarantine);
    return held.length === 0 ? [] : held.map((one) => toHeldItem(one, this.#folder));
  }

  changesOf(callId: string): readonly RecordedChange[] {
    return this.#journal.changesOf([callId]);
  }

  /** Returns the calls that a script made, in order. */
  innerCalls(script: string): readonly CallRecord[] {
    return this.#journal.innerCalls(script);
  }

  /** Returns whether this former content of a file is still stored. */
  isKept(hash: string): boolean {
    return this.#blobs.has(hash);
  }

  async verify(options: VerifyOptions): Promise<JournalReport> {
    const { verifyJournal } = await import("../journal/verify-journal.ts");
    return verifyJournal(this.#files.journal, options);
  }

  async survey(): Promise<JournalSurvey> {
    const { surveyJournal } = await import("../journal/survey.ts");
    return surveyJournal(this.#journal, { file: this.#files.journal, folder: this.#files.blobs });
  }

  async collect(budget: JournalBudget, signal: AbortSignal): Promise<Collection> {
    const { collect } = await import("../journal/collect/collect.ts");
    const { blobs, scans } = this.#files;
    return collect(this.#journal, blobs, { budget, signal, scans, rebuilds: true });
  }

  close(): void {
    this.#journal.close();
  }

  /** With a path as the journal has it. */
  #stored(filter: SummaryFilter): SummaryFilter {
    const { path } = filter;
    return path === undefined ? filter : { ...filter, path: storedPath(path, this.#folder) };
  }

  get #folder(): string {
    return folderOf(this.workspace ?? this.sessions().at(-1)?.workspace ?? "/");
  }

  #list(calls: readonly CallSummary[]): readonly ListedCall[] {
    const alive = this.#alive(calls);
    const held = this.heldBack();
    return calls.map((call) => ({
      ...call,
      state: stateOf(call, alive),
      undoable: this.#undoable(call),
      heldBack: this.#heldBackDuring(call, alive, held).length,
    }));
  }

  #heldBackDuring(
    { callId, startedAt, durationMs }: Pick<CallRecord, "callId" | "startedAt" | "durationMs">,
    alive: ReadonlySet<string>,
    held: readonly HeldItem[],
  ): readonly HeldItem[] {
    const lasted = durationMs ?? (alive.has(callId) ? Number.POSITIVE_INFINITY : 0);
    const during = held.filter(({ heldAt }) => heldAt >= startedAt && heldAt <= startedAt + lasted + 1);
    // Other calls have created nothing.
    return during.length > 0 && this.#journal.find(callId)?.sandbox ? during : [];
  }

  #undoable({ callId, isChanging }: CallSummary): ListedCall["undoable"] {
    if (!isChanging) return null;
    const isUndone = UndoRecords.of(this.#journal).undoneBy(callId) !== undefined;
    return isUndone ? "undone" : (coverageOf(this.changesOf(callId), this.#blobs) ?? null);
  }

  #log(listed: readonly { readonly callId: string }[]): readonly LoggedCall[] {
    const calls = listed.flatMap(({ callId }) => this.#journal.find(callId) ?? []);
    const alive = this.#alive(calls);
    const openings = this.#journal.openings(calls);
    const held = this.heldBack();
    return calls.map((call, at) => {
      const workspace = openings[at]!.workspace ?? this.workspace ?? null;
      return {
        ...{ ...call, client: openings[at]!.client, workspace, target: targetOf(workspace) },
        state: stateOf(call, alive),
        undoable: coverageOf(this.changesOf(call.callId), this.#blobs) ?? null,
        heldBack: this.#heldBackDuring(call, alive, held),
      };
    });
  }

  /** Returns the calls that still run, if some of these calls have not ended. */
  #alive(calls: readonly Pick<CallRecord, "outcome">[]): ReadonlySet<string> {
    if (calls.every(({ outcome }) => outcome !== null)) return new Set();
    return new Set(this.#journal.running().flatMap(({ callId, isAlive }) => (isAlive ? [callId] : [])));
  }
}

/** The files of a workspace as they are now; none when the folder no longer exists, or is on a target. */
async function currentFiles(workspace: string): Promise<Environment> {
  const folder = folderOf(workspace);
  if (workspace !== folder || !statsAt(workspace)) {
    const { MemoryEnvironment } = await import("../environment/memory/memory-environment.ts");
    return new MemoryEnvironment({ workspace: folder });
  }
  const { openLocalEnvironment } = await import("../environment/local/local-environment.ts");
  // Calls may also have changed files outside the workspace.
  return openLocalEnvironment({ workspace, extraRoots: { directories: ["/"], links: "stay inside" } });
}

function stateOf(
  { callId, outcome, message }: Pick<CallRecord, "callId" | "outcome" | "message">,
  alive: ReadonlySet<string>,
): LoggedCall["state"] {
  if (outcome === null) return alive.has(callId) ? "running" : "interrupted";
  return outcome === "ok" && message !== null ? "failed" : outcome;
}
