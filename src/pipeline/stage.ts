import type { Outcome, ToolCall } from "../contract/call.ts";

/** Passes a call to the following stages and returns its outcome. */
export type Next = (call: ToolCall) => Promise<Outcome>;

/** One cross-cutting rule. It may act before and after `next`, replace the call or the outcome, or not call `next`. */
export type Stage = (call: ToolCall, next: Next) => Promise<Outcome>;

/** Composes stages in order around the last step. */
export function compose(stages: readonly Stage[], last: Next): Next {
  return stages.reduceRight<Next>((next, stage) => (call) => stage(call, next), last);
}
