import { ToolError } from "../../contract/error.ts";
import type { ClientInfo } from "../../journal/journal.ts";
import { bigintAsText } from "../../lib/json/bigint-as-text.ts";
import { ApprovalFiles } from "../../system/approval-files.ts";
import { attemptQuietly } from "../../system/attempt.ts";
import { maxRuleBytes } from "../../system/policy-files.ts";
import { longAbandonedMs, newRecordName, ownerHasEnded } from "../../system/process-identity.ts";
import { type Approval, type ApprovalRequest, approvalId, toShownRequest } from "./approval-request.ts";
import { OpenQuestion } from "./open-question.ts";
import {
  type ApprovalAnswer,
  type FileName,
  isSame,
  type PendingApproval,
  parseAnswer,
  parseName,
  parsePending,
} from "./stored-approval.ts";

/** A session that asks, and its program. */
export interface Asker {
  readonly session: string;
  readonly client: ClientInfo;
}

/**
 * The pending approvals of one workspace, and their answers. They are stored where no tool and no confined command can
 * write; several processes may use them at once. A question is one of two files: `ID.question`, about a call that was
 * refused and may be made again, and `ID.WAITER.question`, about a call that waits. Its answer has the same name.
 */
export class PendingApprovals {
  readonly #files: ApprovalFiles;
  readonly #workspace: string;

  constructor({ folder, workspace }: { readonly folder: string; readonly workspace: string }) {
    this.#files = new ApprovalFiles(folder);
    this.#workspace = workspace;
  }

