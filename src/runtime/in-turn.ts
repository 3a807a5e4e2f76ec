import type { Outcome, ToolCall } from "../contract/call.ts";
import type { Next } from "./stage.ts";
import { untilAborted } from "./until-aborted.ts";

/**
 * Lets a call run after those before it. Its turn ends when nothing of it is left: neither those it waited for, should it
 * be given up, nor work that outlives it.
 */
export async function inTurn(
  call: ToolCall,
  next: Next,
  turn: { readonly before: readonly Promise<unknown>[]; end(): void },
): Promise<Outcome> {
  const left = [...turn.before];
  try {
    await untilAborted(Promise.all(turn.before), call.signal, "its turn");
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
