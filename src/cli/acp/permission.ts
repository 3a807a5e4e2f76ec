import type {
  AgentContext,
  PermissionOption,
  RequestPermissionOutcome,
  ToolCallContent,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import { methods } from "@agentclientprotocol/sdk";
import {
  type ApprovalChoice,
  answers,
  approvalText,
  approvalView,
} from "../../engine/approvals/approval-view.ts";
import type { Approval, ApprovalRequest } from "../../toolcrib/index.ts";
import { fenced, readDiffs } from "./tool-content.ts";

interface Asker {
  readonly client: AgentContext;
  readonly sessionId: string;
  /** The call as the editor knows it. */
  readonly call: ToolCallUpdate;
  readonly workspace: string;
}

/** Asks the user through the editor. The answer counts only for exactly this request. */
export async function askInEditor(
  request: ApprovalRequest,
  signal: AbortSignal,
  { client, sessionId, call, workspace }: Asker,
): Promise<Approval> {
  const toolCall: ToolCallUpdate = { ...call, status: "pending", content: contentFor(request, workspace) };
  const { choices } = approvalView(request);
  const options = choices.map(toOption);
  try {
    const { outcome } = await client.request(
      methods.client.session.requestPermission,
      { sessionId, toolCall, options },
      { cancellationSignal: signal },
    );
    return approvalOf(outcome, choices, request.hash);
  } catch (error) {
    if (signal.aborted) throw error;
    return { allow: false, message: "The editor could not ask the user." };
  }
}

/** Describes the call, with the diff that the editor shows itself. */
function contentFor(request: ApprovalRequest, workspace: string): ToolCallContent[] {
  const { diffs } = readDiffs(request.preview ?? "", workspace);
  const view = approvalView(request);
  const body = view.body.filter(({ label }) => diffs.length === 0 || label !== "Changes");
  return [
    { type: "content", content: { type: "text", text: fenced(approvalText({ ...view, body })) } },
    ...diffs,
  ];
}

function toOption({ id, label, adds }: ApprovalChoice): PermissionOption {
  const kind = id === "once" ? "allow_once" : id === "no" ? "reject_once" : "allow_always";
  return { optionId: id, kind, name: adds === undefined ? label : `${label} ${adds}` };
}

/** Only an option that was offered allows the call. */
function approvalOf(
  outcome: RequestPermissionOutcome,
  choices: readonly ApprovalChoice[],
  hash: string,
): Approval {
  const chosen =
    outcome.outcome === "selected" ? choices.find(({ id }) => id === outcome.optionId)?.id : undefined;
  const approval = answers[chosen ?? "no"];
  return approval.allow ? { ...approval, hash } : approval;
}
