import type {
  AgentContext,
  PermissionOption,
  RequestPermissionOutcome,
  ToolCallContent,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import { methods } from "@agentclientprotocol/sdk";
import { printableLine } from "../../lib/text/printable.ts";
import { describeRequest } from "../../mcp/server/approvals.ts";
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
  const options = optionsFor(request);
  try {
    const { outcome } = await client.request(
      methods.client.session.requestPermission,
      { sessionId, toolCall, options },
      { cancellationSignal: signal },
    );
    return approvalOf(outcome, options, request.hash);
  } catch (error) {
    if (signal.aborted) throw error;
    return { allow: false, message: "The editor could not ask the user." };
  }
}

/** Describes the call, with the diff that the editor shows itself. */
function contentFor(request: ApprovalRequest, workspace: string): ToolCallContent[] {
  const { diffs } = readDiffs(request.preview ?? "", workspace);
  const described = diffs.length > 0 ? { ...request, preview: undefined, input: {} } : request;
  const text = fenced(describeRequest(described));
  return [{ type: "content", content: { type: "text", text } }, ...diffs];
}

function optionsFor({ grants }: ApprovalRequest): PermissionOption[] {
  const rules = printableLine(grants.join("; "));
  const remembering: readonly PermissionOption[] = [
    { optionId: "session", kind: "allow_always", name: `Allow for this session: ${rules}` },
    { optionId: "always", kind: "allow_always", name: `Always allow in this folder: ${rules}` },
  ];
  return [
    { optionId: "once", kind: "allow_once", name: "Allow once" },
    ...(grants.length === 0 ? [] : remembering),
    { optionId: "no", kind: "reject_once", name: "Reject" },
  ];
}

/** Only an option that was offered allows the call. */
function approvalOf(
  outcome: RequestPermissionOutcome,
  options: readonly PermissionOption[],
  hash: string,
): Approval {
  if (outcome.outcome !== "selected" || !options.some(({ optionId }) => optionId === outcome.optionId))
    return { allow: false };
  switch (outcome.optionId) {
    case "once":
      return { allow: true, hash };
    case "session":
    case "always":
      return { allow: true, hash, remember: outcome.optionId };
    default:
      return { allow: false };
  }
}
