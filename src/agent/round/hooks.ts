import { unlessAborted } from "../../lib/async/abort.ts";
import type { CallResult } from "../../toolcrib/index.ts";
import type { HookedCall, SessionHooks } from "../session.ts";

type Checked =
  | { readonly mayGoOn: true; readonly input: unknown }
  | { readonly mayGoOn: false; readonly why: string; readonly failure: "refused" | "hook" };

/** Runs the `beforeCall` hook. An error in it, or an invalid answer, fails only this call. */
export async function askBefore(
  { beforeCall }: SessionHooks,
  call: HookedCall,
  signal: AbortSignal,
): Promise<Checked> {
  if (!beforeCall) return { mayGoOn: true, input: call.input };
  try {
    const decision: unknown = await unlessAborted(beforeCall(call), signal);
    if (decision === undefined || decision === null) return { mayGoOn: true, input: call.input };
    if (typeof decision === "object" && "refuse" in decision) {
      return { mayGoOn: false, why: text(decision.refuse), failure: "refused" };
    }
    if (typeof decision === "object" && "input" in decision) {
      if (JSON.stringify(decision.input) === undefined) throw new TypeError("its arguments are not JSON");
      return { mayGoOn: true, input: decision.input };
    }
    throw new TypeError("its answer has neither `input` nor `refuse`");
  } catch (error) {
    const why = `Not made: the program could not check this call: ${errorMessage(error)}`;
    return { mayGoOn: false, why, failure: "hook" };
  }
}

/** Runs the `afterCall` hook, which may replace what the model sees. */
export async function askAfter(
  { afterCall }: SessionHooks,
  call: HookedCall,
  result: CallResult,
  signal: AbortSignal,
): Promise<{ readonly content: string; readonly failed: boolean }> {
  const { content } = result;
  if (!afterCall) return { content, failed: false };
  try {
    const replacement: unknown = await unlessAborted(afterCall(call, result), signal);
    return {
      content: replacement === undefined || replacement === null ? content : text(replacement),
      failed: false,
    };
  } catch (error) {
    const note = `[The call was made; what the program does after it failed: ${errorMessage(error)}]`;
    return { content: `${content}\n${note}`, failed: true };
  }
}

/** Hooks without types may return anything. */
function text(given: unknown): string {
  if (typeof given === "string") return given;
  throw new TypeError(`its answer is ${typeof given}, not text`);
}

/** The message of anything that was thrown. */
export function errorMessage(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return "something that has no words";
  }
}
