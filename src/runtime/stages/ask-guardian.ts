import type { DecisionRecord, SandboxLevel } from "../../contract/account.ts";
import type { ToolCall } from "../../contract/call.ts";
import type { VariablePolicy } from "../../contract/confinement.ts";
import type { History } from "../../contract/history.ts";
import type { ShellPast } from "../../contract/process.ts";
import { grantsFor } from "../../guardian/grants.ts";
import { judgeCall } from "../../guardian/judge-call.ts";
import type { Mode } from "../../guardian/mode.ts";
import type { ReadCommand } from "../../guardian/parts.ts";
import type { Decision, Question } from "../../guardian/policy.ts";
import type { Policy } from "../../guardian/rules/compile-policy.ts";
import type { Approval, ApprovalRequest, Approve } from "../approvals/approval.ts";
import { hashCall, hashValue } from "../approvals/hash-call.ts";
import { OpenQuestions } from "../approvals/open-questions.ts";
import { isStillShown, type Preview, previewCall } from "../approvals/preview-call.ts";
import { questionOf } from "../approvals/question-of.ts";
import { readAnswer } from "../approvals/read-answer.ts";
import {
  changedMeanwhile,
  changedUnderneath,
  couldNotAsk,
  denied,
  ledElsewhere,
  needsApproval,
  notUnderstood,
  refusedByPerson,
} from "../approvals/refusals.ts";
import { snapshot } from "../approvals/snapshot.ts";
import { noHistory } from "../no-history.ts";
import type { Stage } from "../stage.ts";
import { untilAborted } from "../until-aborted.ts";

export interface GuardianSettings {
  readonly mode: Mode;
  readonly rules: Rules;
  /** For previews of what would be undone. */
  readonly historyFor?: (call: ToolCall) => History;
  readonly surroundings: Surroundings;
  /** Asks the person. Without it, whatever would be asked is refused with `needs-approval`. */
  readonly approve?: Approve;
}

/** The rules that hold, and the way to add what a person grants. */
interface Rules {
  readonly current: Policy;
  /** Until the room is closed. */
  grantForSession(lines: readonly string[]): void;
  /** From now on, in this workspace. */
  grantAlways(lines: readonly string[], comment: string): Promise<void>;
}

/** What commands run in, as it is when asked for: it may change while a person thinks. */
interface Surroundings {
  /** Asked only about calls that run commands: to find it out takes a moment. */
  sandbox(): Promise<SandboxLevel>;
  /** Those that commands get. */
  variables(policy: VariablePolicy): Readonly<Record<string, string>>;
  /** What a shell that stays has been through; undefined for one that is not there. */
  shell?(name: string): ShellPast | undefined;
}

/** Lets a call pass, asks the person, or refuses it. */
export function askGuardian(settings: GuardianSettings): Stage {
  const { approve, rules, historyFor = noHistory } = settings;
  const questions = new OpenQuestions();
  return async (given, next) => {
    // Whoever made the call may still hold its input: what is judged must be what will run.
    const call = { ...given, input: snapshot(given.input) };
    for (;;) {
      const question = await questionFor(call, settings);
      const decision = judgeCall(question, rules.current, await readerFor(call));
      call.account.decision = decision.record;
      if (runsCommands(call)) call.account.sandbox = decision.sandbox;
      const confirm = () => confirmPlaces(call, question, settings);
      const goOn = async (answer: "approved" | "not asked") => {
        const confinement = await confine(call, decision, question, rules.current, answer);
        return next({ ...call, confirm, ...(confinement && { confinement }) });
      };
      if (decision.verdict === "allow") return goOn("not asked");
      if (decision.verdict === "deny") throw denied(decision);
      if (!approve) throw needsApproval(decision);

      const grants = grantsOffered(decision, question);
      const answered = questions.answered(grants);
      if (answered) {
        // That answer may settle this call, too.
        await untilAborted(answered, call.signal, "approval of another call");
        continue;
      }
      await questions.ask(grants, async () => {
        const shown = await previewCall(call, historyFor);
        const request = await requestFor(call, question, decision, grants, shown, settings);
        const approval = await ask(approve, request, call.signal);
        if (!approval.allow) {
          note(call, decision, "no");
          throw refusedByPerson(decision, approval.message);
        }
        const isSame = (hash: string) => hash === request.hash;
        const asked = await questionFor(call, settings);
        const now = hashFor(call, asked, judgeCall(asked, rules.current, await readerFor(call)), settings);
        if (!isSame(now) || !isSame(approval.hash ?? now)) throw changedMeanwhile();
        if (!(await isStillShown(shown, call, historyFor))) throw changedUnderneath();
        note(call, decision, await remember(call, approval, grants, rules));
      });
      return goOn("approved");
    }
  };
}

function runsCommands({ accesses }: ToolCall): boolean {
  return accesses.some(({ kind }) => kind === "execute");
}

