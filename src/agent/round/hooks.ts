import { unlessAborted } from "../../lib/async/abort.ts";
import type { CallResult } from "../../toolcrib/index.ts";
import type { HookedCall, SessionHooks } from "../session.ts";

type Checked =
  | { readonly ok: true; readonly input: unknown }
  | { readonly ok: false; readonly reason: string; readonly failure: "refused" | "hook" };

/** Runs the `beforeCall` hook. An error in it, or an invalid answer, fails only this call. */
export async function askBefore(
  { beforeCall }: SessionHooks,
  call: HookedCall,
  signal: AbortSignal,
): Promise<Checked> {
  if (!beforeCall) return { ok: true, input: call.input };
  try {
    const decision: unknown = await unlessAborted(beforeCall(call), signal);
    if (decision === undefined || decision === null) return { ok: true, input: call.input };
    if (typeof decision === "object" && "refuse" in decision)
      return { ok: false, reason: text(decision.refuse), failure: "refused" };
    if (typeof decision !== "object" || !("input" in decision))
      throw new TypeError("it returned neither `input` nor `refuse`");
    if (JSON.stringify(decision.input) === undefined) throw new TypeError("its arguments are not JSON");
    return { ok: true, input: decision.input };
  } catch (error) {
    const reason = `The call was not made: the beforeCall hook failed: ${errorMessage(error)}`;
    return { ok: false, reason, failure: "hook" };
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
    const replacement: unknown = (await unlessAborted(afterCall(call, result), signal)) ?? content;
    return { content: text(replacement), failed: false };
  } catch (error) {
    const note = `[The call was made; the afterCall hook failed: ${errorMessage(error)}]`;
    return { content: `${content}\n${note}`, failed: true };
  }
}

/** Hooks without types may return anything. */
function text(given: unknown): string {
  if (typeof given === "string") return given;
  throw new TypeError(`it returned ${typeof given}, not text`);
}

export function errorMessage(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return "unknown error";
  }
}
