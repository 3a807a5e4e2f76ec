import type { ToolCall } from "../contract/call.ts";
import { type ApprovalRequest, approvalId, snapshot } from "../engine/approvals/approval-request.ts";
import { hashValue } from "../engine/approvals/hash-call.ts";
import { definitionBefore } from "../policy/find-rules.ts";
import { type GrantWidth, grantWidths } from "../policy/grants.ts";
import { redactAsked } from "../policy/redaction/redact.ts";
import { type DecidedCall, type PolicySettings, runsCommands } from "./decide-call.ts";
import type { Preview } from "./preview-call.ts";

/**
 * Returns the rules that an answer can add. Paranoid mode ignores allow rules, so none is offered there. Rules are stored as
 * they are shown, so none is offered for a call whose words contain a secret.
 */
export function widthsOffered({ question, decision }: DecidedCall): readonly GrantWidth[] {
  const widths = question.mode === "paranoid" ? [] : grantWidths(decision, question);
  return redactAsked(widths) === widths ? widths : [];
}

export async function approvalRequest(
  call: ToolCall,
  decided: DecidedCall,
  shown: {
    readonly widths: readonly GrantWidth[];
    readonly preview: Preview;
    readonly noSandbox?: string | undefined;
  },
  settings: Pick<PolicySettings, "surroundings" | "definitions">,
): Promise<ApprovalRequest> {
  const { question, decision, policy } = decided;
  const { widths, preview, noSandbox } = shown;
  const grants = widths[0]?.rules ?? [];
  const { reason, rule, source } = decision.record;
  const definitionChange = await changeOfDefinition(call, decided, settings.definitions);
  const { hostsReached } = await import("../policy/may-connect.ts");
  const hash = approvalHash(call, decided, settings);
  const previewHash = hashValue([preview.whole, preview.found]);
  return {
    id: approvalId({ hash, previewHash }),
    callId: call.id,
    agent: call.agent,
    parent: call.parent?.id,
    ...(call.environment.name !== undefined && { target: call.environment.name }),
    tool: question.tool.name,
    ...(question.tool.server !== undefined && { server: question.tool.server }),
    input: snapshot(call.input),
    accesses: snapshot(call.accesses),
    risk: decision.risk,
    reason,
    rule,
    source,
    parts: decision.parts,
    preview: preview.text,
    ...(definitionChange !== undefined && { definitionChange }),
    grants,
    ...(grants.length > 0 && { widths }),
    directory: call.environment.workspace,
    environment: hashValue(settings.surroundings.variables(policy.settings.variables)).slice(0, 16),
    sandbox: decision.sandbox,
    unconfined: decision.unconfined ?? false,
    ...(noSandbox !== undefined && { noSandbox }),
    hosts: runsCommands(call) ? hostsReached(decision, question, policy) : [],
    hash,
    previewHash,
  };
}

/** Stores the definition of another server's tool for later questions, and compares it with the one that was allowed before. */
async function changeOfDefinition(
  { tool: { definedAs } }: ToolCall,
  { question, policy }: DecidedCall,
  definitions: PolicySettings["definitions"],
): Promise<string | undefined> {
  if (definedAs === undefined || definitions === undefined) return undefined;
  const store = await definitions();
  store.keep(definedAs);
  const before = definitionBefore(question.tool, policy);
  return before && store.changeSince(before, definedAs);
}

/** Returns the hash of everything that an answer is bound to. */
export function approvalHash(
  call: ToolCall,
  decided: DecidedCall,
  { surroundings }: Pick<PolicySettings, "surroundings">,
): string {
  const { question, decision, policy } = decided;
  return hashValue({
    // Tools of two servers may share the name that rules use.
    tool: call.tool.canonical ?? call.tool.name,
    ...(call.tool.definedAs && { definition: call.tool.definedAs.hash }),
    input: call.input,
    // One call can ask for several hosts.
    accesses: call.accesses,
    realPaths: question.realPaths,
    ...(call.environment.name !== undefined && { target: call.environment.name }),
    directory: call.environment.workspace,
    variables: surroundings.variables(policy.settings.variables),
    sandbox: decision.sandbox,
    shells: question.shells,
  });
}
