import type { ToolCall } from "../contract/call.ts";
import { ToolError } from "../contract/error.ts";
import { type ApprovalRequest, approvalId, snapshot } from "../engine/approvals/approval-request.ts";
import { hashValue } from "../engine/approvals/hash-call.ts";
import { contentHash } from "../lib/bytes/content-hash.ts";
import { type GrantWidth, grantWidths } from "../policy/grants.ts";
import { wordsRun } from "../policy/parts.ts";
import { spelledPath } from "../policy/paths/path-target.ts";
import { codeKey, describePieces } from "../policy/rules/binding.ts";
import { type DecidedCall, type PolicySettings, runsCommands } from "./decide-call.ts";
import type { Preview } from "./preview-call.ts";

/** Returns the rules that an answer can add. Paranoid mode ignores allow rules, so none is offered there. */
export function widthsOffered({ question, decision }: DecidedCall): readonly GrantWidth[] {
  return question.mode === "paranoid" ? [] : grantWidths(decision, question);
}

export async function approvalRequest(
  call: ToolCall,
  decided: DecidedCall,
  shown: { readonly widths: readonly GrantWidth[]; readonly preview: Preview },
  settings: Pick<PolicySettings, "surroundings">,
): Promise<ApprovalRequest> {
  const { question, decision, policy } = decided;
  const { widths, preview } = shown;
  const grants = widths[0]?.rules ?? [];
  const { reason, rule, source } = decision.record;
  const { hostsReached } = await import("../policy/may-connect.ts");
  const hash = await approvalHash(call, decided, settings);
  const previewHash = hashValue([preview.whole, preview.found]);
  return {
    id: approvalId({ hash, previewHash }),
    callId: call.id,
    agent: call.agent,
    parent: call.parent?.id,
    ...(call.environment.name !== undefined && { target: call.environment.name }),
    tool: question.tool.name,
    input: snapshot(call.input),
    accesses: snapshot(call.accesses),
    risk: decision.risk,
    reason,
    rule,
    source,
    parts: decision.parts,
    preview: preview.text,
    grants,
    ...(grants.length > 0 && { widths, ...bindingsOf(decided) }),
    directory: call.environment.workspace,
    environment: hashValue(settings.surroundings.variables(policy.settings.variables)).slice(0, 16),
    sandbox: decision.sandbox,
    unconfined: decision.unconfined ?? false,
    hosts: runsCommands(call) ? hostsReached(decision, question, policy) : [],
    hash,
    previewHash,
  };
}

function bindingsOf({ decision, question }: DecidedCall): Pick<ApprovalRequest, "boundTo" | "notBoundTo"> {
  const asked = decision.parts.flatMap(({ part, verdict }) => {
    const code = part.kind === "run" && question.codeRun?.get(codeKey(part.command));
    return verdict === "ask" && code
      ? [{ code, shown: part.in.command.slice(part.in.span.start, part.in.span.end) }]
      : [];
  });
  const boundTo = [...new Set(asked.flatMap(({ code }) => describePieces(code)))];
  const notBoundTo = asked.filter(({ code }) => code.runsMore).map(({ shown }) => shown);
  return {
    boundTo: boundTo.length > 0 ? boundTo : undefined,
    notBoundTo: notBoundTo.length > 0 ? notBoundTo : undefined,
  };
}

/** Returns the hash of everything that an answer is bound to. */
export async function approvalHash(
  call: ToolCall,
  decided: DecidedCall,
  { surroundings }: Pick<PolicySettings, "surroundings">,
): Promise<string> {
  const { question, decision, policy } = decided;
  return hashValue({
    // Tools of two servers may share the name that rules use.
    tool: call.tool.canonical ?? call.tool.name,
    input: call.input,
    realPaths: question.realPaths,
    ...(call.environment.name !== undefined && { target: call.environment.name }),
    directory: call.environment.workspace,
    variables: surroundings.variables(policy.settings.variables),
    sandbox: decision.sandbox,
    shells: question.shells,
    codeRun: question.codeRun,
    filesRun: await filesRun(call, decided),
  });
}

/** Returns the current contents of the workspace programs and scripts that the call's commands name. */
async function filesRun(
  { environment, signal }: Pick<ToolCall, "environment" | "signal">,
  { decision, policy }: Pick<DecidedCall, "decision" | "policy">,
): Promise<ReadonlyMap<string, string>> {
  const paths = decision.parts.flatMap(({ part }) => {
    if (part.kind !== "run") return [];
    const { command } = part;
    return wordsRun(command).flatMap((word) => spelledPath(word, command.directory, policy.context) ?? []);
  });
  const found = new Map<string, string>();
  let maxBytes = maxBytesOfFilesRun;
  for (const path of new Set(paths)) {
    try {
      const { bytes } = await environment.readFile(path, { maxBytes, signal });
      maxBytes -= bytes.length;
      found.set(path, contentHash(bytes));
    } catch (error) {
      if (signal.aborted || !(error instanceof ToolError)) throw error;
      // Directories, missing files and files outside the workspace are hashed by their error code.
      if (error.code !== "too-large") found.set(path, error.code);
      else found.set(path, JSON.stringify(await environment.info(path).catch(({ code }) => code)));
    }
  }
  return found;
}

/** The most bytes of programs and scripts that are hashed by content. The size and time of further ones count. */
const maxBytesOfFilesRun = 64 * 1024 * 1024;
