import type { DecisionRecord, Outcome, ToolCall } from "../contract/call.ts";
import type { ToolError } from "../contract/error.ts";
import { type ApprovalRequest, snapshot } from "../engine/approvals/approval-request.ts";
import { denied } from "../engine/approvals/refusals.ts";
import { decideWithHook } from "./decide-call.ts";
import type { PipelineParts } from "./pipeline.ts";
import { previewCall } from "./preview-call.ts";
import { refuseSyntaxErrors } from "./refuse-syntax-errors.ts";
import { approvalRequest, widthsOffered } from "./request-approval.ts";
import { compose } from "./stage.ts";
import { catchErrors } from "./stages/catch-errors.ts";
import { rejectInvalidInput } from "./stages/reject-invalid-input.ts";

/** The verdict on a call that is not made. */
export type CheckedCall =
  | { readonly verdict: "allow"; readonly decision: DecisionRecord }
  | { readonly verdict: "ask"; readonly decision: DecisionRecord; readonly request: ApprovalRequest }
  /** Also for an unknown tool and for invalid input, which no rule decides. */
  | { readonly verdict: "deny"; readonly decision: DecisionRecord | undefined; readonly error: ToolError };

/** Returns a function that decides a call like the pipeline. It runs nothing, no hook either, and records nothing. */
export function openCheck({
  settings,
  policy,
  target,
  ...previews
}: Pick<PipelineParts, "settings" | "policy" | "target" | "historyFor" | "code" | "servers">): (
  call: ToolCall,
) => Promise<CheckedCall> {
  return async (given) => {
    let request: ApprovalRequest | undefined;
    const decide = async (valid: ToolCall): Promise<Outcome> => {
      const call = { ...valid, input: snapshot(valid.input) };
      const decided = await decideWithHook(call, policy);
      const { decision } = decided;
      await refuseSyntaxErrors(call, decision);
      call.account.decision = decision.record;
      if (decision.verdict === "deny") throw denied(decision);
      if (decision.verdict === "ask") {
        const shown = { widths: widthsOffered(decided), preview: await previewCall(call, previews) };
        request = await approvalRequest(call, decided, shown, policy);
      }
      return { ok: true, text: "", fullText: "", data: null, images: [] };
    };
    const outcome = await compose([catchErrors(target), rejectInvalidInput(settings)], decide)(given);
    const { decision } = given.account;
    if (!outcome.ok || decision === undefined)
      return { verdict: "deny", decision, error: (outcome as { error: ToolError }).error };
    return request ? { verdict: "ask", decision, request } : { verdict: "allow", decision };
  };
}