  /** Returns the approvals that are unanswered or whose answer has not been used, oldest first. Equal ones are one. */
  list(): readonly PendingApproval[] {
    const names = this.#files.names().flatMap((name) => parseName(name) ?? []);
    const ids = new Set(names.flatMap(({ id, kind }) => (kind === "question" ? [id] : [])));
    return [...ids]
      .flatMap((id) => this.#found(id, names) ?? [])
      .sort((one, other) => one.askedAt - other.askedAt || (one.id < other.id ? -1 : 1));
  }

  find(id: string): PendingApproval | undefined {
    const names = this.#files.names().flatMap((name) => parseName(name) ?? []);
    return this.#found(id, names);
  }

  /**
   * Stores the request of a call that is refused; storing it again only renews its time. Returns undefined when it is
   * too long to be shown, and when another request has its id, because the request that the user is about to answer must
   * not be replaced.
   */
  store(request: ApprovalRequest, asker: Asker, sdkCall?: string): PendingApproval | undefined {
    const described = this.describe(request, asker);
    return this.keep(sdkCall ? { ...described, sdkCalls: [sdkCall] } : described);
  }

  /** Stores the request of a call that waits, until it is closed or this process ends. Otherwise like `store`. */
  open(request: ApprovalRequest, asker: Asker): OpenQuestion | undefined {
    const waiter = newRecordName();
    const pending = this.keep(this.describe(request, asker), waiter);
    if (pending === undefined) return undefined;
    // The call was made again, and waits now.
    this.#files.remove(`${pending.id}.question`);
    return new OpenQuestion(pending, `${pending.id}.${waiter}`, this.#files);
  }

  /**
   * Stores the user's answer: for every equal call that waits, else for the next such call, where it replaces an earlier
   * answer. Throws `stale` when the request is no longer pending.
   */
  answer(pending: PendingApproval, answer: ApprovalAnswer["says"]): void {
    const { id, hash, previewHash, session } = pending;
    const isForSession = answer.allow && answer.remember === "session";
    // The user was shown one session: the same call of another one is allowed once.
    const textFor = (asking: string) => {
      const says: Approval = isForSession && asking !== session ? { allow: true } : answer;
      const stored: ApprovalAnswer = { says, hash, previewHash, session, answeredAt: Date.now() };
      return JSON.stringify(stored);
    };
    const waiting = this.#questions(id).filter(
      (found) => found.waiter !== undefined && isSame(found, pending),
    );
    // The first answer counts, and none to a question that its own program has answered meanwhile.
    const taken = waiting.filter(({ name, session: asking }) => {
      const text = textFor(asking);
      if (!this.#files.create(`${name}.answer`, text)) return false;
      if (this.#files.has(`${name}.question`)) return true;
      // The asking program removes or replaces an answer that it uses. It may have been that fast.
      return this.#files.take(`${name}.answer`) !== text;
    });
    if (taken.length > 0) return;
    if (waiting.length > 0 || !this.#questions(id).some((found) => isSame(found, pending)))
      throw noLongerPending(id);
    this.#files.write(`${id}.answer`, textFor(session));
  }

  /** Returns the answer to exactly this call, if there is one. An approval counts once; a refusal stays for a while. */
  take(request: ApprovalRequest, session: string): Approval | undefined {
    const { hash, previewHash } = request;
    const name = `${approvalId(request)}.answer`;
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
    this.#files.remove(`${approvalId(request)}.question`);
    return taken.says.allow ? { ...taken.says, hash, countsOnce: true } : taken.says;
  }

  /** Removes the stored request of a call that needs no answer any more. */
  forget(request: Pick<ApprovalRequest, "hash" | "previewHash">): void {
    this.#files.remove(`${approvalId(request)}.question`);
  }

  #found(id: string, names: readonly FileName[]): PendingApproval | undefined {
    const [latest, ...others] = this.#questions(id, names).toSorted(
      (one, other) => other.askedAt - one.askedAt,
    );
    if (latest === undefined) return undefined;
    const equal = [latest, ...others.filter((found) => isSame(found, latest))];
    const { name, waiter: _, ...pending } = latest;
    const answer = parseAnswer(attemptQuietly(() => this.#files.read(`${name}.answer`)));
    const isOfThis = answer && isSame(answer, latest);
    const isOver = answer && isOlder(answer.answeredAt, maxAnswerMs);
    // The user has said no, and the call was not made again since: there is nothing to ask.
    if (isOfThis && isOver && !answer.says.allow && answer.answeredAt >= latest.askedAt) return undefined;
    return {
      ...pending,
      askedAt: Math.min(...equal.map(({ askedAt }) => askedAt)),
      waiting: equal.filter(({ waiter }) => waiter !== undefined).length,
      answer: isOfThis ? answer : undefined,
    };
  }

  /** Returns the stored requests with an id, without those of processes that have ended. */
  #questions(id: string, among?: readonly FileName[]): readonly StoredQuestion[] {
    const names = among ?? this.#files.names().flatMap((name) => parseName(name) ?? []);
    return names.flatMap(({ id: other, waiter, kind, name }) => {
      if (other !== id || kind !== "question") return [];
      // A file that cannot be read must not hide the others.
      const pending = parsePending(attemptQuietly(() => this.#files.read(`${name}.question`)));
      if (pending?.id !== id) return [];
      const age = Date.now() - pending.askedAt;
      const isOver = waiter
        ? ownerHasEnded(waiter, age, maxPendingMs)
        : isOlder(pending.askedAt, maxPendingMs);
      return isOver ? [] : [{ ...pending, name, waiter }];
    });
  }

  /** Returns the request as it would be stored. */
  describe(request: ApprovalRequest, asker: Asker): PendingApproval {
    const { hash, previewHash } = request;
    const base = { id: approvalId(request), workspace: this.#workspace, ...asker, askedAt: Date.now() };
    return { ...base, hash, previewHash, request: toShownRequest(request), waiting: 0 };
  }

  /** Stores a described request. Otherwise like `store`. */
  keep({ waiting: _, ...described }: PendingApproval, waiter?: string): PendingApproval | undefined {
    this.#tidy();
    const { id, sdkCalls = [] } = described;
    const other = this.find(id);
    if (other && !isSame(other, described)) return undefined;
    const asking = [...new Set([...(other?.sdkCalls ?? []), ...sdkCalls])].slice(-maxSdkCalls);
    const pending = { ...described, askedAt: Date.now(), sdkCalls: asking.length > 0 ? asking : undefined };
    const text = JSON.stringify(pending, bigintAsText);
    if (Buffer.byteLength(text) > maxRuleBytes) return undefined;
    this.#files.write(waiter === undefined ? `${id}.question` : `${id}.${waiter}.question`, text);
    return { ...pending, waiting: waiter === undefined ? 0 : 1 };
  }

  /** Deletes the oldest requests to make space for one more. Answered ones stay until they are used or expire. */
  #tidy(): void {
    // Listed first: a question that another process stores meanwhile must stay.
    const names = this.#files.names();
    const all = this.list();
    const answered = all.filter(({ answer, waiting }) => answer !== undefined || waiting > 0);
    const open = all.filter(({ answer, waiting }) => answer === undefined && waiting === 0);
    const ids = new Set([...answered, ...open.slice(1 - maxPending)].map(({ id }) => id));
    for (const name of names) {
      const found = parseName(name);
      if (found === undefined) continue;
      const isLeft = found.waiter !== undefined && ownerHasEnded(found.waiter, 0, longAbandonedMs);
      if (isLeft || !ids.has(found.id)) this.#files.remove(name);
    }
  }
}

interface StoredQuestion extends PendingApproval, Pick<FileName, "name" | "waiter"> {}

function noLongerPending(id: string): ToolError {
  return new ToolError("stale", `The approval ${id} is no longer pending: it was answered elsewhere`, {
    hint: "To list the pending approvals, run: toolcrib approve --all",
  });
}

const maxPending = 50;
/** The most equal calls of SDKs that one question is about. */
const maxSdkCalls = 100;
const maxPendingMs = 24 * 60 * 60 * 1000;
const maxAnswerMs = 10 * 60 * 1000;

/** Returns whether a time is too long ago. Also true of times in the future, which would otherwise never expire. */
function isOlder(time: number, maxMs: number): boolean {
  const age = Date.now() - time;
  return age > maxMs || age < -maxMs;
}
