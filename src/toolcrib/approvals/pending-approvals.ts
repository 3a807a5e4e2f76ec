import type { Approval, ApprovalRequest } from "../../pipeline/approvals/approval.ts";
import { hashValue } from "../../pipeline/approvals/hash-call.ts";
import { ApprovalFiles } from "../../system/approval-files.ts";
import {
  type ApprovalAnswer,
  type PendingApproval,
  readAnswer,
  readQuestion,
  writeAnswer,
  writeQuestion,
} from "./approval-file.ts";

/**
 * The questions of one workspace that nobody could be asked, and the answers that wait for the call to be made again.
 * They lie where no tool and no confined command comes; several processes may use them at once.
 */
export class PendingApprovals {
  readonly #files: ApprovalFiles;
  readonly #workspace: string;

  constructor({ folder, workspace }: { readonly folder: string; readonly workspace: string }) {
    this.#files = new ApprovalFiles(folder);
    this.#workspace = workspace;
  }

  /** Those that are still open or whose answer has not been used, the oldest first. */
  list(): readonly PendingApproval[] {
    const ids = this.#files.names().flatMap((name) => /^(\w+)\.question$/.exec(name)?.[1] ?? []);
    return ids
      .flatMap((id) => this.find(id) ?? [])
      .sort((one, other) => one.askedAt - other.askedAt || (one.id < other.id ? -1 : 1));
  }

  find(id: string): PendingApproval | undefined {
    if (!/^\w+$/.test(id)) return undefined;
    const question = readQuestion(this.#files.read(`${id}.question`));
    if (question?.id !== id || isOlder(question.askedAt, maxQuestionMs)) return undefined;
    const answer = this.#answerTo(question);
    return answer ? { ...question, answer } : question;
  }

  /**
   * Writes a question down; the same one again only becomes newer. Undefined where it is too long to be shown, and where
   * another has its id: what a person is about to answer must not become something else.
   */
  keep(request: ApprovalRequest, session: string): PendingApproval | undefined {
    this.#tidy();
    const { hash, previewHash } = request;
    const question = {
      id: idOf(request),
      workspace: this.#workspace,
      session,
      askedAt: Date.now(),
      hash,
      previewHash,
      request,
    };
    const other = this.find(question.id);
    if (other && (other.hash !== hash || other.previewHash !== previewHash)) return undefined;
    const text = writeQuestion(question);
    if (text.length > maxChars) return undefined;
    this.#files.write(`${question.id}.question`, text);
    return question;
  }

  /** What the person says to what was shown; an earlier answer is replaced. */
  answer(question: PendingApproval, answer: ApprovalAnswer["says"]): void {
    const { id, hash, previewHash, session } = question;
    const text = writeAnswer({ says: answer, hash, previewHash, session, answeredAt: Date.now() });
    this.#files.write(`${id}.answer`, text);
  }

  /** The answer to this very call, if there is one: one that allows can be had once, a refusal stands for a while. */
  take(request: ApprovalRequest, session: string): Approval | undefined {
    const { hash, previewHash } = request;
    const name = `${idOf(request)}.answer`;
    const isMeant = (answer: ApprovalAnswer | undefined): answer is ApprovalAnswer =>
      answer?.hash === hash &&
      answer.previewHash === previewHash &&
      !isOlder(answer.answeredAt, maxAnswerMs) &&
      (answer.says.allow === false || answer.says.remember !== "session" || answer.session === session);
    const seen = readAnswer(this.#files.read(name));
    if (!isMeant(seen)) return undefined;
    if (!seen.says.allow) return seen.says;
    // Whoever else has read it, one gets it.
    const taken = readAnswer(this.#files.take(name));
    if (!isMeant(taken)) return undefined;
    this.#files.remove(`${idOf(request)}.question`);
    return taken.says.allow ? { ...taken.says, hash } : taken.says;
  }

  #answerTo({ id, hash, previewHash }: PendingApproval): ApprovalAnswer | undefined {
    const answer = readAnswer(this.#files.read(`${id}.answer`));
    const isOfThis = answer?.hash === hash && answer.previewHash === previewHash;
    return isOfThis && !isOlder(answer.answeredAt, maxAnswerMs) ? answer : undefined;
  }

  /** Makes room for one more: what a person has answered stays until it has been used, or counts no longer. */
  #tidy(): void {
    const all = this.list();
    const answered = all.filter(({ answer }) => answer !== undefined);
    const open = all.filter(({ answer }) => answer === undefined);
    const ids = new Set([...answered, ...open.slice(1 - maxQuestions)].map(({ id }) => id));
    for (const name of this.#files.names()) {
      const [, id] = /^(\w+)\.(?:question|answer)$/.exec(name) ?? [];
      if (id !== undefined && !ids.has(id)) this.#files.remove(name);
    }
  }
}

const maxQuestions = 50;
const maxChars = 1024 * 1024;
const maxQuestionMs = 24 * 60 * 60 * 1000;
const maxAnswerMs = 10 * 60 * 1000;

/** Also what claims to come from the future: nobody knows how long it would count. */
function isOlder(time: number, maxMs: number): boolean {
  const age = Date.now() - time;
  return age > maxMs || age < -maxMs;
}

/**
 * The same for the same call, and short enough to be typed. Two calls may share one: the later is not kept, and answers
 * are compared by the whole hashes.
 */
function idOf({ hash, previewHash }: Pick<ApprovalRequest, "hash" | "previewHash">): string {
  const digest = BigInt(`0x${hashValue([hash, previewHash])}`);
  return Array.from({ length: 6 }, (_, place) => letters[Number((digest >> BigInt(place * 5)) & 31n)]).join(
    "",
  );
}

/** None that look alike. */
const letters = "23456789abcdefghijkmnpqrstuvwxyz";
