import type { SandboxLevel } from "../contract/account.ts";
import type { ShellPast } from "../contract/process.ts";
import type { Settings } from "../contract/settings.ts";
import type { AnyTool } from "../contract/tool.ts";
import { shellsUsed } from "../pipeline/approvals/judge-now.ts";
import { questionOf, type UnansweredCall } from "../pipeline/approvals/question-of.ts";
import { parseInput } from "../pipeline/stages/reject-invalid-input.ts";
import { analyseCommand } from "../policy/commands/analyse-command.ts";
import { decideCall } from "../policy/decide.ts";
import type { Decision, Mode, Question } from "../policy/policy.ts";
import type { Policy } from "../policy/rules/compile-policy.ts";

/** A call that is only thought of. */
export type JudgedCall = Omit<UnansweredCall, "environment">;

/** The call that a tool would be given; throws `invalid-input` where it does not fit. */
export function toJudgedCall(tool: AnyTool, input: unknown, settings: Settings): JudgedCall {
  return { tool, accesses: tool.accesses(parseInput(tool, input), settings) };
}

/** What the guardian would say of a call, with what its paths lead to now. Nothing is done. */
export async function judge(
  call: JudgedCall,
  rules: {
    readonly policy: Policy;
    readonly mode: Mode;
    readonly environment: UnansweredCall["environment"];
    /** What commands would run in; asked only if the call has any. */
    readonly sandbox: () => Promise<SandboxLevel>;
    /** As in Surroundings. */
    readonly shell?: (name: string) => ShellPast | undefined;
  },
): Promise<Judgement> {
  const { environment, mode, policy } = rules;
  const runsCommands = call.accesses.some(({ kind }) => kind === "execute");
  const sandbox = runsCommands ? await rules.sandbox() : "none";
  const shells = await shellsUsed(call, policy, rules);
  const settings = { mode, policy, sandbox, lookUp: "all", readCommand: analyseCommand } as const;
  const question = await questionOf({ ...call, environment }, { ...settings, ...(shells && { shells }) });
  return { ...decideCall(question, policy, analyseCommand), question };
}

/** A decision, and what it was about. */
export interface Judgement extends Decision {
  readonly question: Question;
}
