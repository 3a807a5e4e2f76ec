import { ToolError } from "../../contract/error.ts";
import { unlessAborted } from "../../lib/async/abort.ts";
import { isRecord } from "../../lib/json/is-record.ts";
import { type CallHooks, errorMessage } from "../../toolcrib/call-hooks.ts";
import type { SessionHooks } from "../session-hooks.ts";

type HookName = Exclude<keyof SessionHooks, keyof CallHooks>;
type Answer<Name extends HookName> = Extract<Awaited<ReturnType<NonNullable<SessionHooks[Name]>>>, object>;

/** The fields that the answers of each hook may have besides `block`. */
const answerKeys: Readonly<Record<HookName, "context" | "request" | undefined>> = {
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
