import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { ToolError } from "../../contract/error.ts";
import type { ClientInfo } from "../../journal/journal.ts";
import { bigintAsText } from "../../lib/json/bigint-as-text.ts";
import { tryParseJson } from "../../lib/json/try-parse-json.ts";
import { attemptQuietly, statsAt } from "../../system/attempt.ts";
import { inPrivateDirectory } from "../../system/directories.ts";
import { ownerHasEnded, thisProcess } from "../../system/process-identity.ts";
import { discardDatabase, identityOf, loadSqlite, makeDatabaseFile } from "../../system/sqlite-file.ts";
import {
  type Approval,
  type ApprovalRequest,
  approvalId,
  parseApproval,
  type ShownRequest,
  toShownRequest,
} from "./approval-request.ts";

/** A stored approval request that waits for the user's answer. */
export interface PendingApproval {
  /** The id that the user types to answer. */
  readonly id: string;
  readonly workspace: string;
  /** The session that asked last. */
  readonly session: string;
  /** The program of that session. */
  readonly client: ClientInfo;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  /** The same hash as in `ApprovalRequest`. */
  readonly hash: string;
  readonly previewHash: string;
  readonly request: ShownRequest;
  /** How many equal calls wait for the answer now; 0 when the call was refused and may be made again. */
  readonly waiting: number;
  /** The ids of the SDK calls that ask this question, for `AskOptions.sdkCall`. */
  readonly sdkCalls?: readonly string[] | undefined;
  /** The answer, as long as the call has not been made again. */
  readonly answer?: ApprovalAnswer | undefined;
}

/** The user's answer. */
export interface ApprovalAnswer {
  readonly says: Approval;
  /** The session that the user was shown. */
  readonly session: string;
  readonly answeredAt: number;
}

/** The asker of a question: a session in a workspace, and its program. */
export interface Asker {
  readonly workspace: string;
  readonly session: string;
  readonly client: ClientInfo;
}

/**
 * The questions of this user, of all workspaces and processes: one table in the state directory, where no tool and no
 * confined command can write. A row is a call that waits in a process, or a call that was refused and may be made again.
 * A question is over when the process or the session that asked has ended.
 */
export class QuestionStore {
  readonly file: string;

  constructor(stateDirectory: string) {
    this.file = join(stateDirectory, "approvals.db");
  }

  /**
   * Returns the questions of one workspace, or of all, oldest first. Equal ones are one. Lists those without an answer,
   * and those whose answer has not been used.
   */
  list(workspace?: string): readonly PendingApproval[] {
    return this.#group(this.#rows().filter((row) => workspace === undefined || row.workspace === workspace));
  }

  find(id: string): PendingApproval | undefined {
    return this.#group(this.#rows(id))[0];
  }

  /** Whether a call asked under this id, and the session that made it has ended. */
  hasEnded(id: string): boolean {
    const rows = this.#rows(id);
    return rows.length > 0 && rows.every(isOver);
  }

  /** Returns a request as it would be stored. */
  describe(request: ApprovalRequest, { workspace, session, client }: Asker): PendingApproval {
    const { hash, previewHash } = request;
    return {
      id: approvalId(request),
      workspace,
      session,
      client,
      askedAt: Date.now(),
      hash,
      previewHash,
      request: toShownRequest(request),
      waiting: 0,
    };
  }

  /**
   * Stores the request of a call that is refused and may be made again; storing it again only renews its time. Returns
   * undefined when it is too long to be shown, and when another request has its id, because the request that the user is
   * about to answer must not be replaced.
   */
  store(
    pending: PendingApproval,
    { outlivesSession }: { readonly outlivesSession: boolean },
  ): PendingApproval | undefined {
    const asked = { ...pending, askedAt: Date.now() };
    const number = this.#insert(asked, { waits: false, waiter: outlivesSession ? null : thisProcess() });
    return number === undefined ? undefined : asked;
  }

  /** Stores the request of a call that waits, until it is closed or this process ends. Otherwise like `store`. */
  open(request: ApprovalRequest, asker: Asker): OpenQuestion | undefined {
    const pending = { ...this.describe(request, asker), waiting: 1 };
    const number = this.#insert(pending, { waits: true, waiter: thisProcess() });
    return number === undefined ? undefined : new OpenQuestion(pending, number, this);
  }

