import { setTimeout as pause } from "node:timers/promises";
import { ToolError } from "../../contract/error.ts";
import { untilAborted } from "../../lib/async/abort.ts";
import { attemptQuietly } from "../../system/attempt.ts";
import { AnsweredElsewhere, type Approval, type ApprovalRequest, type Approve } from "./approval-request.ts";
import type { Asker, OpenQuestion, PendingApproval, QuestionStore } from "./question-store.ts";
import { approvalPending, needsApproval } from "./refusals.ts";

interface Questions {
  readonly store: QuestionStore;
  readonly asker: Asker;
}

/**
 * Asks through the program's own prompt, and stores the question while it waits, so that the user can answer it in
 * another program, too. The first answer counts, and withdraws the other question.
 */
export function askVisibly(prompt: Approve, { store, asker }: Questions): Approve {
  return async (request, signal, ready) => {
    const earlier = attemptQuietly(() => store.take(request, asker));
    if (earlier) return earlier;
    const withdrawn = new AbortController();
    const either = AbortSignal.any([signal, withdrawn.signal]);
    const own = Promise.resolve(prompt({ ...request, client: asker.client }, either, ready));
    try {
      // Programs that answer by themselves ask no one. Without a place to store it, a question is only shown.
      const isAnswered = await isSettled(own);
      signal.throwIfAborted();
      const question = isAnswered ? undefined : attemptQuietly(() => store.open(request, asker));
      if (question === undefined)
        return await own.finally(() => attemptQuietly(() => store.forget({ ...request, ...asker })));
      const first = await firstAnswer(own, question, signal);
      if ("own" in first) return first.own;
      withdrawn.abort(new AnsweredElsewhere(first.outside, "answered elsewhere"));
      return first.outside;
    } catch (error) {
      // The client makes the call again with the answer. The question stays pending until then.
      const isAskedLater = error instanceof ToolError && error.details?.kind === "asked-by-client";
      if (isAskedLater && !signal.aborted) attemptQuietly(() => keep(request, { store, asker }));
      throw error;
    }
  };
}

/**
 * Stores the question for `toolcrib approve` and the console, for programs that cannot ask. The call waits, and is then
 * refused with the id of the pending approval: the answer counts when the call is made again.
 */
export function askOutside({
  store,
  asker,
  waitMs = 0,
  notify,
}: Questions & {
  /** The time that a call waits for its answer before it is refused. Default: 0. */
  readonly waitMs?: number | undefined;
  /** Reports that a call waits. */
  readonly notify: (request: ApprovalRequest, message: string) => void;
}): Approve {
  return async (request, signal) => {
    signal.throwIfAborted();
    const earlier = store.take(request, asker);
    if (earlier) return earlier;
    const cannotAsk = () => needsApproval({ verdict: "ask", parts: request.parts }, request, request);
    if (waitMs > 0) {
      const question = store.open(request, asker);
      if (!question) throw cannotAsk();
      notify(request, `Waiting for approval: toolcrib approve ${question.pending.id}`);
      const over = new AbortController();
      const patience = pause(waitMs, undefined, { signal: over.signal });
      const first = await firstAnswer(patience, question, signal).finally(() => over.abort());
      if ("outside" in first) return first.outside;
    }
    if (!keep(request, { store, asker })) throw cannotAsk();
    throw approvalPending(request);
  };
}

/** Stores the question of a call that is refused now. */
function keep(request: ApprovalRequest, { store, asker }: Questions): PendingApproval | undefined {
  return store.store(store.describe(request, asker), { outlivesSession: false });
}

/** Whether a prompt answers, or fails, at once. */
async function isSettled(own: Promise<Approval>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, promptMs, false);
  own.then(
    () => resolve(true),
    () => resolve(true),
  );
  return promise.finally(() => clearTimeout(timer));
}

/** The user takes longer than this to answer. */
const promptMs = 20;

/** Returns the first answer. The question is no longer pending then. */
async function firstAnswer<Own>(
  own: Promise<Own>,
  question: OpenQuestion,
  signal: AbortSignal,
): Promise<{ readonly own: Own } | { readonly outside: Approval }> {
  const over = new AbortController();
  const outside = question.answered(over.signal).then((approval) => ({ outside: approval }));
  const inside = untilAborted(own, signal).then((answer) => ({ own: answer }));
  try {
    const first = await Promise.race([outside, inside]);
    const earlier = attemptQuietly(() => question.close());
    return earlier ? { outside: earlier } : first;
  } catch (error) {
    attemptQuietly(() => question.close());
    throw error;
  } finally {
    over.abort();
  }
}
