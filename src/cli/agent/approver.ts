import type { Approve } from "../../toolcrib/index.ts";
import { canAsk } from "../approval/can-ask.ts";
import type { Screen } from "./show/screen.ts";

/** Asks the person at the terminal, one question at a time; nobody, where nobody sits there. */
export function approverOn(
  screen: Screen,
  options: ReadonlyMap<string, string>,
  /** Has the keyboard for as long as the question stands. */
  withKeyboard: <Answer>(ask: () => Promise<Answer>) => Promise<Answer> = (ask) => ask(),
): Approve | undefined {
  if (options.has("jsonl") || !canAsk(options)) return undefined;
  let last: Promise<unknown> = Promise.resolve();
  return (request, signal) => {
    const ask = async () => {
      signal.throwIfAborted();
      const { approveOnTerminal } = await import("../approval/approve-on-terminal.ts");
      const { discardTyped } = await import("../approval/discard-typed.ts");
      await discardTyped();
      return approveOnTerminal(request, signal);
    };
    const answer = last.then(() => screen.whileAsking(() => withKeyboard(ask)));
    last = answer.catch(() => {});
    return answer;
  };
}
