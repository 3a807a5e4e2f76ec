import type { ToolAccess } from "../contract/access.ts";
import type { SandboxLevel } from "../contract/call.ts";
import type { Environment } from "../contract/environment.ts";
import type { ShellHistory } from "../contract/process.ts";
import type { AnyTool, ToolSettings } from "../contract/tool.ts";
import { toolcribDialect } from "../dialects/toolcrib.ts";
import { readCommand } from "../engine/policy/commands/read-command.ts";
import { historyAfter } from "../engine/policy/commands/shell-state.ts";
import { type CallRecord, Journal } from "../journal/journal.ts";
import { newIdentifier } from "../lib/identifier.ts";
import { shellsUsed } from "../pipeline/decide-call.ts";
import { type CallToCheck, policyQuestion } from "../pipeline/policy-question.ts";
import { refuseSyntaxErrors } from "../pipeline/refuse-syntax-errors.ts";
import { parseInput } from "../pipeline/stages/reject-invalid-input.ts";
import { decideCall } from "../policy/decide.ts";
import type { Decision, PolicyMode, Question } from "../policy/policy.ts";
import { redactionOfRecords } from "../policy/redaction/redact.ts";
import type { Policy } from "../policy/rules/compile-policy.ts";
import { makePrivateDirectory, workspaceFiles } from "../system/directories.ts";

/** A call that is checked without being made. */
export interface CheckedCall extends Omit<CallToCheck, "environment"> {
  /** Leaves out accesses that the call will not need in this environment. */
  narrow?(environment: Environment): Promise<readonly ToolAccess[]>;
}

/** Finds the accesses of a call. Throws `invalid-input` when the input does not fit the tool. */
export function toCheckedCall(tool: AnyTool, input: unknown, settings: ToolSettings): CheckedCall {
  const parsed = parseInput(tool, input);
  const accesses = tool.accesses(parsed, settings);
  const narrow = async (environment: Environment) =>
    (await tool.narrow?.(accesses, parsed, { environment })) ?? accesses;
  return { tool, accesses, narrow };
}

/** Returns the decision that the policy would make about a call now. Runs nothing. */
export async function previewDecision(call: CheckedCall, rules: PreviewRules): Promise<PreviewedDecision> {
  const { environment, mode, policy } = rules;
  const runsCommands = call.accesses.some(({ kind }) => kind === "execute");
  const sandbox = runsCommands ? await rules.sandbox() : "none";
  const shells = await shellsUsed(call, policy, rules);
  const settings = { mode, policy, sandbox, lookUp: "all", readCommand, shells } as const;
  const question = await policyQuestion({ ...call, environment }, settings);
  return { ...decideCall(question, policy, readCommand), question };
}

/** Does the same as a call would. Throws `invalid-input` for a command that the shell cannot read. */
export async function explainDecision(
  given: CheckedCall,
  rules: PreviewRules & { readonly environment: Environment },
): Promise<PreviewedDecision> {
  const { environment } = rules;
  const accesses = (await given.narrow?.(environment)) ?? given.accesses;
  const call = { ...given, accesses };
  const decision = await previewDecision(call, rules);
  await refuseSyntaxErrors({ ...call, environment }, decision);
  return decision;
}

interface PreviewRules {
  readonly policy: Policy;
  readonly mode: PolicyMode;
  readonly environment: CallToCheck["environment"];
  /** Returns the sandbox of commands; called only for calls that run commands. */
  readonly sandbox: () => Promise<SandboxLevel>;
  /** Returns the history of a persistent shell; undefined when none has this name. */
  readonly shell?: (name: string) => ShellHistory | undefined;
}

/** A decision, and the question it answers. */
export interface PreviewedDecision extends Decision {
  readonly question: Question;
}

/** A recorded call, with the decision that the policy would make now. */
export interface ReplayedCall {
  readonly record: CallRecord;
  readonly decision: Decision;
}

/**
 * Checks recorded calls again, oldest first. Commands in persistent shells are checked with the state that earlier ones
 * left. Skips calls without a recorded decision.
 */
export async function replayCalls(
  options: ReplayOptions,
  rules: Omit<PreviewRules, "shell">,
): Promise<readonly ReplayedCall[]> {
  const { workspace } = rules.environment;
  const records = readRecords(options);
  const shells = new Map<string, ShellHistory>();
  const replayed: ReplayedCall[] = [];
  for (const record of records) {
    if (record.decision === null) continue;
    const keyOf = (name: string) => `${record.session} ${name}`;
    const shell = (name: string) => shells.get(keyOf(name));
    const { accesses } = record;
    const { asksBeforeCommands } = record.decision;
    const call = { tool: await toolOf(record), accesses, asksBeforeCommands };
    replayed.push({ record, decision: await previewDecision(call, { ...rules, shell }) });
    for (const access of hasRun(record) ? accesses : [])
      if (access.kind === "execute" && access.session !== undefined)
        shells.set(keyOf(access.session), historyAfter(access, workspace, shell(access.session)));
  }
  return replayed;
}

/** Returns whether the call has run, even if it failed. */
function hasRun({ decision }: CallRecord): boolean {
  const { verdict, answer } = decision ?? {};
  return verdict === "allow" || (verdict === "ask" && answer !== undefined && answer !== "no");
}

interface ReplayOptions {
  readonly state: string;
  /** Names the workspace in the state directory. */
  readonly workspace: string;
  readonly session: string | "last" | "all";
  /** The most calls, because a journal may contain years of calls. Default: 10,000, the latest. */
  readonly limit?: number;
  /** Only calls about which the user was asked. Default: false. */
  readonly onlyAsked?: boolean | undefined;
}

function readRecords({
  state,
  workspace,
  session,
  limit = 10_000,
  onlyAsked = false,
}: ReplayOptions): readonly CallRecord[] {
  const files = workspaceFiles(state, workspace);
  makePrivateDirectory(files.outputs);
  const journal = new Journal({
    file: files.journal,
    session: newIdentifier("session"),
    redact: redactionOfRecords(),
  });
  try {
    const wanted = session === "last" ? journal.latest(1)[0]?.session : session;
    if (wanted === undefined) return [];
    const filter = wanted === "all" ? { limit } : { session: wanted, limit };
    if (!onlyAsked) return journal.calls(filter).toReversed();
    const asked = journal.summaries({ ...filter, verdict: "ask" });
    return asked.flatMap(({ callId }) => journal.find(callId) ?? []).toReversed();
  } finally {
    journal.close();
  }
}

async function toolOf({ tool: name, accesses }: CallRecord): Promise<CheckedCall["tool"]> {
  const known = toolcribDialect.tools.find(({ canonical }) => canonical === name);
  if (known) return { name, risk: (await known.load()).risk };
  // The risk of an application's own tool is unknown, so its recorded accesses decide.
  return { name, risk: accesses.length > 0 ? "read" : "execute", reachesAnywhere: true };
}
