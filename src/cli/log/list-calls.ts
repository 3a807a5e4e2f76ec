import { statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ToolError } from "../../contract/error.ts";
import { allWorkspaceFiles, userDirectories, workspaceFiles } from "../../system/directories.ts";
import { FileStamps } from "../../system/policy-files.ts";
import {
  type JournalPlace,
  type LoggedCall,
  type SummaryFilter,
  WorkspaceJournal,
} from "../../toolcrib/workspace-journal.ts";
import { readSince } from "../call-journal.ts";
import type { Arguments } from "../command.ts";
import { logCommand } from "../commands/log.ts";
import { interruptible } from "../interruption.ts";
import { workspaceIdOf } from "../options.ts";
import { readCount, refuseOperands } from "../parse-arguments.ts";
import { withProgress } from "../progress.ts";
import { printJson, remarkWarnings } from "../report.ts";
import { knownSessions, matchSession } from "../session/match-session.ts";
import { onOutputClosed, print, remark } from "../terminal.ts";
import { CallTable } from "./call-table.ts";

/** `toolcrib log`: calls of one workspace or of all, newest first; with --follow oldest first and without an end. */
export async function listCalls(given: Arguments): Promise<number> {
  refuseOperands(given.operands, logCommand);
  const log = new Log(given);
  if (!(await log.prepare())) {
    remark("Interrupted. Run the command again: it continues where it stopped.\n");
    return 130;
  }
  if (given.options.has("follow")) return log.follow();
  const calls = log.latest();
  if (given.options.has("json")) printJson(calls);
  else if (calls.length > 0) print(log.table.lay(asTree(calls)));
  else remark(log.isFiltered ? "No recorded calls match.\n" : `No calls${log.where} yet.\n`);
  return 0;
}

/** How far a followed journal has been shown. */
interface Position {
  readonly stamps: FileStamps;
  upTo: number;
}

class Log {
  readonly table: CallTable;
  readonly #given: Arguments;
  readonly #workspace: string | undefined;
  readonly #limit: number;
  readonly #session: string | undefined;

  constructor(given: Arguments) {
    const { options } = given;
    const isAll = options.has("all");
    this.#given = given;
    this.#workspace = isAll ? undefined : workspaceIdOf(options);
    this.#limit = readCount(given, "limit") ?? 20;
    this.table = new CallTable({ ofAll: isAll });
    const session = options.get("session");
    this.#session = session === "last" ? (this.#latestOf({ limit: 1 })[0]?.session ?? session) : session;
  }

  get isFiltered(): boolean {
    return ["session", "tool", "failed", "since", "text", "path"].some((name) =>
      this.#given.options.has(name),
    );
  }

  /** " in /folder", or "" for all workspaces. */
  get where(): string {
    return this.#workspace === undefined ? "" : ` in ${this.#workspace}`;
  }

