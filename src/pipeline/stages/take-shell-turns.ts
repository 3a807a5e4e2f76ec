import { isMadeBy, type ToolCall } from "../../contract/call.ts";
import { isBusy, sessionBusy } from "../../lib/session-busy-error.ts";
import { redactText } from "../../policy/redaction/redact.ts";
import type { Stage } from "../stage.ts";
import { inTurn } from "./take-turns.ts";

/**
 * Makes calls in one persistent shell run one after the other, from the policy check on, because the meaning of a
 * command there depends on the commands before it.
 */
export function takeShellTurns(): Stage {
  const last = new Map<
    string,
    { readonly id: string; readonly done: Promise<void>; readonly command: string }
  >();
  return (call, next) => {
    const shells = shellsOf(call);
    // A call that another one makes has the turn of that one.
    for (const name of shells.keys()) if (isMadeBy(call, last.get(name)?.id ?? "")) shells.delete(name);
    if (shells.size === 0) return next(call);
    const before = [...shells.keys()].flatMap((name) => {
      const turn = last.get(name);
      return turn === undefined ? [] : [{ name, ...turn }];
    });
    const { promise: done, resolve: finish } = Promise.withResolvers<void>();
    for (const [name, command] of shells) last.set(name, { id: call.id, done, command });
    const end = () => {
      finish();
      for (const name of shells.keys()) if (last.get(name)?.done === done) last.delete(name);
    };
    const [busy] = before;
    if (busy !== undefined)
      call.notify({ type: "progress", message: `${isBusy(busy.name, busy.command)}: waiting.` });
    const patience = new AbortController();
    const patienceMs = call.tool.patienceMs?.(call.input);
    const timer =
      busy === undefined || patienceMs === undefined
        ? undefined
        : setTimeout(() => patience.abort(sessionBusy(busy.name, busy.command)), patienceMs);
    const waits = { signal: patience.signal, before: before.map((turn) => turn.done), end };
    const begin: typeof next = (own) => {
      clearTimeout(timer);
      return next(own);
    };
    return inTurn(call, begin, waits).finally(() => clearTimeout(timer));
  };
}

/** Returns the shells that a call uses, by name, with its command. */
function shellsOf({ accesses }: ToolCall): Map<string, string> {
  const shells = accesses.flatMap((access) =>
    access.kind === "execute" && access.session !== undefined
      ? [[access.session, redactText(access.command)] as const]
      : [],
  );
  return new Map(shells);
}
