import { ToolError } from "../../contract/error.ts";
import { type ApprovalView, approvalView } from "../../engine/approvals/approval-view.ts";
import { AllPendingApprovals } from "../../engine/approvals/approvals.ts";
import type { PendingApproval } from "../../engine/approvals/question-store.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { userDirectories } from "../../system/directories.ts";
import type { Approval } from "../../toolcrib/index.ts";
import type { Arguments } from "../command.ts";
import { interruptible } from "../interruption.ts";
import { describeClient } from "../log/call-table.ts";
import { inPlace, workspaceIdOf } from "../options.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { printJson } from "../report.ts";
import { canAsk, columnsOf, layTable, print, remarkExactly, shorten } from "../terminal.ts";
import { confirm, readAnswerFor, refuseProgramsOfTools } from "./ask-on-terminal.ts";
import { explainRequest, showRequest } from "./show-request.ts";

export async function listPending({ options }: Arguments): Promise<number> {
  const workspace = workspaceIdOf(options);
  const isAll = options.has("all");
  const approvals = new AllPendingApprovals(userDirectories());
  const unanswered = (of?: string) => approvals.list(of).filter(({ answer }) => answer === undefined);
  const pending = isAll ? approvals.list() : unanswered(workspace);
  if (options.has("json")) printJson(pending);
  else if (pending.length > 0) print(formatPending(pending, isAll));
  else if (isAll || unanswered().length === 0) print("No approvals are pending.\n");
  else {
    const where = inPlace(options.get("target"));
    print(`No approvals are pending ${where}. To list those of other workspaces: toolcrib approve --all\n`);
  }
  return 0;
}

/** Answers one question, several, or with `all` those that `toolcrib approve` lists. */
export async function answerPending(given: Arguments): Promise<number> {
  const { options } = given;
  refuseConflicts(options);
  const approvals = new AllPendingApprovals(userDirectories());
  const chosen = chosenBy(given, approvals);
  const wanted = wantedAnswer(options);
  refuseProgramsOfTools("approve calls");
  if (wanted?.allow && wanted.remember !== undefined)
    for (const { id, request } of chosen) if (request.grants.length === 0) throw onlyOnce(id, chosen.length);
  const show = wanted ? explainRequest : showRequest;
  if (!options.has("json")) for (const pending of chosen) remarkExactly(showPending(pending, show));
  if (chosen.length === 0) {
    if (options.has("json")) printJson([]);
    else print("No approvals are pending.\n");
    return 0;
  }
  const answer = await decide(chosen, wanted, options);
  const isSingle = given.operands[0] !== "all" && chosen.length === 1;
  const failures: unknown[] = [];
  const answered: PendingApproval[] = [];
  for (const pending of chosen) {
    try {
      await approvals.answer(pending, answer);
      answered.push(pending);
      if (!options.has("json"))
        print(`${isSingle ? "" : `${pending.id}  `}${describeAnswer(answer, pending)}`);
    } catch (error) {
      // The others were answered by the user, too.
      failures.push(error);
    }
  }
  const results = answered.map((pending) => ({ ...pending, answer }));
  if (options.has("json") && (results.length > 0 || failures.length === 0))
    printJson(isSingle ? results[0] : results);
  if (failures.length > 0) throw failures[0];
  return 0;
}

/** Returns the questions that the operands name. Refuses all of them when one cannot be answered. */
function chosenBy(
  { operands, options }: Arguments,
  approvals: AllPendingApprovals,
): readonly PendingApproval[] {
  if (operands[0] === "all") {
    refuseOperands(operands.slice(1), { name: "approve" });
    const workspace = options.has("all") ? undefined : workspaceIdOf(options);
    return approvals.list(workspace).filter(({ answer }) => !answer);
  }
  return [...new Set(operands)].map((id) => {
    const pending = approvals.find(id);
    if (pending === undefined) throw notPending(id, approvals);
    return pending;
  });
}

function onlyOnce(id: string, count: number): ToolError {
  const what = count === 1 ? "This call" : `The call of ${id}`;
  return new ToolError("invalid-input", `${what} can only be allowed once`, {
    hint: "Remove --session and --always.",
  });
}