  /**
   * Stores the user's answer: for every equal call that waits, else for the next such call, where it replaces an earlier
   * answer. Throws `stale` when nothing can use it any more.
   */
  answer(pending: PendingApproval, says: Approval): void {
    const { id, session } = pending;
    const rows = this.#rows(id).filter((row) => isSame(row, pending));
    const open = rows.filter((row) => !isOver(row));
    const waiting = open.filter(({ waits }) => waits);
    const isForSession = says.allow && says.remember === "session";
    const answered = this.#use((database) => {
      const update = database.prepare(
        "UPDATE questions SET answer = ?, answered_at = ? WHERE number = ? AND (answer IS NULL OR NOT waits)",
      );
      return (waiting.length > 0 ? waiting : open).filter(({ number, session: asking, waits }) => {
        // The user was shown one session: the same call of another one that waits is allowed once.
        const given: Approval = isForSession && waits && asking !== session ? { allow: true } : says;
        return update.run(JSON.stringify({ says: given, session }), Date.now(), number).changes > 0;
      });
    });
    if (answered.length > 0) return;
    throw rows.length > 0 && open.length === 0 ? askerEnded(id) : noLongerPending(id);
  }

  /**
   * Returns the answer to exactly this call in this workspace, if there is one. An approval counts once; a refusal stays
   * for a while.
   */
  take(
    request: Pick<ApprovalRequest, "hash" | "previewHash">,
    { workspace, session }: Pick<Asker, "workspace" | "session">,
  ): Approval | undefined {
    const row = this.#rows(approvalId(request)).find(
      (found) => !found.waits && !isOver(found) && isSame(found, { ...request, workspace }),
    );
    const answer = row && answerOf(row);
    if (row === undefined || answer === undefined) return undefined;
    const { says } = answer;
    if (!says.allow) return says;
    if (says.remember === "session" && answer.session !== session) return undefined;
    // Several processes may have read the answer, but only one of them can take it.
    const taken = this.#use((database) =>
      database
        .prepare("DELETE FROM questions WHERE number = ? AND answer = ? RETURNING number")
        .get(row.number, row.answer),
    );
    return taken && { ...says, hash: request.hash, countsOnce: true };
  }

  /** Removes the stored request of a call that needs no answer any more. Calls that wait keep theirs. */
  forget(asked: SameCall): void {
    const rows = this.#rows(approvalId(asked)).filter((row) => !row.waits && isSame(row, asked));
    if (rows.length > 0) this.#use((database) => remove(database, rows));
  }

  /** Ends the questions of a session, except those that outlive it. */
  endSession(session: string): void {
    if (!this.#exists) return;
    this.#use((database) =>
      database
        .prepare("UPDATE questions SET waiter = ? WHERE session = ? AND waiter = ?")
        .run(endedWaiter, session, thisProcess()),
    );
  }

  /** Returns the answer that another program gave to a question that waits. */
  answerTo(number: number): Approval | undefined {
    const answer = this.#use((database) =>
      database.prepare("SELECT answer FROM questions WHERE number = ?").get(number),
    );
    return parseAnswer(answer?.answer)?.says;
  }

  /** Removes a question that waited. Returns the answer of another program if it came first. */
  close(number: number): Approval | undefined {
    const closed = this.#use((database) =>
      database.prepare("DELETE FROM questions WHERE number = ? RETURNING answer").get(number),
    );
    return parseAnswer(closed?.answer)?.says;
  }

  #insert(
    pending: PendingApproval,
    { waits, waiter }: { readonly waits: boolean; readonly waiter: string | null },
  ): number | undefined {
    const { id, workspace, session, client, hash, previewHash, request, askedAt } = pending;
    const text = JSON.stringify(request, bigintAsText);
    if (Buffer.byteLength(text) > maxRequestBytes) return undefined;
    return this.#use((database) =>
      inTransaction(database, () => {
        const rows = rowsIn(database);
        const equal = rows.filter((row) => row.id === id && row.workspace === workspace && !isOver(row));
        if (equal.some((row) => !isSame(row, pending))) return undefined;
        const before = equal.find((row) => !row.waits);
        const calls = [...parseCalls(before?.sdkCalls), ...(pending.sdkCalls ?? [])];
        const answer = before && answerOf(before) ? before : undefined;
        // A call that was refused and waits now is one question; an answer for another session stays.
        if (before && !(waits && answer)) remove(database, [before]);
        remove(database, superfluous(rows, workspace));
        const { lastInsertRowid } = database.prepare(insertion).run({
          id,
          waiter,
          waits: waits ? 1 : 0,
          workspace,
          session,
          client: JSON.stringify(client),
          hash,
          previewHash,
          request: text,
          sdkCalls: calls.length > 0 ? JSON.stringify([...new Set(calls)].slice(-maxSdkCalls)) : null,
          askedAt,
          answer: waits ? null : (answer?.answer ?? null),
          answeredAt: waits ? null : (answer?.answeredAt ?? null),
        });
        return Number(lastInsertRowid);
      }),
    );
  }

  /** Returns the rows with an id, or all, oldest first. */
  #rows(id?: string): readonly Row[] {
    return this.#exists ? this.#use((database) => rowsIn(database, id)) : [];
  }

  #group(rows: readonly Row[]): readonly PendingApproval[] {
    const byId = Map.groupBy(
      rows.filter((row) => !isOver(row)),
      ({ id, workspace }) => `${id} ${workspace}`,
    );
    return [...byId.values()].flatMap((equal) => {
      const latest = equal.at(-1)!;
      const request = tryParseJson(latest.request) as ShownRequest | null | undefined;
      if (typeof request !== "object" || request === null) return [];
      // The answer has expired, and the call was not made again since: there is nothing to ask.
      if (!latest.waits && latest.answeredAt !== null && isOlder(latest.answeredAt, maxAnswerMs)) return [];
      const { id, workspace, session, hash, previewHash } = latest;
      const sdkCalls = equal.flatMap((row) => parseCalls(row.sdkCalls));
      return [
        {
          id,
          workspace,
          session,
          client: tryParseJson(latest.client) as ClientInfo,
          askedAt: equal[0]!.askedAt,
          hash,
          previewHash,
          request,
          waiting: equal.filter(({ waits }) => waits).length,
          sdkCalls: sdkCalls.length > 0 ? sdkCalls : undefined,
          answer: answerOf(latest),
        },
      ];
    });
  }

  get #exists(): boolean {
    return statsAt(this.file)?.isFile() ?? false;
  }

  /** Opens the database for one piece of work: a question is rare, and nothing is held open between two. */
  #use<Result>(work: (database: DatabaseSync) => Result): Result {
    const database = this.#open();
    try {
      return work(database);
    } finally {
      database.close();
    }
  }

  #open(): DatabaseSync {
    if (statsAt(this.file)?.isSymbolicLink()) throw new Error(`${this.file} is a link`);
    inPrivateDirectory(dirname(this.file), () => makeDatabaseFile(this.file));
    try {
      return openTable(this.file);
    } catch (error) {
      const { errcode = 0 } = error as { errcode?: number };
      if (!damage.has(errcode & 0xff)) throw error;
      // Questions can be asked again.
      discardDatabase(this.file, identityOf(this.file) ?? "");
      makeDatabaseFile(this.file);
      return openTable(this.file);
    }
  }
}

