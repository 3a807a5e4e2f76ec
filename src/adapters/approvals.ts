import { ToolError } from "../contract/error.ts";
import type { Approval, ApprovalRequest, Approve, CallOptions, Toolcrib } from "../toolcrib/index.ts";

/**
 * Approvals in the user interface of an SDK. The SDK asks its user between `needsApproval` and the call, perhaps in
 * another process; the answer counts for exactly the call that was shown.
 */
export class SdkApprovals {
  readonly #crib: Toolcrib;
  /** The latest questions of this process, by the call ids of the SDK; "made" once the call was made. */
  readonly #shown = new Map<string, Shown | "made">();

  /** The last question. SDKs ask about all calls of a reply at once, and make each call as soon as it has its answer. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(crib: Toolcrib) {
    this.#crib = crib;
  }

  /**
   * Returns whether the SDK has to ask. An SDK calls this again after the answer, with what its history says now: only the
   * first time is the call the one that is shown.
   */
  needsApproval(call: SdkCall, answer: boolean | undefined): Promise<boolean> {
    const question = this.#last.then(() => this.#needsApproval(call, answer));
    this.#last = question.catch(() => {});
    return question;
  }

  async #needsApproval({ id, name, input }: SdkCall, answer: boolean | undefined): Promise<boolean> {
    const { approvals } = this.#crib;
    if (answer === undefined) {
      const pending = await approvals.ask(name, input, { onlyOffered: true, sdkCall: id });
      if (pending !== undefined) this.#remember(id, pending);
      return pending !== undefined;
    }
    const { request } = await this.#crib.check(name, input, { onlyOffered: true });
    // A question that the user has denied must not be approved by the answer to another one.
    const denied = answer || !request ? [] : approvals.list().filter((pending) => isSame(pending, request));
    for (const pending of denied) approvals.withdraw(pending);
    return request !== null;
  }

  /** Returns the options of a call that the user has approved in the SDK: it does not ask again. */
  approved(id: string, options: CallOptions): CallOptions {
    const known = this.#shown.get(id);
    const shown = known === undefined ? this.#shownElsewhere(id) : known === "made" ? [] : [known];
    this.#remember(id, "made");
    return { ...options, approve: answerFor(shown, { allow: true, countsOnce: true }, options.approve) };
  }

  /** Forgets the oldest calls: their questions are stored, until they are answered. */
  #remember(id: string, call: Shown | "made"): void {
    this.#shown.delete(id);
    this.#shown.set(id, call);
    for (const oldest of this.#shown.keys()) if (this.#shown.size > maxShown) this.#shown.delete(oldest);
  }

  /** Returns the questions about a call that another process has shown. */
  #shownElsewhere(id: string): readonly Shown[] {
    return this.#crib.approvals.list().filter(({ sdkCalls = [] }) => sdkCalls.includes(id));
  }
}

const maxShown = 1000;

function isSame(one: Shown, other: Shown): boolean {
  return one.hash === other.hash && one.previewHash === other.previewHash;
}

/** Returns an `approve` that gives an answer to exactly the questions that were shown, and asks or fails for others. */
export function answerFor(shown: readonly Shown[], answer: Approval, otherwise?: Approve): Approve {
  return (request, ...asked) => {
    const { hash } = request;
    if (shown.some((one) => isSame(one, request))) return answer.allow ? { ...answer, hash } : answer;
    if (otherwise) return otherwise(request, ...asked);
    throw new ToolError("needs-approval", "This call is not the one that the user approved", {
      hint: "Nothing was done: the call or its files have changed. Make the call again.",
    });
  };
}

export interface SdkCall {
  /** The id of the call in the SDK. */
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

type Shown = Pick<ApprovalRequest, "hash" | "previewHash">;
