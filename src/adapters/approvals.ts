import { ToolError } from "../contract/error.ts";
import type { Approval, ApprovalRequest, Approve, CallOptions, Toolcrib } from "../toolcrib/index.ts";

/**
 * Approvals in the user interface of an SDK. The SDK asks its user between `needsApproval` and the call, perhaps in
 * another process; the answer counts for exactly the call that was shown.
 */
export class SdkApprovals {
  readonly #crib: Toolcrib;
  /** The questions of this process, by the call ids of the SDK. */
  readonly #shown = new Map<string, Shown>();

  /** The last question. SDKs ask about all calls of a reply at once, and make each call as soon as it has its answer. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(crib: Toolcrib) {
    this.#crib = crib;
  }

  /**
   * Returns whether the SDK has to ask. An SDK calls this again after the answer, with what its history says now: only the
   * first time is the call the one that is shown.
   */
  needsApproval(call: SdkCall, answered: { readonly isAnswered: boolean }): Promise<boolean> {
    const question = this.#last.then(() => this.#needsApproval(call, answered));
    this.#last = question.catch(() => {});
    return question;
  }

  async #needsApproval(
    { id, name, input }: SdkCall,
    { isAnswered }: { readonly isAnswered: boolean },
  ): Promise<boolean> {
    if (isAnswered) return (await this.#crib.check(name, input, { onlyOffered: true })).verdict === "ask";
    const pending = await this.#crib.approvals.ask(name, input, { onlyOffered: true });
    if (pending !== undefined) this.#shown.set(id, pending);
    return pending !== undefined;
  }

  /** Returns the options of a call that the user has approved in the SDK: it does not ask again. */
  approved(id: string, options: CallOptions): CallOptions {
    const own = this.#shown.get(id);
    this.#shown.delete(id);
    const shown = own ? [own] : this.#crib.approvals.list();
    return { ...options, approve: answerFor(shown, { allow: true, countsOnce: true }, options.approve) };
  }
}

/** Returns an `approve` that gives an answer to exactly the questions that were shown, and asks or fails for others. */
export function answerFor(shown: readonly Shown[], answer: Approval, otherwise?: Approve): Approve {
  return (request, ...asked) => {
    const { hash } = request;
    if (shown.some((one) => one.hash === hash && one.previewHash === request.previewHash))
      return answer.allow ? { ...answer, hash } : answer;
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