/** The stored question of a call that waits in this process. */
export class OpenQuestion {
  readonly pending: PendingApproval;
  readonly #number: number;
  readonly #store: QuestionStore;

  constructor(pending: PendingApproval, number: number, store: QuestionStore) {
    this.pending = pending;
    this.#number = number;
    this.#store = store;
  }

  /** Resolves with the answer of another program. Never resolves after `signal` has aborted. */
  answered(signal: AbortSignal): Promise<Approval> {
    const { promise, resolve } = Promise.withResolvers<Approval>();
    // The timer also keeps the process alive: a call waits for the user.
    const timer = setInterval(() => {
      const answer = attemptQuietly(() => this.#store.answerTo(this.#number));
      if (answer === undefined) return;
      clearInterval(timer);
      resolve(this.#bound(answer));
    }, pollMs);
    signal.addEventListener("abort", () => clearInterval(timer), { once: true });
    return promise;
  }

  /** Ends the question. Returns the answer of another program if it came first. */
  close(): Approval | undefined {
    const answer = this.#store.close(this.#number);
    return answer && this.#bound(answer);
  }

  #bound(answer: Approval): Approval {
    return answer.allow ? { ...answer, hash: this.pending.hash } : answer;
  }
}

interface Row {
  readonly number: number;
  readonly id: string;
  /** The process that asks; null for a question that outlives it. */
  readonly waiter: string | null;
  /** 1 while a call waits for the answer. */
  readonly waits: number;
  readonly workspace: string;
  readonly session: string;
  readonly client: string;
  readonly hash: string;
  readonly previewHash: string;
  readonly request: string;
  readonly sdkCalls: string | null;
  readonly askedAt: number;
  readonly answer: string | null;
  readonly answeredAt: number | null;
}

const version = 2;

/** Questions of an earlier version can be asked again. */
const table = `
  DROP TABLE IF EXISTS questions;
  CREATE TABLE questions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    waiter TEXT,
    waits INTEGER NOT NULL,
    workspace TEXT NOT NULL,
    session TEXT NOT NULL,
    client TEXT NOT NULL,
    hash TEXT NOT NULL,
    preview_hash TEXT NOT NULL,
    request TEXT NOT NULL,
    sdk_calls TEXT,
    asked_at INTEGER NOT NULL,
    answer TEXT,
    answered_at INTEGER
  ) STRICT;
  PRAGMA user_version = ${version};`;

const insertion = `
  INSERT INTO questions
    (id, waiter, waits, workspace, session, client, hash, preview_hash, request, sdk_calls, asked_at, answer, answered_at)
  VALUES
    (:id, :waiter, :waits, :workspace, :session, :client, :hash, :previewHash, :request, :sdkCalls, :askedAt, :answer, :answeredAt)`;

function openTable(file: string): DatabaseSync {
  const database = new (loadSqlite().DatabaseSync)(file, { timeout: patienceMs });
  try {
    const found = versionOf(database);
    if (found > version)
      throw new ToolError("unavailable", `${file} was written by a newer version of Toolcrib`, {
        hint: "Update Toolcrib.",
      });
    if (found < version) inTransaction(database, () => versionOf(database) < version && database.exec(table));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()!["user_version"]);
}

function inTransaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}

