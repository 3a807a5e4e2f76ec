import { ToolError } from "../../contract/error.ts";
import type { PolicyMode } from "../../policy/policy.ts";
import { attemptQuietly } from "../../system/attempt.ts";
import { policyFiles } from "../../system/policy-files.ts";
import {
  type Approval,
  type ApprovalRequest,
  type Approve,
  parseApproval,
  rulesOfWidth,
} from "./approval-request.ts";
import { askOutside, askVisibly } from "./ask-anywhere.ts";
import { addGrant } from "./grants.ts";
import { type Asker, askerEnded, type PendingApproval, QuestionStore } from "./question-store.ts";
import { needsApproval, unreadableAnswer } from "./refusals.ts";

/** The questions about calls of a workspace, and the user's answers. Use it for the user, never for a model. */
export interface Approvals {
  /** Returns the calls of this workspace that wait for an answer, or were refused without one, oldest first. */
  list(): readonly PendingApproval[];
  /**
   * Answers for the user. The answer counts for exactly the call that was shown: for each equal call that waits, else for
   * the next one, within 10 minutes. Rejects with `not-found` or `stale` when the question is no longer pending.
   */
  answer(id: string, answer: Approval): Promise<void>;
  /**
   * Stores the question about a call without making the call, so that the user can answer it here or elsewhere. Returns
   * undefined when the call would not ask: it would run, or be denied.
   */
  ask(name: string, input: unknown, options?: AskOptions): Promise<PendingApproval | undefined>;
  /** Removes a question that was stored by `ask` and needs no answer any more. Calls that wait keep theirs. */
  withdraw(pending: PendingApproval): void;
}

/** How the call is looked up and checked, as in `Toolcrib.check`. */
interface CheckOptions {
  readonly signal?: AbortSignal | undefined;
  readonly mustAsk?: string | undefined;
  readonly onlyOffered?: boolean | undefined;
}

export interface AskOptions extends CheckOptions {
  /** The id of the call in your SDK, to find the question again: `PendingApproval.sdkCalls`. */
  readonly sdkCall?: string | undefined;
}

interface ApprovalParts {
  readonly directories: { readonly state: string; readonly config: string };
  readonly asker: () => Asker;
  readonly mode: () => PolicyMode;
  /** Returns the request of a call that would ask. */
  readonly request: (
    name: string,
    input: unknown,
    options: CheckOptions | undefined,
  ) => Promise<ApprovalRequest | undefined>;
}

/** The questions of all workspaces, for the user to list and answer. */
export class AllPendingApprovals {
  readonly #store: QuestionStore;
  readonly #config: string;

  constructor(directories: { readonly state: string; readonly config: string }) {
    this.#store = new QuestionStore(directories.state);
    this.#config = directories.config;
  }

  /** Returns the pending approvals of one workspace, or of all, oldest first. */
  list(workspace?: string): readonly PendingApproval[] {
    return this.#store.list(workspace);
  }

