import type { ToolCall } from "../../contract/call.ts";
import { inTurn } from "../in-turn.ts";
import type { Stage } from "../stage.ts";

/**
 * Calls of one shell that stays go one after the other, from their judgement on: what a command means there depends on
 * those before it, which have to have run by then.
 */
export function takeShellTurns(): Stage {
  const last = new Map<string, Promise<void>>();
  return async (call, next) => {
    const names = shellsOf(call);
    if (names.length === 0) return next(call);
    const before = names.flatMap((name) => last.get(name) ?? []);
    const { promise: turn, resolve: finish } = Promise.withResolvers<void>();
    for (const name of names) last.set(name, turn);
    const end = () => {
      finish();
      for (const name of names) if (last.get(name) === turn) last.delete(name);
    };
    return inTurn(call, next, { before, end });
  };
}

function shellsOf({ accesses }: ToolCall): readonly string[] {
  const names = accesses.flatMap((access) => (access.kind === "execute" ? (access.session ?? []) : []));
  return [...new Set(names)].sort();
}
