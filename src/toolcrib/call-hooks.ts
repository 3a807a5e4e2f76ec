import { unlessAborted } from "../lib/async/abort.ts";
import { isRecord } from "../lib/json/is-record.ts";
import type { CallResult } from "./call-result.ts";

/**
 * Functions of your program that run before and after calls. The hooks of `config.toml` use the same names. An error in a
 * hook fails the call that it belongs to. No hook can allow what the policy denies.
 */
export interface CallHooks {
  /** Before the policy decides about a call. May replace the arguments, or answer instead of the call. */
  PreToolUse?(call: HookedCall): HookResult<{ readonly input: unknown } | HookBlock>;
  /** After a call. The returned text replaces what the model sees. */
  PostToolUse?(call: HookedCall, result: CallResult): HookResult<string>;
}

export type HookResult<Answer> = Promise<Answer | Nothing> | Answer | Nothing;
// biome-ignore lint/suspicious/noConfusingVoidType: a hook that only watches returns nothing
type Nothing = undefined | void;

/** Blocks the call, request, compaction or end. */
export interface HookBlock {
  /** The reason, for the model or the result of the turn. */
  readonly block: string;
}

export interface HookedCall {
  readonly id: string;
  readonly name: string;
  readonly canonical: string;
  readonly input: unknown;
}

type Checked =
  | { readonly ok: true; readonly input: unknown }
  | { readonly ok: false; readonly reason: string; readonly failure: "refused" | "hook" };

/** Runs the PreToolUse hook. An error in it, or an invalid answer, fails only this call. */
export async function askBefore(hooks: CallHooks, call: HookedCall, signal: AbortSignal): Promise<Checked> {
  if (!hooks.PreToolUse) return { ok: true, input: call.input };
  try {
    const answer: unknown = (await unlessAborted(hooks.PreToolUse(call), signal)) ?? undefined;
    if (answer === undefined) return { ok: true, input: call.input };
    if (isRecord(answer) && typeof answer.block === "string")
      return { ok: false, reason: answer.block, failure: "refused" };
    if (!isRecord(answer) || !("input" in answer))
      throw new TypeError("it returned neither `input` nor `block`");
    if (JSON.stringify(answer.input) === undefined) throw new TypeError("its arguments are not JSON");
    return { ok: true, input: answer.input };
  } catch (error) {
    const reason = `The call was not made: the PreToolUse hook failed: ${errorMessage(error)}`;
    return { ok: false, reason, failure: "hook" };
  }
}

/** Runs the PostToolUse hook, which may replace what the model sees. */
export async function askAfter(
  hooks: CallHooks,
  call: HookedCall,
  result: CallResult,
  signal: AbortSignal,
): Promise<{ readonly content: string; readonly failed: boolean }> {
  const { content } = result;
  if (!hooks.PostToolUse) return { content, failed: false };
  try {
    const given: unknown = (await unlessAborted(hooks.PostToolUse(call, result), signal)) ?? content;
    if (typeof given !== "string") throw new TypeError(`it returned ${typeof given}, not text`);
    return { content: given, failed: false };
  } catch (error) {
    const note = `[The call was made; the PostToolUse hook failed: ${errorMessage(error)}]`;
    return { content: `${content}\n${note}`, failed: true };
  }
}

export function errorMessage(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return "unknown error";
  }
}
