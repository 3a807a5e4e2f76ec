import { setTimeout as wait } from "node:timers/promises";
import type { Approval, ApprovalRequest, Approve } from "../../pipeline/approvals/approval.ts";
import { askedForLater, needsApproval } from "../../pipeline/approvals/refusals.ts";
import type { PendingApprovals } from "./pending-approvals.ts";

export interface KeepingOptions {
  readonly questions: PendingApprovals;
  /** Of the room that asks. */
  readonly session: string;
  /** How long a call waits for its answer before it is refused; not at all if not said. */
  readonly waitMs?: number | undefined;
  /** Says that a call waits. */
  readonly tell: (request: ApprovalRequest, message: string) => void;
}

/** Asks by writing the question down: a person answers it elsewhere, and the answer counts for the same call made again. */
export function storeApproval({ questions, session, waitMs = 0, tell }: KeepingOptions): Approve {
  return async (request, signal) => {
    const answer = questions.take(request, session);
    if (answer) return answer;
    const kept = questions.keep(request, session);
    if (!kept) throw needsApproval({ verdict: "ask", parts: request.parts });
    if (waitMs > 0) {
      tell(request, `Waiting for a person: toolcrib approve ${kept.id}`);
      const late = await firstOf(() => questions.take(request, session), { waitMs, signal });
      if (late) return late;
    }
    throw askedForLater(kept.id, request.parts);
  };
}

async function firstOf(
  take: () => Approval | undefined,
  { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
): Promise<Approval | undefined> {
  const end = performance.now() + waitMs;
  for (;;) {
    const leftMs = end - performance.now();
    if (leftMs <= 0) return undefined;
    await wait(Math.min(lookEveryMs, leftMs), undefined, { signal });
    const answer = take();
    if (answer) return answer;
  }
}

const lookEveryMs = 200;
