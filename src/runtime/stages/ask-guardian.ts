import type { DecisionRecord, SandboxLevel } from "../../contract/account.ts";
import type { ToolCall } from "../../contract/call.ts";
import type { History } from "../../contract/history.ts";
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
  sandbox(): SandboxLevel;
  /** Those that commands get. */
  variables(): Readonly<Record<string, string>>;
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
      call.account.sandbox = question.sandbox;
      const confirm = () => confirmPlaces(call, question, settings);
      if (decision.verdict === "allow") return next({ ...call, confirm });
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
        const request = requestFor(call, question, decision, grants, shown, settings);
        const approval = await ask(approve, request, call.signal);
        if (!approval.allow) {
          note(call, decision, "no");
          throw refusedByPerson(decision, approval.message);
        }
        const isSame = (hash: string) => hash === request.hash;
        const now = hashFor(call, await questionFor(call, settings), settings);
        if (!isSame(now) || !isSame(approval.hash ?? now)) throw changedMeanwhile();
        if (!(await isStillShown(shown, call, historyFor))) throw changedUnderneath();
        note(call, decision, await remember(call, approval, grants, rules));
      });
      return next({ ...call, confirm });
    }
  };
}

async function questionFor(call: ToolCall, settings: GuardianSettings): Promise<Question> {
  const { mode, rules, surroundings } = settings;
  const readCommand = await readerFor(call);
  const sandbox = surroundings.sandbox();
  return questionOf(call, { mode, sandbox, policy: rules.current, lookUp: "what decides", readCommand });
}

/** Others may have put a link in the way since, and what stands behind it was not judged. */
async function confirmPlaces(call: ToolCall, judged: Question, settings: GuardianSettings): Promise<void> {
  const now = await questionFor(call, settings);
  if (hashValue(now.realPaths) !== hashValue(judged.realPaths)) throw ledElsewhere();
}

/** What reads commands is loaded with the first call that runs one. */
async function readerFor({ accesses }: ToolCall): Promise<ReadCommand> {
  if (!accesses.some(({ kind }) => kind === "execute")) return expectNoCommand;
  return (await import("../../guardian/commands/analyse-command.ts")).analyseCommand;
}

function expectNoCommand(): never {
  throw new Error("A call that runs nothing has a command");
}

/** None in paranoid mode, where no rule that allows counts. */
function grantsOffered(decision: Decision, { mode, tool }: Question): readonly string[] {
  return (mode === "paranoid" ? undefined : grantsFor(decision, tool.name)) ?? [];
}

function requestFor(
  call: ToolCall,
  question: Question,
  { risk, record, parts }: Decision,
  grants: readonly string[],
  preview: Preview,
  settings: GuardianSettings,
): ApprovalRequest {
  const { reason, rule, source } = record;
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
    environment: hashValue(settings.surroundings.variables()).slice(0, 16),
    sandbox: question.sandbox,
    hash: hashFor(call, question, settings),
  };
}

function hashFor(call: ToolCall, question: Question, { surroundings }: GuardianSettings): string {
  return hashCall({
    tool: question.tool.name,
    input: call.input,
    realPaths: question.realPaths,
    directory: call.environment.workspace,
    variables: surroundings.variables(),
    sandbox: question.sandbox,
  });
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