  /** Prepares the journals for the filters, which can take half a minute the first time. Returns false on Ctrl-C. */
  async prepare(): Promise<boolean> {
    if (!this.isFiltered) return true;
    return withProgress("log", async (update, signal) => {
      for (const place of this.#places()) await this.#prepare(place, update, signal);
      return !signal.aborted;
    });
  }

  /** Newest first. */
  latest(): readonly LoggedCall[] {
    return this.#latestOf({ limit: this.#limit, ...this.#filter });
  }

  /** Shows the latest calls, then each further one when it ends, until Ctrl-C. Returns the exit code. */
  follow(): Promise<number> {
    return interruptible(async (signal) => {
      const closed = new AbortController();
      onOutputClosed(() => closed.abort());
      const stopped = AbortSignal.any([signal, closed.signal]);
      const positions = new Map(this.#places().map((place) => [place.files.journal, this.#end(place)]));
      const before = this.latest().filter(({ outcome }) => outcome !== null);
      const shown = new Set(before.map(({ callId }) => callId));
      this.#show(before.toReversed());
      while (!stopped.aborted) {
        // A call that ended while the latest ones were read is among both.
        this.#show(this.#newCalls(positions).filter(({ callId }) => !shown.has(callId)));
        await pause(pollMs, undefined, { signal: stopped }).catch(() => {});
      }
      return signal.aborted ? 130 : 0;
    });
  }

  get #filter(): Omit<SummaryFilter, "session"> {
    const { options } = this.#given;
    const since = options.get("since");
    if (options.get("text")?.trim() === "")
      throw new ToolError("invalid-input", "--text needs a word", { hint: "For example: --text 'npm test'" });
    return {
      failed: options.has("failed"),
      tool: options.get("tool"),
      text: options.get("text"),
      path: options.get("path"),
      since: since === undefined ? undefined : readSince(since),
    };
  }

  async #prepare(place: JournalPlace, update: (message: string) => void, signal: AbortSignal): Promise<void> {
    const journal = new WorkspaceJournal(place);
    const filter = { limit: this.#limit, ...this.#filter };
    try {
      const session = this.#inSession(journal, undefined, (found) => found);
      if (session === undefined) return;
      await journal.prepare(signal, { ...filter, ...session }, (left) =>
        update(`indexing older records, only once: ${left} left`),
      );
    } catch {
      // The list reports a journal that cannot be read.
    } finally {
      journal.close();
      remarkWarnings(journal.warnings);
    }
  }

  #show(calls: readonly LoggedCall[]): void {
    if (this.#given.options.has("json")) for (const call of calls) printJson(call);
    else if (calls.length > 0) print(this.table.lay(calls, { expectMore: true }));
  }

  #latestOf(filter: SummaryFilter): readonly LoggedCall[] {
    let calls: readonly LoggedCall[] = [];
    for (const place of this.#places()) {
      const oldest = calls.length === filter.limit ? calls.at(-1) : undefined;
      // Places are sorted by time, so no further journal has a later call.
      if (oldest !== undefined && changedAt(place) < oldest.startedAt) break;
      const more = this.#read(place, [], (journal) =>
        this.#inSession(journal, [], (session) => journal.calls({ ...filter, ...session })),
      );
      calls = calls.length === 0 ? more : merge([...calls, ...more], filter.limit);
    }
    return calls;
  }

  /** The calls that ended since the positions, which are moved. */
  #newCalls(positions: Map<string, Position>): readonly LoggedCall[] {
    return this.#places().flatMap((place) => {
      const { journal: file } = place.files;
      const position = positions.get(file) ?? { stamps: stampsOf(place), upTo: 0 };
      if (positions.has(file) && position.stamps.areSame) return [];
      positions.set(file, position);
      position.stamps.note();
      return this.#read(place, [], (journal) =>
        this.#inSession(journal, [], (session) => {
          const { calls, upTo } = journal.ended(position.upTo, { ...this.#filter, ...session });
          position.upTo = upTo;
          return calls;
        }),
      );
    });
  }

  #end(place: JournalPlace): Position {
    const stamps = stampsOf(place);
    const end = this.#read(place, 0, (journal) => journal.ended(Number.MAX_SAFE_INTEGER, {}).upTo);
    return { stamps, upTo: end };
  }

  /** With the session that --session means in this journal. Returns `otherwise` when it has no such session. */
  #inSession<Result>(
    journal: WorkspaceJournal,
    otherwise: Result,
    work: (filter: Pick<SummaryFilter, "session">) => Result,
  ): Result {
    if (this.#session === undefined) return work({});
    const session = matchSession(knownSessions(journal), this.#session);
    return session === undefined ? otherwise : work({ session });
  }

  /** One workspace, or all that have a journal, the latest first. */
  #places(): readonly JournalPlace[] {
    const { state } = userDirectories();
    const workspace = this.#workspace;
    if (workspace !== undefined) return [{ files: workspaceFiles(state, workspace), workspace }];
    const times = allWorkspaceFiles(state).map((files) => ({ files, time: changedAt({ files }) }));
    return times.filter(({ time }) => time > 0).sort((one, other) => other.time - one.time);
  }

  /** A journal that cannot be read does not hide those of other workspaces. */
  #read<Result>(place: JournalPlace, otherwise: Result, work: (journal: WorkspaceJournal) => Result): Result {
    const journal = new WorkspaceJournal(place);
    try {
      return work(journal);
    } catch (error) {
      const isOther = error instanceof ToolError && error.code === "unavailable";
      if (!isOther || this.#workspace !== undefined) throw error;
      remarkWarnings([`${basename(dirname(place.files.journal))}: ${error.message}`]);
      return otherwise;
    } finally {
      journal.close();
      remarkWarnings(journal.warnings);
    }
  }
}

const pollMs = 200;

/** Moves the calls of each script to below the script, oldest first. */
function asTree(calls: readonly LoggedCall[]): readonly LoggedCall[] {
  const ids = new Set(calls.map(({ callId }) => callId));
  const isInner = ({ parent }: LoggedCall) => parent !== null && ids.has(parent);
  const inner = Map.groupBy(calls.filter(isInner), ({ parent }) => parent);
  return calls
    .filter((call) => !isInner(call))
    .flatMap((call) => [call, ...(inner.get(call.callId)?.toReversed() ?? [])]);
}

function merge(calls: readonly LoggedCall[], limit: number | undefined): readonly LoggedCall[] {
  return calls.toSorted((one, other) => other.startedAt - one.startedAt).slice(0, limit);
}

/** New records are first in the write-ahead log. */
function databaseFiles({ files: { journal } }: JournalPlace): readonly string[] {
  return [journal, `${journal}-wal`];
}

function stampsOf(place: JournalPlace): FileStamps {
  return new FileStamps(databaseFiles(place));
}

/** Milliseconds since 1970; 0 without a journal. */
function changedAt(place: JournalPlace): number {
  const times = databaseFiles(place).map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return Math.max(...times);
}