function rowsIn(database: DatabaseSync, id?: string): readonly Row[] {
  const where = id === undefined ? "" : "WHERE id = ?";
  return database
    .prepare(
      `SELECT number, id, waiter, waits, workspace, session, client, hash, preview_hash AS previewHash, request,
        sdk_calls AS sdkCalls, asked_at AS askedAt, answer, answered_at AS answeredAt
        FROM questions ${where} ORDER BY asked_at, number`,
    )
    .all(...(id === undefined ? [] : [id])) as unknown as readonly Row[];
}

function remove(database: DatabaseSync, rows: readonly Row[]): void {
  const statement = database.prepare("DELETE FROM questions WHERE number = ?");
  for (const { number } of rows) statement.run(number);
}

/**
 * Returns the rows to remove before one more is stored: the oldest of the workspace, and those that are over for a day.
 * Calls that wait and answers that can still be used stay.
 */
function superfluous(rows: readonly Row[], workspace: string): readonly Row[] {
  const open = rows.filter(
    (row) => row.workspace === workspace && (isOver(row) || (!row.waits && answerOf(row) === undefined)),
  );
  const old = rows.filter((row) => isOver(row) && isOlder(row.askedAt, maxPendingMs));
  return [...open.slice(0, Math.max(0, open.length + 1 - maxPending)), ...old];
}

/** Whether no call can use an answer any more: the session that asked has ended, or it asked a day ago. */
function isOver({ waiter, waits, askedAt }: Row): boolean {
  if (waiter !== null && ownerHasEnded(waiter, Date.now() - askedAt, maxPendingMs)) return true;
  return !waits && isOlder(askedAt, maxPendingMs);
}

/** No process has this name, so the question is over. */
const endedWaiter = "ended";

/** Returns the answer in a row while it counts. */
function answerOf({ answer, answeredAt }: Row): ApprovalAnswer | undefined {
  const found = parseAnswer(answer);
  if (found === undefined || answeredAt === null || isOlder(answeredAt, maxAnswerMs)) return undefined;
  return { ...found, answeredAt };
}

/** Returns undefined when the text is missing or damaged. */
function parseAnswer(text: unknown): Pick<ApprovalAnswer, "says" | "session"> | undefined {
  const found = typeof text === "string" ? (tryParseJson(text) as Partial<ApprovalAnswer> | null) : undefined;
  const says = parseApproval(found?.says);
  return says && { says, session: String(found?.session) };
}

function parseCalls(text: string | null | undefined): readonly string[] {
  const found: unknown = tryParseJson(text ?? "");
  return Array.isArray(found) ? found.map(String) : [];
}

type SameCall = Pick<PendingApproval, "workspace" | "hash" | "previewHash">;

/** Whether both are about the same call, with the same preview, in the same workspace. */
function isSame(one: SameCall, other: SameCall): boolean {
  return (
    one.workspace === other.workspace && one.hash === other.hash && one.previewHash === other.previewHash
  );
}

function noLongerPending(id: string): ToolError {
  return new ToolError("stale", `The approval ${id} is no longer pending: it was answered elsewhere`, {
    hint: "To list the pending approvals, run: toolcrib approve --all",
  });
}

/** Returns the error of an answer to a question whose session has ended. */
export function askerEnded(id: string): ToolError {
  return new ToolError("stale", `The call of approval ${id} cannot run any more: its session has ended`, {
    hint: "Nothing was allowed. To list the pending approvals, run: toolcrib approve --all",
  });
}

const maxPending = 50;
/** The most equal calls of SDKs that one question is about. */
const maxSdkCalls = 100;
const maxRequestBytes = 1024 * 1024;
const maxPendingMs = 24 * 60 * 60 * 1000;
const maxAnswerMs = 10 * 60 * 1000;
const pollMs = 100;
/** How long one process waits while another one writes. */
const patienceMs = 2_000;

/** SQLite's codes for a damaged file, and for one that is not a database. */
const damage: ReadonlySet<number> = new Set([11, 26]);

/** Returns whether a time is too long ago. Also true of times in the future, which would otherwise never expire. */
function isOlder(time: number, maxMs: number): boolean {
  const age = Date.now() - time;
  return age > maxMs || age < -maxMs;
}
