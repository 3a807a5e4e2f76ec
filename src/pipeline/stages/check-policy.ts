import type { DecisionRecord, ToolCall } from "../../contract/call.ts";
import {
  type Approval,
  type ApprovalRequest,
  type Approve,
  rulesOfWidth,
  snapshot,
} from "../../engine/approvals/approval-request.ts";
import {
  askUntilDecided,
  type OpenRequest,
  OpenRequests,
  sameAnswer,
} from "../../engine/approvals/ask-user.ts";
import { hashValue } from "../../engine/approvals/hash-call.ts";
import {
  callChanged,
  denied,
  deniedByUser,
  needsApproval,
  pathsChanged,
  previewChanged,
} from "../../engine/approvals/refusals.ts";
import type { HeldConnections } from "../../engine/pipeline/hold-connections.ts";
import { untilAborted, whileWaitingFor } from "../../lib/async/abort.ts";
import type { GrantWidth } from "../../policy/grants.ts";
import type { Decision, Question } from "../../policy/policy.ts";
import {
  confinementFor,
  type DecidedCall,
  decideNow,
  decideWithHook,
  hookAnswers,
  type PolicySettings,
  type Rules,
  runsCommands,
} from "../decide-call.ts";
import { isStillShown, type PreviewServices, previewCall } from "../preview-call.ts";
import { refuseSyntaxErrors } from "../refuse-syntax-errors.ts";
import { approvalHash, approvalRequest, widthsOffered } from "../request-approval.ts";
import type { Stage } from "../stage.ts";

/** Lets a call run, asks the user, or refuses it. */
export function checkPolicy(settings: PolicySettings, previews: PreviewServices): Stage {
  const openRequests = new OpenRequests();
  const explained = new Set<string>();
  /** Returns once why there is no sandbox, and what fixes that. */
  const noSandboxFor = async (
    { environment }: ToolCall,
    { parts }: Decision,
  ): Promise<string | undefined> => {
    if (!parts.some(({ verdict, bare }) => verdict === "ask" && bare)) return undefined;
    const why = (await environment.sandbox?.())?.missing.join(" ");
    if (!why || explained.has(why)) return undefined;
    explained.add(why);
    return why;
  };
  const inSession = new Map<string, HeldConnections>();
  /** Returns the decision by which a call may run. Throws when it may not. */
  const settle = async (call: ToolCall): Promise<Settled> => {
    for (;;) {
      const decided = await decideWithHook(call, settings);
      const { question, decision } = decided;
      await refuseSyntaxErrors(call, decision);
      call.account.decision = decision.record;
      if (runsCommands(call)) call.account.sandbox = decision.sandbox;
      if (decision.verdict === "allow") return { decided, latest: decided, answer: "not asked" };
      if (decision.verdict === "deny") throw denied(decision);
      const isAnswered = hookAnswers(decided, call.hook);
      let approve: Approve | undefined = isAnswered
        ? () => ({ allow: true })
        : settings.approverOf?.(call.id);
      const widths = isAnswered ? [] : widthsOffered(decided);
      const grants = widths[0]?.rules ?? [];
      const noSandbox = await noSandboxFor(call, decision);
      if (!approve) throw needsApproval(decision, { grants, mode: question.mode, noSandbox });

      const hash = approvalHash(call, decided, settings);
      const keys = [...grants, hash];
      const answered = openRequests.answered(keys);
      if (answered) {
        // The answer to the other request may also settle this call, and counts for the same call of another agent.
        const other = await untilAborted(answered, call.signal, whileWaitingFor("approval of another call"));
        if (other?.hash !== hash) continue;
        approve = sameAnswer(other, approve);
      }
      const asking = { approve, widths, settings, previews, noSandbox };
      const latest = await openRequests.ask(keys, (open) => approveCall(call, decided, asking, open));
      // Otherwise new rules decide the call.
      if (latest) return { decided, latest, answer: "approved" };
    }
  };
  return async (given, next) => {
    // The copy keeps the caller from changing the input between the check and the run.
    const call = { ...given, input: snapshot(given.input) };
    const { decided, latest, answer } = await settle(call);
    const confinement = await confinementFor(call, latest, answer, settings);
    const recheck = () => recheckCall(call, decided.question, settings);
    // Under Landlock a port of the network is open for every host, so an unasked command gets no network.
    const isOffline =
      answer === "not asked" && decided.decision.sandbox === "landlock" && !confinement?.mayConnect;
    if (confinement === undefined || confinement.unconfined || !runsCommands(call) || isOffline)
      return await next({ ...call, recheck, confinement });
    // Loads the network, which most calls do without.
    const { holdConnections } = await import("../../engine/pipeline/hold-connections.ts");
    const held = holdConnections(call, latest, confinement, settle);
    // A shell keeps its sandbox, and each of its commands connects as its own call may.
    const [session] = call.accesses.flatMap((access) =>
      access.kind === "execute" ? (access.session ?? []) : [],
    );
    if (session !== undefined) {
      forgetEnded(inSession, settings);
      inSession.set(session, held);
    }
    const mayConnect: typeof held.mayConnect = (...given) =>
      (inSession.get(session ?? "") ?? held).mayConnect(...given);
    try {
      return await next({
        ...call,
        recheck,
        confinement: { ...confinement, hosts: confinement.hosts ?? [], heldMs: held.heldMs, mayConnect },
      });
    } finally {
      held.end();
    }
  };
}