function refuseConflicts(options: Arguments["options"]): void {
  const kinds = ["session", "always", "deny"].filter((name) => options.has(name));
  if (kinds.length > 1)
    throw new ToolError("invalid-input", `--${kinds[0]} and --${kinds[1]} cannot be combined`, {
      hint: "See: toolcrib help approve",
    });
}

function wantedAnswer(options: Arguments["options"]): Approval | undefined {
  if (options.has("deny")) return { allow: false, message: options.get("deny") || undefined };
  if (options.has("session")) return { allow: true, remember: "session" };
  if (options.has("always")) return { allow: true, remember: "always" };
  return options.has("yes") ? { allow: true } : undefined;
}

/** Returns the answer of the options, else asks. Without a terminal, --yes or --deny is required. */
async function decide(
  chosen: readonly PendingApproval[],
  wanted: Approval | undefined,
  options: ReadonlyMap<string, string>,
): Promise<Approval> {
  if (wanted && (!wanted.allow || options.has("yes"))) return wanted;
  if (!canAsk(options))
    throw new ToolError("needs-approval", "There is no terminal to ask for confirmation", {
      hint: "Review the call, then add --yes or --deny.",
    });
  const [first, ...others] = chosen;
  return interruptible(async (signal) => {
    if (!wanted && others.length === 0) return readAnswerFor(viewOf(first!), signal);
    const question =
      others.length === 0 ? "Allow it?" : `Allow these ${chosen.length} calls${wanted ? "" : " once"}?`;
    if (await confirm(question, signal)) return wanted ?? { allow: true };
    const state = others.length === 0 ? "The approval is still pending" : "The approvals are still pending";
    throw new ToolError("denied", state, { hint: "To deny it, add --deny." });
  });
}

function viewOf({ request, client }: PendingApproval): ApprovalView {
  return approvalView({ ...request, client });
}

function showPending(
  pending: PendingApproval,
  show: (view: ApprovalView, columns: number) => string,
): string {
  const { request, client, workspace, askedAt, answer } = pending;
  return [
    show(viewOf(pending), columnsOf(2)),
    `${request.target === undefined ? "Folder" : "Target"} ${printableLine(workspace)}, asked ${ageOf(askedAt)} ago by ${describeClient(client)}${answer ? `, ${stateOf(answer.says)}` : ""}`,
    "",
  ].join("\n");
}

function formatPending(pending: readonly PendingApproval[], withFolder: boolean): string {
  return layTable(
    pending.map(({ id, request, client, workspace, askedAt, answer }) => [
      id,
      answer ? stateOf(answer.says) : `${ageOf(askedAt)} ago`,
      describeClient(client),
      request.tool,
      shorten(printableLine(request.reason), 79),
      ...(withFolder ? [printableLine(workspace)] : []),
    ]),
  );
}

function stateOf({ allow }: Approval): string {
  return allow ? "allowed" : "denied";
}

function describeAnswer(answer: Approval, { waiting, request }: PendingApproval): string {
  const isWaiting = waiting > 0;
  if (!answer.allow)
    return isWaiting ? "Denied.\n" : "Denied. The same call fails for the next 10 minutes.\n";
  if (answer.remember === "always") return `Allowed ${inPlace(request.target)} from now on.\n`;
  if (answer.remember === "session") return "Allowed until the session that asked ends.\n";
  return isWaiting
    ? "Allowed once. The waiting call continues.\n"
    : "Allowed once. The same call runs if it is made within 10 minutes.\n";
}

function ageOf(time: number): string {
  const seconds = Math.max(0, Math.round((Date.now() - time) / 1000));
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

function notPending(id: string, approvals: AllPendingApprovals): ToolError {
  const near = nearest(
    id,
    approvals.list().map((pending) => pending.id),
  );
  return new ToolError("not-found", `No approval with the id ${printableLine(id)} is pending`, {
    hint: near ? `Did you mean ${near}?` : "To list the pending approvals, run: toolcrib approve --all",
  });
}
