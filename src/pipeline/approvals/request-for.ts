import type { ToolCall } from "../../contract/call.ts";
import type { ApprovalRequest } from "./approval.ts";
import { filesRun } from "./files-run.ts";
import { hashCall, hashValue } from "./hash-call.ts";
import { type JudgedCall, runsCommands } from "./judge-now.ts";
import type { PolicySettings } from "./policy-settings.ts";
import type { Preview } from "./preview-call.ts";
import { snapshot } from "./snapshot.ts";

/** What the person is shown. */
export async function requestFor(
  call: ToolCall,
  judged: JudgedCall,
  shown: { readonly grants: readonly string[]; readonly preview: Preview },
  settings: Settings,
): Promise<ApprovalRequest> {
  const { question, decision, policy } = judged;
  const { grants, preview } = shown;
  const { risk, record, parts, sandbox, unconfined = false } = decision;
  const { reason, rule, source } = record;
  const { hostsReached } = await import("../../policy/may-connect.ts");
  return {
    callId: call.id,
    tool: question.tool.name,
    input: snapshot(call.input),
    accesses: snapshot(call.accesses),
    risk,
    reason,
    rule,
    source,
    parts,
    preview: preview.text,
    grants,
    directory: call.environment.workspace,
    environment: hashValue(settings.surroundings.variables(policy.settings.variables)).slice(0, 16),
    sandbox,
    unconfined,
    hosts: runsCommands(call) ? hostsReached(decision, question, policy) : [],
    hash: await hashFor(call, judged, settings),
    previewHash: hashValue([preview.whole, preview.found]),
  };
}

/** Stands for all that an answer is bound to. */
export async function hashFor(
  call: ToolCall,
  judged: JudgedCall,
  { surroundings }: Settings,
): Promise<string> {
  const { question, decision, policy } = judged;
  return hashCall({
    // Not as rules call it: tools of two servers may have one name.
    tool: call.tool.canonical ?? call.tool.name,
    input: call.input,
    realPaths: question.realPaths,
    directory: call.environment.workspace,
    variables: surroundings.variables(policy.settings.variables),
    sandbox: decision.sandbox,
    shells: question.shells,
    filesRun: await filesRun(call, judged),
  });
}

type Settings = Pick<PolicySettings, "surroundings">;
