import { isMadeBy, type Outcome, type ToolCall } from "../../contract/call.ts";
import type { Environment } from "../../contract/environment.ts";
import { untilAborted, whileWaitingFor } from "../../lib/async/abort.ts";
import { isWithin } from "../../policy/guard-paths.ts";
import type { Next, Stage } from "../stage.ts";
import { isWriting, writtenPaths } from "../written-paths.ts";

/**
 * Makes calls wait for each other that write the same real path, or one inside the other. All others run in parallel. A
 * call does not wait for the one that made it.
 */
export function takeTurns(environment: Environment): Stage {
  const holders = new Set<{
    readonly id: string;
    readonly paths: readonly string[];
    readonly done: Promise<void>;
  }>();
  const inTurnOfPaths: Stage = async (call, next) => {
    const written = await writtenPaths({ ...call, environment });
    const paths = written.map(({ realPath }) => realPath);
    if (paths.length === 0) return next(call);
    const before = [...holders]
      .filter((holder) => overlap(holder.paths, paths) && !isMadeBy(call, holder.id))
      .map((holder) => holder.done);
    const { promise: done, resolve: finish } = Promise.withResolvers<void>();
    const turn = { id: call.id, paths, done };
    holders.add(turn);
    const run: Next = async (own) => {
      if (before.length > 0) await call.recheck?.();
      return next(own);
    };
    const end = () => {
      holders.delete(turn);
      finish();
    };
    return inTurn(call, run, { before, end });
  };
  return (call, next) => (call.accesses.some(isWriting) ? inTurnOfPaths(call, next) : next(call));
}

function overlap(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) => others.some((other) => isWithin(one, other) || isWithin(other, one)));
}

/**
 * Runs a call after the calls before it. Its turn ends when all of them and all work that outlives it have ended, even
 * if the call did not wait for them. `signal` ends the waiting.
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
