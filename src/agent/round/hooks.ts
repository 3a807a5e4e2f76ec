import { ToolError } from "../../contract/error.ts";
import { unlessAborted } from "../../lib/async/abort.ts";
import { isRecord } from "../../lib/json/is-record.ts";
import type { CallResult } from "../../toolcrib/index.ts";
import type { HookedCall, SessionHooks } from "../session-hooks.ts";

type HookName = Exclude<keyof SessionHooks, "PostToolUse">;
type Answer<Name extends HookName> = Extract<Awaited<ReturnType<NonNullable<SessionHooks[Name]>>>, object>;

/** The fields that the answers of each hook may have besides `block`. */
const answerKeys: Readonly<Record<HookName, "input" | "context" | "request" | undefined>> = {
  PreToolUse: "input",
  UserPromptSubmit: "context",
  PreModelRequest: "request",
  PostModelRequest: undefined,
  PreCompact: undefined,
  Stop: undefined,
};

/**
 * Runs a hook of the program. Returns undefined without one, and when `signal` aborts meanwhile. Throws when the hook
 * fails or returns something else than its type allows.
 */
export async function askHook<Name extends HookName>(
  hooks: SessionHooks,
  name: Name,
  given: Parameters<NonNullable<SessionHooks[Name]>>,
  signal: AbortSignal,
): Promise<Answer<Name> | undefined> {
  const hook = hooks[name] as ((...values: unknown[]) => unknown) | undefined;
  if (hook === undefined) return undefined;
  try {
    const answer = await unlessAborted(hook.apply(hooks, given), signal);
    if (answer === undefined || answer === null) return undefined;
    const key = answerKeys[name];
    if (isRecord(answer) && typeof answer.block === "string") return answer as Answer<Name>;
    if (isRecord(answer) && key !== undefined && key in answer) return answer as Answer<Name>;
    throw new TypeError(
      `it returned neither ${key === undefined ? "undefined" : `\`${key}\``} nor \`block\``,
    );
  } catch (error) {
    throw new ToolError("internal", `The ${name} hook failed: ${errorMessage(error)}`, { cause: error });
  }
}

/** The error of a turn that a hook of the program has blocked. */
export function blockedBy(name: HookName, reason: string): ToolError {
  return new ToolError("denied", `The ${name} hook blocked this turn: ${reason}`);
}

type Checked =
  | { readonly ok: true; readonly input: unknown }
  | { readonly ok: false; readonly reason: string; readonly failure: "refused" | "hook" };

/** Runs the PreToolUse hook. An error in it, or an invalid answer, fails only this call. */
export async function askBefore(
  hooks: SessionHooks,
  call: HookedCall,
  signal: AbortSignal,
): Promise<Checked> {
  try {
    const answer = await askHook(hooks, "PreToolUse", [call], signal);
    if (answer === undefined) return { ok: true, input: call.input };
    if ("block" in answer) return { ok: false, reason: answer.block, failure: "refused" };
    if (JSON.stringify(answer.input) === undefined) throw new TypeError("its arguments are not JSON");
    return { ok: true, input: answer.input };
  } catch (error) {
    const { cause } = error instanceof ToolError ? error : { cause: error };
    const reason = `The call was not made: the PreToolUse hook failed: ${errorMessage(cause)}`;
    return { ok: false, reason, failure: "hook" };
  }
}

/** Runs the PostToolUse hook, which may replace what the model sees. */
export async function askAfter(
  hooks: SessionHooks,
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
