import type { DecidedConfinement, SandboxLevel, ToolCall } from "../contract/call.ts";
import type { Confinement, VariablePolicy } from "../contract/confinement.ts";
import type { ShellHistory } from "../contract/process.ts";
import type { Approve } from "../engine/approvals/approval-request.ts";
import type { ToolDefinitions } from "../engine/approvals/tool-definitions.ts";
import { decideCall } from "../policy/decide.ts";
import { hostOf, meansLoopback } from "../policy/hosts.ts";
import type { Decision, PolicyMode, PolicyVerdict, Question } from "../policy/policy.ts";
import type { Policy } from "../policy/rules/compile-policy.ts";
import { policyQuestion } from "./policy-question.ts";

/** The settings by which the calls of one Toolcrib are decided. */
export interface PolicySettings {
  /** The current mode. */
  readonly mode: PolicyMode;
  /** Whether plan mode is on. */
  readonly isPlanning?: boolean;
  readonly rules: Rules;
  readonly surroundings: Surroundings;
  /** Asks the user about a call. Without it, calls that need approval are refused with `needs-approval`. */
  readonly approverOf?: (callId: string) => Approve | undefined;
  /** The definitions of other servers' tools. Loaded with the first question about one. */
  readonly definitions?: () => Promise<ToolDefinitions>;
}

/** The rules, to which the user's approvals can be added. */
export interface Rules {
  /** Returns the current rules. Throws when their files have changed and cannot be used. */
  refreshed(): Policy | Promise<Policy>;
  /** Calls `listener` after each noticed change. Returns a function that stops it. */
  onChange?(listener: () => void): () => void;
  /** Adds rules until the Toolcrib is closed. */
  grantForSession(lines: readonly string[]): void;
  /** Adds rules to this workspace from now on, for a call or approval with this id. */
  grantAlways(lines: readonly string[], askedBy: string): Promise<void>;
}

/** The current surroundings of commands, which may change while the user is asked. */
interface Surroundings {
  /** Called only for calls that run commands, because the first answer takes a moment. */
  sandbox(): Promise<SandboxLevel>;
  /** Returns the variables that commands get. */
  variables(policy: VariablePolicy): Readonly<Record<string, string>>;
  /** Returns why undo does not cover what commands change; undefined when it does. */
  undoLacks?(): string | undefined;
  /** The history of a persistent shell; undefined when none has this name. */
  shell?(name: string): ShellHistory | undefined;
}

/** A decision, the question it answers, and the policy that decided. */
export interface DecidedCall {
  readonly question: Question;
  readonly policy: Policy;
  readonly decision: Decision;
}

type DecisionSettings = Pick<PolicySettings, "mode" | "isPlanning" | "rules" | "surroundings">;

/** Decides a call by the current rules and the current state of the files it names. */
export async function decideNow(
  call: ToolCall,
  { mode, isPlanning = false, rules, surroundings }: DecisionSettings,
): Promise<DecidedCall> {
  const isCommand = runsCommands(call);
  // The command parser is loaded with the first call that runs a command.
  const readCommand = isCommand
    ? (await import("../engine/policy/commands/read-command.ts")).readCommand
    : expectNoCommand;
  const sandbox = isCommand ? await surroundings.sandbox() : "none";
  const policy = await rules.refreshed();
  const shells = isCommand ? await shellsUsed(call, policy, surroundings) : undefined;
  const settings = { mode, sandbox, policy, lookUp: "what decides", readCommand, shells } as const;
  const asked = await policyQuestion(call, settings);
  const reachesOwnServers = !isCommand && (await isServedHere(call));
  const undoLacks = isCommand ? surroundings.undoLacks?.() : undefined;
  const question = { ...asked, reachesOwnServers, undoLacks, isPlanning: isPlanning && !call.isOfUser };
  return { question, policy, decision: decideCall(question, policy, readCommand) };
}

/** Decides a call by the current rules, and by what its hooks or its caller ask for. */
export function decideWithHook(call: ToolCall, settings: DecisionSettings): Promise<DecidedCall> {
  const decided = decideNow(call, settings);
  return call.hook === undefined ? decided : decided.then((now) => withHook(now, call.hook));
}

