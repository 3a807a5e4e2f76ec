import type { DecisionRecord } from "../../contract/account.ts";
import type { ToolCall } from "../../contract/call.ts";
import { untilAborted, whileWaitingFor } from "../../lib/abort.ts";
import { grantsFor } from "../../policy/grants.ts";
import type { Decision, Question } from "../../policy/policy.ts";
import type { Approval, ApprovalRequest, Approve } from "../approvals/approval.ts";
import { hashValue } from "../approvals/hash-call.ts";
import { confine, judgeNow, runsCommands } from "../approvals/judge-now.ts";
import { OpenQuestions } from "../approvals/open-questions.ts";
import type { PolicySettings, Rules } from "../approvals/policy-settings.ts";
import { isStillShown, type PreviewRoom, previewCall } from "../approvals/preview-call.ts";
import { readAnswer } from "../approvals/read-answer.ts";
import {
  changedMeanwhile,
  changedUnderneath,
  couldNotAsk,
  denied,
  deniedByUser,
  ledElsewhere,
  needsApproval,
  notUnderstood,
} from "../approvals/refusals.ts";
import { hashFor, requestFor } from "../approvals/request-for.ts";
import { snapshot } from "../approvals/snapshot.ts";
import { emptyRoom } from "../run-tool.ts";
import type { Stage } from "../stage.ts";

/** Lets a call pass, asks the person, or refuses it. */
export function checkPolicy(settings: PolicySettings, previews: PreviewRoom = emptyRoom): Stage {
  const { approverOf, rules } = settings;
  const questions = new OpenQuestions();
  return async (given, next) => {
    // Whoever made the call may still hold its input: what is judged must be what will run.
    const call = { ...given, input: snapshot(given.input) };
    for (;;) {
      const judged = await judgeNow(call, settings);
      const { question, decision } = judged;
      call.account.decision = decision.record;
      if (runsCommands(call)) call.account.sandbox = decision.sandbox;
      const confirm = () => confirmPlaces(call, question, settings);
      const goOn = async (answer: "approved" | "not asked", latest = judged) => {
        const confinement = await confine(call, latest, answer, settings);
        return next({ ...call, confirm, ...(confinement && { confinement }) });
      };
      if (decision.verdict === "allow") return goOn("not asked");
      if (decision.verdict === "deny") throw denied(decision);
      const approve = approverOf?.(call.id);
      if (!approve) throw needsApproval(decision);

      const grants = grantsOffered(decision, question);
      const answered = questions.answered(grants);
      if (answered) {
        // That answer may settle this call, too.
        await untilAborted(answered, call.signal, whileWaitingFor("approval of another call"));
        continue;
      }
      const latest = await questions.ask(grants, async () => {
        const preview = await previewCall(call, previews);
        const request = await requestFor(call, judged, { grants, preview }, settings);
        const approval = await ask(approve, request, call.signal);
        if (!approval.allow) {
          note(call, decision, "no");
          throw deniedByUser(decision, approval.message);
        }
        const isSame = (hash: string) => hash === request.hash;
        const rejudged = await judgeNow(call, settings);
        // The person may have changed the rules meanwhile: what they deny, no answer allows.
        if (rejudged.decision.verdict === "deny") throw denied(rejudged.decision);
        const now = await hashFor(call, rejudged, settings);
        if (!isSame(now) || !isSame(approval.hash ?? now)) throw changedMeanwhile();
        if (!(await isStillShown(preview, call, previews))) throw changedUnderneath();
        note(call, decision, await remember(call, approval, grants, rules));
        return rejudged;
      });
      return goOn("approved", latest);
    }
  };
}

/**
 * Others may have put a link in the way since, and what stands behind it was not judged; or have run something else in the
 * shell, after which the command may mean something else; or the person has denied it by a rule.
 */
async function confirmPlaces(call: ToolCall, judged: Question, settings: PolicySettings): Promise<void> {
  const { question: now, decision } = await judgeNow(call, settings);
  if (decision.verdict === "deny") throw denied(decision);
  if (hashValue(now.shells) !== hashValue(judged.shells)) {
    if (decision.verdict !== "allow") throw changedMeanwhile();
  } else if (hashValue(now.realPaths) !== hashValue(judged.realPaths)) throw ledElsewhere();
}

/** None in paranoid mode, where no rule that allows counts. */
function grantsOffered(decision: Decision, { mode, tool }: Question): readonly string[] {
  return (mode === "paranoid" ? undefined : grantsFor(decision, tool)) ?? [];
}

async function ask(approve: Approve, request: ApprovalRequest, signal: AbortSignal): Promise<Approval> {
  const asking = async () => approve(request, signal);
  const answer = asking().catch((cause) => {
    throw couldNotAsk(cause);
  });
  const approval = readAnswer(await untilAborted(answer, signal, whileWaitingFor("approval")));
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
