import { setTimeout as wait } from "node:timers/promises";
import type { ClientInfo } from "../journal/journal.ts";
import { bigintAsText } from "../lib/json/bigint-as-text.ts";
import { tryParseJson } from "../lib/json/try-parse-json.ts";
import {
  type Approval,
  type ApprovalRequest,
  type Approve,
  parseApproval,
  rulesOfWidth,
  type ShownRequest,
  toShownRequest,
} from "../pipeline/approvals/approval-request.ts";
import { hashValue } from "../pipeline/approvals/hash-call.ts";
import { approvalPending, needsApproval } from "../pipeline/approvals/refusals.ts";
import { allWorkspaceFiles, workspaceFiles } from "../system/directories.ts";
import { ApprovalFiles, appendToPolicyFile, policyFiles } from "../system/policy-files.ts";

/** A stored approval request that waits for the user's answer. */
export interface PendingApproval {
  /** The id that the user types to answer. */
  readonly id: string;
  readonly workspace: string;
  /** The session that asked last. */
  readonly session: string;
  /** The program of that session; null when an earlier version stored the request. */
  readonly client: ClientInfo | null;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  /** The same hash as in `ApprovalRequest`. */
  readonly hash: string;
  readonly previewHash: string;
  readonly request: ShownRequest;
  /** The answer, as long as the call has not been made again. */
  readonly answer?: ApprovalAnswer;
}

/** Who asks: a session and its program. */
export interface Asker {
  readonly session: string;
  readonly client: ClientInfo;
}

/** The user's answer, bound by hashes to the request that was shown. */
export interface ApprovalAnswer {
  readonly says: Approval;
  readonly hash: string;
  readonly previewHash: string;
  readonly session: string;
  readonly answeredAt: number;
}

/**
 * The pending approvals of one workspace, and the answers that wait for their call to be made again. They are stored
 * where no tool and no confined command can write; several processes may use them at once.
 */
export class PendingApprovals {
  readonly #files: ApprovalFiles;
  readonly #workspace: string;

  constructor({ folder, workspace }: { readonly folder: string; readonly workspace: string }) {
    this.#files = new ApprovalFiles(folder);
    this.#workspace = workspace;
  }

  /** Returns the approvals that are unanswered or whose answer has not been used, oldest first. */
  list(): readonly PendingApproval[] {
    const ids = this.#files.names().flatMap((name) => /^(\w+)\.question$/.exec(name)?.[1] ?? []);
    return ids
      .flatMap((id) => this.find(id) ?? [])
      .sort((one, other) => one.askedAt - other.askedAt || (one.id < other.id ? -1 : 1));
  }

