import type { Outcome, ToolCall } from "../contract/call.ts";
import { untilAborted, whileWaitingFor } from "../lib/abort.ts";
import type { Next } from "./stage.ts";

/**
 * Lets a call run after those before it. Its turn ends when nothing of it is left: neither those it waited for, should it
 * be given up, nor work that outlives it. `signal`: it waits no longer.
 */
export async function inTurn(
  call: ToolCall,
  next: Next,
  turn: { readonly before: readonly Promise<unknown>[]; readonly signal?: AbortSignal; end(): void },
): Promise<Outcome> {
  const left = [...turn.before];
  try {
    const signal = turn.signal === undefined ? call.signal : AbortSignal.any([call.signal, turn.signal]);
    await untilAborted(Promise.all(turn.before), signal, whileWaitingFor("its turn"));
    return await next({
      ...call,
      outlivedBy: (work) => {
        left.push(work);
        call.outlivedBy(work);
      },
    });
  } finally {
    void Promise.allSettled(left).then(() => turn.end());
  }
}
