import type { SandboxLevel } from "../../contract/account.ts";
import type { JudgedConfinement, ToolCall } from "../../contract/call.ts";
import type { Confinement } from "../../contract/confinement.ts";
import { decideCall } from "../../policy/decide.ts";
import type { ReadCommand } from "../../policy/parts.ts";
import type { Decision, Question } from "../../policy/policy.ts";
import type { Policy } from "../../policy/rules/compile-policy.ts";
import type { PolicySettings, Surroundings } from "./policy-settings.ts";
import { questionOf } from "./question-of.ts";

/** A call as it was judged, and by what. */
export interface JudgedCall {
  readonly question: Question;
  readonly policy: Policy;
  readonly decision: Decision;
}

type JudgeSettings = Pick<PolicySettings, "mode" | "rules" | "surroundings">;

/** What the guardian says of a call, as everything is right now. */
export async function judgeNow(
  call: ToolCall,
  { mode, rules, surroundings }: JudgeSettings,
): Promise<JudgedCall> {
  const isCommand = runsCommands(call);
  const readCommand = isCommand ? await commandReader() : expectNoCommand;
  const sandbox = isCommand ? await surroundings.sandbox() : "none";
  const policy = await rules.refreshed();
  const shells = isCommand ? await shellsUsed(call, policy, surroundings) : undefined;
  const question = await questionOf(call, {
    mode,
    sandbox,
    policy,
    lookUp: "what decides",
    readCommand,
    ...(shells && { shells }),
  });
  return { question, policy, decision: decideCall(question, policy, readCommand) };
}

/** What earlier commands left in the shells that a call uses. */
export async function shellsUsed(
  { accesses }: Pick<ToolCall, "accesses">,
  { place }: Policy,
  { shell }: Pick<Surroundings, "shell">,
): Promise<Question["shells"]> {
  const names = accesses.flatMap((access) => (access.kind === "execute" ? (access.session ?? []) : []));
  if (names.length === 0 || shell === undefined) return undefined;
  const { leftBy } = await import("../../policy/commands/shell-sessions.ts");
  const left = names.flatMap((name) => {
    const past = shell(name);
    return past === undefined ? [] : [[name, leftBy(past, place.workspace)] as const];
  });
  return new Map(left);
}

/** What reads commands is loaded with the first call that runs one. */
async function commandReader(): Promise<ReadCommand> {
  return (await import("../../policy/commands/analyse-command.ts")).analyseCommand;
}

function expectNoCommand(): never {
  throw new Error("A call that runs nothing has a command");
}

export function runsCommands({ accesses }: ToolCall): boolean {
  return accesses.some(({ kind }) => kind === "execute");
}

/** What the commands of a call may reach; undefined where the tool runs none. */
export async function confine(
  call: ToolCall,
  { decision, question, policy }: JudgedCall,
  answer: "approved" | "not asked",
  settings: JudgeSettings,
): Promise<ToolCall["confinement"]> {
  const isCommand = runsCommands(call);
  const { risk, startsPrograms } = call.tool;
  if (!isCommand && !startsPrograms && (risk === "read" || risk === "write")) return undefined;
  const { confinementOf } = await import("../../policy/confinement-of.ts");
  const confinement = confinementOf(decision, question, policy, answer);
  return isCommand ? { ...confinement, level: decision.sandbox } : mayRunMore(confinement, call, settings);
}

/** What the tool finds out that it would run is judged like a command that the call names. */
function mayRunMore(confinement: Confinement, call: ToolCall, settings: JudgeSettings): JudgedConfinement {
  let level: SandboxLevel | undefined;
  return {
    ...confinement,
    get level() {
      return level;
    },
    mayRun: async (command) => {
      const { decision, question } = await judgeNow(
        { ...call, accesses: [{ kind: "execute", command }] },
        settings,
      );
      if (decision.verdict !== "allow") return false;
      // What rules take out of the sandbox runs in the call's all the same.
      level = question.sandbox;
      call.account.sandbox = level;
      return true;
    },
  };
}