/** What the commands of a call may reach; undefined where the tool runs none. */
async function confine(
  call: ToolCall,
  decision: Decision,
  question: Question,
  policy: Policy,
  answer: "approved" | "not asked",
): Promise<ToolCall["confinement"]> {
  const isCommand = runsCommands(call);
  if (!isCommand && (call.tool.risk === "read" || call.tool.risk === "write")) return undefined;
  const { confinementOf } = await import("../../guardian/confinement-of.ts");
  const confinement = confinementOf(decision, question, policy, answer);
  return isCommand ? { ...confinement, level: decision.sandbox } : confinement;
}

async function questionFor(call: ToolCall, settings: GuardianSettings): Promise<Question> {
  const { mode, rules, surroundings } = settings;
  const readCommand = await readerFor(call);
  const sandbox = runsCommands(call) ? await surroundings.sandbox() : "none";
  const policy = rules.current;
  const shells = await shellsUsed(call, policy, surroundings);
  return questionOf(call, {
    mode,
    sandbox,
    policy,
    lookUp: "what decides",
    readCommand,
    ...(shells && { shells }),
  });
}

async function shellsUsed(
  { accesses }: ToolCall,
  { place }: Policy,
  { shell }: Surroundings,
): Promise<Question["shells"]> {
  const names = accesses.flatMap((access) => (access.kind === "execute" ? (access.session ?? []) : []));
  if (names.length === 0 || shell === undefined) return undefined;
  const { leftBy } = await import("../../guardian/commands/session-knowledge.ts");
  const left = names.flatMap((name) => {
    const past = shell(name);
    return past === undefined ? [] : [[name, leftBy(past, place.workspace)] as const];
  });
  return new Map(left);
}

/** Others may have put a link in the way since, and what stands behind it was not judged. */
async function confirmPlaces(call: ToolCall, judged: Question, settings: GuardianSettings): Promise<void> {
  const now = await questionFor(call, settings);
  if (hashValue(now.realPaths) !== hashValue(judged.realPaths)) throw ledElsewhere();
}

/** What reads commands is loaded with the first call that runs one. */
async function readerFor(call: ToolCall): Promise<ReadCommand> {
  if (!runsCommands(call)) return expectNoCommand;
  return (await import("../../guardian/commands/analyse-command.ts")).analyseCommand;
}

function expectNoCommand(): never {
  throw new Error("A call that runs nothing has a command");
}

/** None in paranoid mode, where no rule that allows counts. */
function grantsOffered(decision: Decision, { mode, tool }: Question): readonly string[] {
  return (mode === "paranoid" ? undefined : grantsFor(decision, tool.name)) ?? [];
}

async function requestFor(
  call: ToolCall,
  question: Question,
  decision: Decision,
  grants: readonly string[],
  preview: Preview,
  settings: GuardianSettings,
): Promise<ApprovalRequest> {
  const { risk, record, parts, sandbox, unconfined = false } = decision;
  const { reason, rule, source } = record;
  const policy = settings.rules.current;
  const { hostsReached } = await import("../../guardian/may-connect.ts");
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
    environment: hashValue(variablesOf(settings)).slice(0, 16),
    sandbox,
    unconfined,
    hosts: runsCommands(call) ? hostsReached(decision, question, policy) : [],
    hash: hashFor(call, question, decision, settings),
  };
}

function hashFor(
  call: ToolCall,
  question: Question,
  { sandbox }: Decision,
  settings: GuardianSettings,
): string {
  return hashCall({
    tool: question.tool.name,
    input: call.input,
    realPaths: question.realPaths,
    directory: call.environment.workspace,
    variables: variablesOf(settings),
    sandbox,
    shells: question.shells,
  });
}

function variablesOf({ surroundings, rules }: GuardianSettings): Readonly<Record<string, string>> {
  return surroundings.variables(rules.current.settings.variables);
}

async function ask(approve: Approve, request: ApprovalRequest, signal: AbortSignal): Promise<Approval> {
  const asking = async () => approve(request, signal);
  const answer = asking().catch((cause) => {
    throw couldNotAsk(cause);
  });
  const approval = readAnswer(await untilAborted(answer, signal, "approval"));
  if (!approval) throw notUnderstood();
  return approval;
}

/** What was approved may run, also when the rule could not be written down. */
async function remember(
  call: ToolCall,
  approval: Approval & { readonly allow: true },
  grants: readonly string[],
  rules: Rules,
): Promise<Answer> {
  if (grants.length === 0 || approval.remember === undefined) return "once";
  if (approval.remember === "always") {
    try {
      const time = new Date().toISOString().slice(0, 16).replace("T", " ");
      await rules.grantAlways(grants, `${time} UTC, asked for by ${call.id}`);
      return "always";
    } catch (error) {
      const message = `Allowed for this session only: ${(error as Error).message}`;
      call.notify({ type: "progress", message });
    }
  }
  rules.grantForSession(grants);
  return "session";
}

type Answer = NonNullable<DecisionRecord["answer"]>;

function note(call: ToolCall, { record }: Decision, answer: Answer): void {
  call.account.decision = { ...record, answer };
}
