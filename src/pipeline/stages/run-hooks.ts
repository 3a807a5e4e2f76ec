import type { Outcome, ToolCall } from "../../contract/call.ts";
import { snapshot } from "../../engine/approvals/approval-request.ts";
import { type HookedTool, hookedTool } from "../hooks/hook-input.ts";
import { blockedByHook, type Hooks } from "../hooks/hooks.ts";
import type { Next, Stage } from "../stage.ts";

/** Runs the user's and the project's hooks before and after a call. They can block it or ask; the policy still decides. */
export function runHooks(hooks: Hooks | undefined): Stage {
  return (call, next) =>
    hooks?.has("PreToolUse", "PostToolUse") ? runAround(hooks, call, next) : next(call);
}

async function runAround(hooks: Hooks, given: ToolCall, next: Next): Promise<Outcome> {
  const call = { ...given, input: snapshot(given.input) };
  const { signal } = call;
  const { names, input } = hookedTool(call);
  const details = { tool_name: names[0], tool_input: input, tool_use_id: call.id };
  const before = await hooks.run("PreToolUse", details, { names, signal });
  if (before.block !== undefined) {
    const { block: reason, source = "" } = before;
    call.account.decision = { verdict: "deny", rule: "hook", source, reason };
    throw blockedByHook(reason, source);
  }
  const outcome = await next({ ...call, hook: call.hook?.permission === "ask" ? call.hook : before });
  const told = withNote(outcome, before.context);
  return outcome.ok ? afterwards(hooks, told, { names, input }, { ...details, signal }) : told;
}

async function afterwards(
  hooks: Hooks,
  outcome: Outcome,
  { names }: HookedTool,
  { signal, ...details }: Record<string, unknown> & { readonly signal: AbortSignal },
): Promise<Outcome> {
  const tool_response = outcome.ok ? outcome.text : outcome.error.message;
  const after = await hooks.run("PostToolUse", { ...details, tool_response }, { names, signal });
  return withNote(withNote(outcome, after.block), after.context);
}

/** Adds a hook's text for the model after the output. */
function withNote(outcome: Outcome, text: string | undefined): Outcome {
  if (text === undefined || !outcome.ok) return outcome;
  const note = `[Hook: ${text}]`;
  return { ...outcome, text: `${outcome.text}\n${note}`, fullText: `${outcome.fullText}\n${note}` };
}