  /** Returns undefined when no question has this id. Throws `stale` when the session that asked it has ended. */
  find(id: string): PendingApproval | undefined {
    const found = this.#store.find(id);
    if (found === undefined && this.#store.hasEnded(id)) throw askerEnded(id);
    return found;
  }

  /** Answers a question. "always" also writes its rules, which then apply to every session in that workspace. */
  async answer(pending: PendingApproval, answer: Approval): Promise<void> {
    const { id, workspace, request } = pending;
    // A waiting call was checked without the new rules, so it needs the answer too. An answer that comes too late adds none.
    const isForSession = answer.allow && answer.remember === "session";
    this.#store.answer(pending, answer.allow && !isForSession ? { allow: true } : answer);
    if (!answer.allow || answer.remember !== "always") return;
    const { granted } = policyFiles(this.#config, workspace);
    await addGrant(granted, rulesOfWidth(request, answer.width), `approval ${id}`);
  }
}

export class WorkspaceApprovals implements Approvals {
  readonly #parts: ApprovalParts;
  readonly #store: QuestionStore;
  /** Requests of calls that this instance refused and did not store, by id. */
  readonly #refused = new Map<string, PendingApproval>();
  #hasAsked = false;

  constructor(parts: ApprovalParts) {
    this.#parts = parts;
    this.#store = new QuestionStore(parts.directories.state);
  }

  list(): readonly PendingApproval[] {
    const stored = this.#store.list(this.#parts.asker().workspace);
    const others = [...this.#refused.values()].filter(({ id }) => !stored.some((one) => one.id === id));
    return [...stored, ...others].sort((one, other) => one.askedAt - other.askedAt);
  }

  async answer(id: string, given: Approval): Promise<void> {
    const answer = parseApproval(given);
    if (answer === undefined) throw unreadableAnswer();
    const pending = this.list().find((one) => one.id === id);
    if (pending === undefined) throw this.#store.hasEnded(id) ? askerEnded(id) : notPending(id);
    if (answer.allow && (answer.hash ?? pending.hash) !== pending.hash)
      throw new ToolError("stale", `The approval ${id} is about another call now`, {
        hint: "Show the request again: toolcrib.approvals.list()",
      });
    if (answer.allow && answer.remember !== undefined && pending.request.grants.length === 0)
      throw new ToolError("invalid-input", "This call can only be allowed once", {
        hint: "Answer without `remember`.",
      });
    if (this.#refused.has(id) && !this.#keep(pending)) throw notStored(id);
    this.#refused.delete(id);
    await new AllPendingApprovals(this.#parts.directories).answer(pending, answer);
  }

  async ask(
    name: string,
    input: unknown,
    { sdkCall, ...options }: AskOptions = {},
  ): Promise<PendingApproval | undefined> {
    const request = await this.#parts.request(name, input, options);
    if (request === undefined) return undefined;
    const pending = this.#store.describe(request, this.#parts.asker());
    // The SDK may make the call in another process.
    const asked = { ...pending, ...(sdkCall !== undefined && { sdkCalls: [sdkCall] }) };
    return this.#store.store(asked, { outlivesSession: true });
  }

  withdraw(pending: PendingApproval): void {
    this.#store.forget(pending);
  }

  /** Ends the questions of this session. */
  close(): void {
    if (this.#hasAsked) attemptQuietly(() => this.#store.endSession(this.#parts.asker().session));
  }

  /** Asks through the program's own prompt, if it has one, and lets the user answer elsewhere. */
  approver(
    prompt: Approve | undefined,
    outside: { readonly isStored: boolean; readonly waitMs: number | undefined; readonly notify: Notify },
  ): Approve {
    const questions = { store: this.#store, asker: this.#parts.asker() };
    this.#hasAsked = true;
    if (prompt) return askVisibly(prompt, questions);
    if (outside.isStored) return askOutside({ ...questions, ...outside });
    return (request) => {
      const earlier = attemptQuietly(() => this.#store.take(request, questions.asker));
      return earlier ?? this.#refuse(request);
    };
  }

  /** Stores a question that was only listed here. Its session may have ended when the call is made again. */
  #keep(pending: PendingApproval): boolean {
    return this.#store.store(pending, { outlivesSession: true }) !== undefined;
  }

  #refuse(request: ApprovalRequest): never {
    const { id } = request;
    this.#refused.delete(id);
    this.#refused.set(id, this.#store.describe(request, this.#parts.asker()));
    for (const oldest of this.#refused.keys())
      if (this.#refused.size > maxRefused) this.#refused.delete(oldest);
    const mode = this.#parts.mode();
    throw needsApproval({ verdict: "ask", parts: request.parts }, { ...request, mode }, request);
  }
}

type Notify = (request: ApprovalRequest, message: string) => void;

const maxRefused = 50;

/** The question stays in the list. */
function notStored(id: string): ToolError {
  return new ToolError(
    "unavailable",
    `The question ${id} is too long to be stored, so its answer cannot be kept`,
    {
      hint: "Pass `approve` to the call or to openToolcrib: it answers while the call waits.",
    },
  );
}

function notPending(id: string): ToolError {
  return new ToolError("not-found", `No approval with the id ${JSON.stringify(id)} is pending`, {
    hint: "List the pending approvals: toolcrib.approvals.list()",
  });
}
