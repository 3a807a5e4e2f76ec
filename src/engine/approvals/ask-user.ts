import { untilAborted, whileWaitingFor } from "../../lib/async/abort.ts";
import type { Decision } from "../../policy/policy.ts";
import {
  AnsweredElsewhere,
  type Approval,
  type ApprovalRequest,
  type Approve,
  parseApproval,
} from "./approval-request.ts";
import { couldNotAsk, unreadableAnswer } from "./refusals.ts";

/**
 * Asks the user. When the rules change meanwhile, by an answer to another question or in another process, the call is
 * decided again: undefined when it needs no answer any more.
 */
export async function askUntilDecided(
  cancelled: AbortSignal,
  request: ApprovalRequest,
  {
    approve,
    rules,
    verdictNow,
    open,
  }: {
    readonly approve: Approve;
    readonly rules: ChangingRules;
    readonly verdictNow: () => Promise<Decision["verdict"]>;
    readonly open: OpenRequest;
  },
): Promise<Approval | undefined> {
  const decided = Promise.withResolvers<undefined>();
  const withdrawn = new AbortController();
  const decideAgain = async () => {
    const verdict = await verdictNow();
    if (verdict === "ask") return;
    decided.resolve(undefined);
    withdrawn.abort(new AnsweredElsewhere({ allow: verdict === "allow" }, "by new rules"));
  };
  // Rules that cannot be read decide nothing now. When the user answers, the call fails by them.
  const quietly = async (work: () => unknown) => {
    try {
      await work();
    } catch {}
  };
  const stop = rules.onChange?.(() => void quietly(decideAgain));
  const polling = setInterval(() => void quietly(() => rules.refreshed()), pollMs).unref();
  const prompt = {
    signal: AbortSignal.any([cancelled, withdrawn.signal]),
    ready: () => open.takeTurn().then(() => quietly(decideAgain)),
  };
  try {
    const approval = await Promise.race([ask(approve, request, prompt, cancelled), decided.promise]);
    // The answer of an approver whose call was cancelled is not the user's.
    if (approval && !cancelled.aborted) open.share(request, approval);
    return approval;
  } finally {
    stop?.();
    clearInterval(polling);
  }
}

/** Rules that other processes and answers may change. */
interface ChangingRules {
  refreshed(): unknown;
  onChange?(listener: () => void): () => void;
}

/** How long it takes at most until rules that another process adds answer a question here. */
const pollMs = 1_000;

async function ask(
  approve: Approve,
  request: ApprovalRequest,
  { signal, ready }: { readonly signal: AbortSignal; readonly ready: () => Promise<void> },
  cancelled: AbortSignal,
): Promise<Approval> {
  const asking = async () => approve(request, signal, ready);
  const answer = asking().catch((cause) => {
    throw couldNotAsk(cause);
  });
  const approval = parseApproval(await untilAborted(answer, cancelled, whileWaitingFor("approval")));
  if (!approval) throw unreadableAnswer();
  return approval;
}

/** Requests that wait for an answer, so that the user is not asked twice when one answer settles both calls. */
export class OpenRequests {
  readonly #open = new Map<string, Promise<SharedAnswer | undefined>>();
  /** Settles when the last question that took its turn is settled. */
  #turns: Promise<unknown> = Promise.resolve();

  /**
   * Resolves when the pending request for one of these grants, or for the same call, is settled; undefined when there
   * is none.
   */
  answered(keys: readonly string[]): Promise<SharedAnswer | undefined> | undefined {
    const key = keys.find((one) => this.#open.has(one));
    return key === undefined ? undefined : this.#open.get(key);
  }

  /** Runs `work`, which asks the user. Calls that need one of these grants, or are the same, wait meanwhile. */
  async ask<Answer>(keys: readonly string[], work: (open: OpenRequest) => Promise<Answer>): Promise<Answer> {
    const { promise: settled, resolve } = Promise.withResolvers<SharedAnswer | undefined>();
    for (const key of keys) this.#open.set(key, settled);
    let shared: SharedAnswer | undefined;
    const takeTurn = async () => {
      const before = this.#turns;
      this.#turns = before.then(() => settled);
      await before;
    };
    const share: OpenRequest["share"] = ({ hash, previewHash }, approval) => {
      if (!(approval.allow && approval.countsOnce)) shared = { hash, previewHash, approval };
    };
    try {
      return await work({ takeTurn, share });
    } finally {
      for (const key of keys) if (this.#open.get(key) === settled) this.#open.delete(key);
      resolve(shared);
    }
  }
}

export interface OpenRequest {
  /** Resolves when the questions that took their turn before are settled: their answers are remembered. */
  takeTurn(): Promise<void>;
  /** Lets the answer count for the same call of other agents that wait. */
  share(request: Pick<ApprovalRequest, "hash" | "previewHash">, approval: Approval): void;
}

/** The answer to a request, for the same call of other agents. */
interface SharedAnswer {
  readonly hash: string;
  readonly previewHash: string;
  readonly approval: Approval;
}

/** Answers a call like the same call of another agent, if what was shown is the same, too. Otherwise it asks. */
export function sameAnswer({ previewHash, approval }: SharedAnswer, approve: Approve): Approve {
  return (request, ...asked) => {
    if (!approval.allow) return approval;
    return request.previewHash === previewHash ? { allow: true } : approve(request, ...asked);
  };
}
