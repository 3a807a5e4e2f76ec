import type { Conversations } from "../contract/conversations.ts";
import { type Blobs, openBlobs } from "../journal/blobs.ts";
import type { Collection } from "../journal/collect/collect.ts";
import type { JournalBudget } from "../journal/collect/collector.ts";
import { StoredConversations } from "../journal/conversations.ts";
import { type Coverage, coverageOf } from "../journal/coverage.ts";
import {
  type CallFilter,
  type CallRecord,
  type ClientInfo,
  Journal,
  type RecordedChange,
  type SessionCalls,
  type SessionRecord,
} from "../journal/journal.ts";
import { sessionInUse } from "../journal/read-sessions.ts";
import type { JournalSurvey } from "../journal/survey.ts";
import type { JournalReport } from "../journal/verify-journal.ts";
import { newIdentifier } from "../lib/identifier.ts";
import { makePrivateDirectory, type WorkspaceFiles, workspaceFiles } from "../system/directories.ts";

export type { Collection } from "../journal/collect/collect.ts";
export type { JournalBudget } from "../journal/collect/collector.ts";
export { journalBudget } from "../journal/collect/collector.ts";
export type {
  CallFilter,
  CallRecord,
  ClientInfo,
  RecordedChange,
  SessionRecord,
} from "../journal/journal.ts";
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
  /** The machine of the workspace. */
  readonly target: "local";
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
  readonly #workspace: string | undefined;
  readonly #journal: Journal;
  readonly #blobs: Blobs;
  readonly #conversations: Conversations;

  constructor(place: { readonly state: string; readonly workspace: string } | JournalPlace) {
    this.#files = "files" in place ? place.files : workspaceFiles(place.state, place.workspace);
    this.#workspace = place.workspace;
    makePrivateDirectory(this.#files.outputs);
    this.#journal = new Journal({ file: this.#files.journal, session: newIdentifier("session") });
    this.#blobs = openBlobs(this.#files.blobs);
    this.#conversations = new StoredConversations(this.#journal);
  }

  get warnings(): readonly string[] {
    return this.#journal.warnings;
  }

  /** Returns the matching calls, newest first. */
  calls(filter: CallFilter): readonly LoggedCall[] {
    return this.#log(this.#journal.calls(filter));
  }

  /** Returns the matching calls that ended after a sequence number, in this order, and the last number so far. */
  ended(after: number, filter: CallFilter): { readonly calls: readonly LoggedCall[]; readonly upTo: number } {
    const { calls, upTo } = this.#journal.ended(after, filter);
    return { calls: this.#log(calls), upTo };
  }

  find(callId: string): LoggedCall | undefined {
    const found = this.#journal.find(callId);
    return found && this.#log([found])[0];
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
    const found = this.sessions().find((other) => other.session === session);
    if (found?.state === "open") throw sessionInUse(session, found.pid);
  }

  isOpen(session: string): boolean {
    return this.sessions().some((other) => other.session === session && other.state === "open");
  }

  changesOf(callId: string): readonly RecordedChange[] {
    return this.#journal.changesOf([callId]);
  }

  /** Returns whether this former content of a file is still stored. */
  isKept(hash: string): boolean {
    return this.#blobs.has(hash);
  }

  async verify(options: { readonly head?: string; readonly signal?: AbortSignal }): Promise<JournalReport> {
    const { verifyJournal } = await import("../journal/verify-journal.ts");
    return verifyJournal(this.#files.journal, options);
  }

  async survey(): Promise<JournalSurvey> {
    const { surveyJournal } = await import("../journal/survey.ts");
    return surveyJournal(this.#journal, { file: this.#files.journal, folder: this.#files.blobs });
  }

  async collect(budget: JournalBudget, signal: AbortSignal): Promise<Collection> {
    const { collect } = await import("../journal/collect/collect.ts");
    return collect(this.#journal, this.#files.blobs, { budget, signal, scans: this.#files.scans });
  }

  close(): void {
    this.#journal.close();
  }

  #log(calls: readonly CallRecord[]): readonly LoggedCall[] {
    const alive = new Set(
      this.#journal.running().flatMap(({ callId, isAlive }) => (isAlive ? [callId] : [])),
    );
    const openings = this.#journal.openings(calls);
    return calls.map((call, at) => ({
      ...call,
      client: openings[at]!.client,
      workspace: openings[at]!.workspace ?? this.#workspace ?? null,
      target: "local",
      state: stateOf(call, alive),
      undoable: coverageOf(this.#journal.changesOf([call.callId]), this.#blobs) ?? null,
    }));
  }
}

function stateOf({ callId, outcome, message }: CallRecord, alive: ReadonlySet<string>): LoggedCall["state"] {
  if (outcome === null) return alive.has(callId) ? "running" : "interrupted";
  return outcome === "ok" && message !== null ? "failed" : outcome;
}