  find(id: string): PendingApproval | undefined {
    if (!/^\w+$/.test(id)) return undefined;
    const pending = parsePending(this.#files.read(`${id}.question`));
    if (pending?.id !== id || isOlder(pending.askedAt, maxPendingMs)) return undefined;
    const answer = this.#answerTo(pending);
    return answer ? { ...pending, answer } : pending;
  }

  /**
   * Stores a request; storing it again only renews its time. Returns undefined when it is too long to be shown, and
   * when another request has its id, because the request that the user is about to answer must not be replaced.
   */
  store(request: ApprovalRequest, { session, client }: Asker): PendingApproval | undefined {
    this.#tidy();
    const { hash, previewHash } = request;
    const id = idOf(request);
    const base = { id, workspace: this.#workspace, session, client, askedAt: Date.now(), hash, previewHash };
    const pending = { ...base, request: toShownRequest(request) };
    const other = this.find(id);
    if (other && (other.hash !== hash || other.previewHash !== previewHash)) return undefined;
    const text = JSON.stringify(pending, bigintAsText);
    if (text.length > maxChars) return undefined;
    this.#files.write(`${id}.question`, text);
    return pending;
  }

  /** Stores the user's answer to a request. It replaces an earlier answer. */
  answer(pending: PendingApproval, answer: ApprovalAnswer["says"]): void {
    const { id, hash, previewHash, session } = pending;
    const stored: ApprovalAnswer = { says: answer, hash, previewHash, session, answeredAt: Date.now() };
    this.#files.write(`${id}.answer`, JSON.stringify(stored));
  }

  /** Returns the answer to exactly this call, if there is one. An approval counts once; a refusal stays for a while. */
  take(request: ApprovalRequest, session: string): Approval | undefined {
    const { hash, previewHash } = request;
    const name = `${idOf(request)}.answer`;
    const isValid = (answer: ApprovalAnswer | undefined): answer is ApprovalAnswer =>
      answer?.hash === hash &&
      answer.previewHash === previewHash &&
      !isOlder(answer.answeredAt, maxAnswerMs) &&
      (answer.says.allow === false || answer.says.remember !== "session" || answer.session === session);
    const seen = parseAnswer(this.#files.read(name));
    if (!isValid(seen)) return undefined;
    if (!seen.says.allow) return seen.says;
    // Several processes may have read the answer, but only one of them can take it.
    const taken = parseAnswer(this.#files.take(name));
    if (!isValid(taken)) return undefined;
    this.#files.remove(`${idOf(request)}.question`);
    return taken.says.allow ? { ...taken.says, hash } : taken.says;
  }

  #answerTo({ id, hash, previewHash }: PendingApproval): ApprovalAnswer | undefined {
    const answer = parseAnswer(this.#files.read(`${id}.answer`));
    const isOfThis = answer?.hash === hash && answer.previewHash === previewHash;
    return isOfThis && !isOlder(answer.answeredAt, maxAnswerMs) ? answer : undefined;
  }

  /** Deletes the oldest requests to make space for one more. Answered ones stay until they are used or expire. */
  #tidy(): void {
    const all = this.list();
    const answered = all.filter(({ answer }) => answer !== undefined);
    const open = all.filter(({ answer }) => answer === undefined);
    const ids = new Set([...answered, ...open.slice(1 - maxPending)].map(({ id }) => id));
    for (const name of this.#files.names()) {
      const [, id] = /^(\w+)\.(?:question|answer)$/.exec(name) ?? [];
      if (id !== undefined && !ids.has(id)) this.#files.remove(name);
    }
  }
}

const maxPending = 50;
const maxChars = 1024 * 1024;
const maxPendingMs = 24 * 60 * 60 * 1000;
const maxAnswerMs = 10 * 60 * 1000;

/** Returns whether a time is too long ago. Also true of times in the future, which would otherwise never expire. */
function isOlder(time: number, maxMs: number): boolean {
  const age = Date.now() - time;
  return age > maxMs || age < -maxMs;
}

/**
 * Returns an id that is the same for the same call and short enough to type. Two calls may share an id: the later one
 * is not stored, and answers are compared by their whole hashes.
 */
function idOf({ hash, previewHash }: Pick<ApprovalRequest, "hash" | "previewHash">): string {
  const digest = BigInt(`0x${hashValue([hash, previewHash])}`);
  return Array.from({ length: 6 }, (_, index) => letters[Number((digest >> BigInt(index * 5)) & 31n)]).join(
    "",
  );
}

/** The letters and digits of an id, without those that look alike. */
const letters = "23456789abcdefghijkmnpqrstuvwxyz";

/**
 * Returns an `Approve` that stores the request for `toolcrib approve`. The answer counts when the call is made again.
 */
export function storeApproval({
  pending,
  asker,
  waitMs = 0,
  notify,
}: {
  readonly pending: PendingApprovals;
  readonly asker: () => Asker;
  /** The time that a call waits for its answer before it is refused. Default: 0. */
  readonly waitMs?: number | undefined;
  /** Reports that a call waits. */
  readonly notify: (request: ApprovalRequest, message: string) => void;
}): Approve {
  return async (request, signal) => {
    const { session } = asker();
    const answer = pending.take(request, session);
    if (answer) return answer;
    const stored = pending.store(request, asker());
    if (!stored) throw needsApproval({ verdict: "ask", parts: request.parts }, request);
    if (waitMs > 0) {
      notify(request, `Waiting for approval: toolcrib approve ${stored.id}`);
      const end = performance.now() + waitMs;
      for (let leftMs = waitMs; leftMs > 0; leftMs = end - performance.now()) {
        await wait(Math.min(pollMs, leftMs), undefined, { signal });
        const late = pending.take(request, session);
        if (late) return late;
      }
    }
    throw approvalPending(stored.id, request.parts);
  };
}

const pollMs = 200;

/** The pending approvals of all workspaces, for the user to list and answer. */
export class AllPendingApprovals {
  readonly #directories: { readonly state: string; readonly config: string };

  constructor(directories: { readonly state: string; readonly config: string }) {
    this.#directories = directories;
  }

  /** Returns the pending approvals of one workspace, or of all, oldest first. */
  list(workspace?: string): readonly PendingApproval[] {
    if (workspace !== undefined) return this.#of(workspace).list();
    return allWorkspaceFiles(this.#directories.state)
      .flatMap(({ approvals: folder }) => new PendingApprovals({ folder, workspace: "" }).list())
      .sort((one, other) => one.askedAt - other.askedAt);
  }

  find(id: string): PendingApproval | undefined {
    return this.list().find((pending) => pending.id === id);
  }

  /** Answers a request. "always" also writes its rules, which then apply to every session in that workspace. */
  async answer(pending: PendingApproval, answer: Approval): Promise<void> {
    const { id, workspace, request } = pending;
    if (answer.allow && answer.remember === "always") {
      const time = new Date().toISOString().slice(0, 16).replace("T", " ");
      const { granted } = policyFiles(this.#directories.config, workspace);
      const rules = rulesOfWidth(request, answer.width);
      await appendToPolicyFile(granted, [`# ${time} UTC, asked for by approval ${id}`, ...rules]);
    }
    // A waiting call was checked without the new rules, so it needs the answer too.
    const isRemembered = answer.allow && answer.remember === "session";
    this.#of(workspace).answer(pending, answer.allow && !isRemembered ? { allow: true } : answer);
  }

  #of(workspace: string): PendingApprovals {
    const folder = workspaceFiles(this.#directories.state, workspace).approvals;
    return new PendingApprovals({ folder, workspace });
  }
}

/** Returns undefined when the text is missing or damaged. */
function parsePending(text: string | undefined): PendingApproval | undefined {
  const found = tryParseJson(text ?? "") as Partial<PendingApproval> | null | undefined;
  const isWhole =
    typeof found?.askedAt === "number" &&
    [found.id, found.workspace, found.session, found.hash, found.previewHash].every(isText) &&
    typeof found.request === "object" &&
    found.request !== null;
  return isWhole ? { ...(found as PendingApproval), client: found.client ?? null } : undefined;
}

/** Returns undefined when the text is missing or damaged. */
function parseAnswer(text: string | undefined): ApprovalAnswer | undefined {
  const found = tryParseJson(text ?? "") as Partial<ApprovalAnswer> | null | undefined;
  const says = parseApproval(found?.says);
  if (says === undefined || typeof found?.answeredAt !== "number") return undefined;
  const { hash, previewHash, session, answeredAt } = found;
  if (!isText(hash) || !isText(previewHash) || !isText(session)) return undefined;
  return { says, hash, previewHash, session, answeredAt };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
