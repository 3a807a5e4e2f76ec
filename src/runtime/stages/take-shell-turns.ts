import type { ToolCall } from "../../contract/call.ts";
import type { Stage } from "../stage.ts";
import { untilAborted } from "../until-aborted.ts";

/**
 * Calls of one shell that stays go one after the other, from their judgement on: what a command means there depends on
 * those before it, which have to have run by then.
 */
export function takeShellTurns(): Stage {
  const last = new Map<string, Promise<unknown>>();
  return async (call, next) => {
    const names = shellsOf(call);
    if (names.length === 0) return next(call);
    const before = Promise.all(names.map((name) => last.get(name)));
    const { promise: done, resolve: finish } = Promise.withResolvers<void>();
    const turn = before.then(() => done);
    for (const name of names) last.set(name, turn);
    // Work that outlives the call still belongs to its turn.
    const left: Promise<unknown>[] = [];
    try {
      await untilAborted(before, call.signal, "its turn");
      return await next({
        ...call,
        outlivedBy: (work) => {
          left.push(work);
          call.outlivedBy(work);
        },
      });
    } finally {
      void Promise.allSettled(left).then(() => {
        finish();
        for (const name of names) if (last.get(name) === turn) last.delete(name);
      });
    }
  };
}

function shellsOf({ accesses }: ToolCall): readonly string[] {
  const names = accesses.flatMap((access) => (access.kind === "execute" ? (access.session ?? []) : []));
  return [...new Set(names)].sort();
}