/** Turns "allow" into "ask" when a hook asks, and adds that a hook answers a question for the user. */
function withHook(decided: DecidedCall, hook: ToolCall["hook"]): DecidedCall {
  const { decision } = decided;
  const { source = "", permission } = hook ?? {};
  if (permission === "ask" && decision.verdict === "allow") {
    const isHook = hook?.source !== undefined;
    const reason = [isHook ? "a hook asks" : undefined, hook?.reason].filter(Boolean).join(": ");
    const asking = ({ part, risk }: PolicyVerdict) =>
      ({ part, risk, verdict: "ask", rule: undefined, firm: true, reason }) as const;
    const record = { verdict: "ask", rule: isHook ? "hook" : "caller", source, reason } as const;
    const decisive = asking(decision.decisive);
    return {
      ...decided,
      decision: { ...decision, verdict: "ask", decisive, parts: decision.parts.map(asking), record },
    };
  }
  if (!hookAnswers(decided, hook)) return decided;
  const record = {
    ...decision.record,
    reason: `${decision.record.reason}; the hook at ${source} allowed it`,
  };
  return { ...decided, decision: { ...decision, record } };
}

/** Whether a hook of the user answers for the user. It cannot where no rule could: in paranoid mode, and for firm parts. */
export function hookAnswers({ decision, question }: DecidedCall, hook: ToolCall["hook"]): boolean {
  if (hook?.permission !== "allow" || decision.verdict !== "ask" || question.mode === "paranoid")
    return false;
  return !decision.parts.some(({ verdict, firm }) => verdict === "ask" && firm);
}

/** Returns the state that earlier commands left in the shells that a call uses. */
export async function shellsUsed(
  { accesses }: Pick<ToolCall, "accesses">,
  { context }: Policy,
  { shell }: Pick<Surroundings, "shell">,
): Promise<Question["shells"]> {
  const names = accesses.flatMap((access) => (access.kind === "execute" ? (access.session ?? []) : []));
  if (names.length === 0 || shell === undefined) return undefined;
  const { shellState } = await import("../engine/policy/commands/shell-state.ts");
  const left = names.flatMap((name) => {
    const history = shell(name);
    return history === undefined ? [] : [[name, shellState(history, context.workspace)] as const];
  });
  return new Map(left);
}

/** Whether a call connects to the loopback, and programs that were started here listen on all those ports. */
async function isServedHere({ accesses, environment }: ToolCall): Promise<boolean> {
  const ports = accesses.flatMap((access) =>
    access.kind === "network" && meansLoopback(hostOf(access.host)) ? [access.port] : [],
  );
  for (const port of ports) if (port === undefined || !(await environment.listens?.(port))) return false;
  return ports.length > 0;
}

function expectNoCommand(): never {
  throw new Error("A call that runs nothing has a command");
}

export function runsCommands({ accesses }: ToolCall): boolean {
  return accesses.some(({ kind }) => kind === "execute");
}

/** Returns the confinement of the commands of a call; undefined when the tool runs none. */
export async function confinementFor(
  call: ToolCall,
  { decision, question, policy }: DecidedCall,
  answer: "approved" | "not asked",
  settings: DecisionSettings,
): Promise<ToolCall["confinement"]> {
  const isCommand = runsCommands(call);
  const { risk, startsPrograms } = call.tool;
  if (!isCommand && !startsPrograms && (risk === "read" || risk === "write")) return undefined;
  const { confinementOf } = await import("../policy/confinement-of.ts");
  const confinement = confinementOf(decision, question, policy, answer);
  return isCommand ? { ...confinement, level: decision.sandbox } : mayRunMore(confinement, call, settings);
}

/**
 * Adds the check of commands and files that the tool finds only while it runs, such as git filters. They are decided like
 * those of the call, except that a command which only reads needs a rule, too: the repository has chosen it.
 */
function mayRunMore(
  confinement: Confinement,
  call: ToolCall,
  settings: DecisionSettings,
): DecidedConfinement {
  let level: SandboxLevel | undefined;
  return {
    ...confinement,
    get level() {
      return level;
    },
    mayWrite: async (path) => {
      const { decision } = await decideNow({ ...call, accesses: [{ kind: "write", path }] }, settings);
      return decision.verdict === "allow";
    },
    mayRun: async (command, chosenBy = "repository") => {
      const { decision, question } = await decideNow(
        { ...call, accesses: [{ kind: "execute", command }], asksBeforeCommands: true },
        settings,
      );
      const isAllowed = chosenBy === "user" ? decision.verdict !== "deny" : decision.verdict === "allow";
      if (!isAllowed) return false;
      // The command runs in the sandbox of the call, even when rules take the command out of the sandbox.
      level = question.sandbox;
      call.account.sandbox = level;
      return true;
    },
  };
}
