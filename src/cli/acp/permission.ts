import type {
  AgentContext,
  PermissionOption,
  RequestPermissionOutcome,
  ToolCallContent,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import { methods } from "@agentclientprotocol/sdk";
import { widthsOf } from "../../engine/approvals/question-text.ts";
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
  const choices = optionsFor(request);
  const options = choices.map(({ option }) => option);
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
  const described = diffs.length > 0 ? { ...request, preview: undefined, input: {} } : request;
  const text = fenced(describeRequest(described));
  return [{ type: "content", content: { type: "text", text } }, ...diffs];
}

/** The options of a request, with the answers that they mean. The rules are shown as the user would write them. */
function optionsFor(request: ApprovalRequest): readonly Choice[] {
  const rules = widthsOf(request).map((rule) => printableLine(rule));
  const always = rules.map((rule, width) => ({
    option: { optionId: `always-${width}`, kind: "allow_always", name: `Always allow: ${rule}` } as const,
    approval: { allow: true, remember: "always", width } as const,
  }));
  const session = {
    option: { optionId: "session", kind: "allow_always", name: `Allow for this session: ${rules[0]}` },
    approval: { allow: true, remember: "session" },
  } as const;
  return [
    {
      option: { optionId: "once", kind: "allow_once", name: "Allow once" },
      approval: { allow: true },
    },
    ...(rules.length === 0 ? [] : [session, ...always]),
    { option: { optionId: "no", kind: "reject_once", name: "Reject" }, approval: { allow: false } },
  ];
}

interface Choice {
  readonly option: PermissionOption;
  readonly approval: Approval;
}

/** Only an option that was offered allows the call. */
function approvalOf(outcome: RequestPermissionOutcome, choices: readonly Choice[], hash: string): Approval {
  const chosen =
    outcome.outcome === "selected"
      ? choices.find(({ option }) => option.optionId === outcome.optionId)?.approval
      : undefined;
  return chosen?.allow ? { ...chosen, hash } : { allow: false };
}