/** Removes the shells that have ended. One that is just being started has its own connections. */
function forgetEnded(inSession: Map<string, HeldConnections>, { surroundings }: PolicySettings): void {
  if (surroundings.shell === undefined) return;
  for (const name of inSession.keys()) if (surroundings.shell(name) === undefined) inSession.delete(name);
}

interface Settled {
  readonly decided: DecidedCall;
  /** The decision after the user's answer. */
  readonly latest: DecidedCall;
  readonly answer: "approved" | "not asked";
}

interface Asking {
  readonly approve: Approve;
  readonly widths: readonly GrantWidth[];
  readonly settings: PolicySettings;
  readonly previews: PreviewServices;
  readonly noSandbox: string | undefined;
}

/**
 * Asks the user, and refuses the call unless it is still exactly the one that was approved. Returns the latest
 * decision; undefined when new rules decide the call.
 */
async function approveCall(
  call: ToolCall,
  decided: DecidedCall,
  asking: Asking,
  open: OpenRequest,
): Promise<DecidedCall | undefined> {
  const { decision } = decided;
  const { widths, settings, previews, noSandbox } = asking;
  const preview = await previewCall(call, previews);
  const request = await approvalRequest(call, decided, { widths, preview, noSandbox }, settings);
  const approval = await askUntilDecided(call.signal, request, {
    approve: asking.approve,
    rules: settings.rules,
    verdictNow: async () => (await decideWithHook(call, settings)).decision.verdict,
    open,
  });
  if (approval === undefined) return undefined;
  if (!approval.allow) {
    call.account.decision = { ...decision.record, answer: "no" };
    throw deniedByUser(decision, approval.message);
  }
  const latest = await decideNow(call, settings);
  // The user may have changed the rules meanwhile, and no answer allows a call that the rules deny.
  if (latest.decision.verdict === "deny") throw denied(latest.decision);
  const hash = approvalHash(call, latest, settings);
  if (hash !== request.hash || (approval.hash ?? hash) !== request.hash) throw callChanged();
  if (!(await isStillShown(preview, call, previews))) throw previewChanged();
  const answer = await remember(call, approval, request, settings.rules);
  call.account.decision = { ...decision.record, answer };
  return latest;
}

/**
 * Checks a call again after it has waited. Another call may have created a link whose target was not checked, or
 * changed the shell of this call, or a new rule may deny it.
 */
async function recheckCall(call: ToolCall, decided: Question, settings: PolicySettings): Promise<void> {
  const { question: now, decision } = await decideNow(call, settings);
  if (decision.verdict === "deny") throw denied(decision);
  if (hashValue(now.shells) !== hashValue(decided.shells)) {
    if (decision.verdict !== "allow") throw callChanged();
  } else if (hashValue(now.realPaths) !== hashValue(decided.realPaths)) throw pathsChanged();
}

/** Adds the granted rules as the user asked. An approved call runs even when the rule cannot be written. */
async function remember(
  call: ToolCall,
  approval: Approval & { readonly allow: true },
  request: ApprovalRequest,
  rules: Rules,
): Promise<DecisionRecord["answer"]> {
  const { grants } = request;
  if (grants.length === 0 || approval.remember === undefined) return "once";
  if (approval.remember === "always") {
    try {
      await rules.grantAlways(rulesOfWidth(request, approval.width), call.id);
      return "always";
    } catch (error) {
      const message = `Allowed for this session only: ${(error as Error).message}`;
      call.notify({ type: "progress", message });
    }
  }
  rules.grantForSession(grants);
  return "session";
}
