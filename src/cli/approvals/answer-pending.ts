import { ToolError } from "../../contract/error.ts";
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

export async function answerPending(given: Arguments): Promise<number> {
  const { options, operands } = given;
  const [id = "", ...words] = operands;
  const wanted = wantedAnswer(given, words);
  const approvals = new AllPendingApprovals(userDirectories());
  const pending = approvals.find(id);
  if (pending === undefined) throw notPending(id, approvals);
  refuseProgramsOfTools("approve calls");
  if (wanted?.allow && wanted.remember !== undefined && pending.request.grants.length === 0)
    throw new ToolError("invalid-input", "This call can only be allowed once", {
      hint: "Remove --session and --always.",
    });
  if (!options.has("json")) remarkExactly(showPending(pending, wanted ? explainRequest : showRequest));
  const answer = await decide(pending, wanted, options);
  await approvals.answer(pending, answer);
  if (options.has("json")) printJson({ ...pending, answer });
  else print(describeAnswer(answer, pending));
  return 0;
}

function wantedAnswer({ options }: Arguments, words: readonly string[]): Approval | undefined {
  const chosen = ["session", "always", "deny"].filter((name) => options.has(name));
  if (chosen.length > 1)
    throw new ToolError("invalid-input", `--${chosen[0]} and --${chosen[1]} cannot be combined`, {
      hint: "See: toolcrib help approve",
    });
  if (options.has("deny")) return { allow: false, message: words.join(" ") || undefined };
  refuseOperands(words, { name: "approve" });
  if (options.has("session")) return { allow: true, remember: "session" };
  if (options.has("always")) return { allow: true, remember: "always" };
  return options.has("yes") ? { allow: true } : undefined;
}

/** Returns the answer of the options, else asks. Without a terminal, --yes or --deny is required. */
async function decide(
  { request }: PendingApproval,
  wanted: Approval | undefined,
  options: ReadonlyMap<string, string>,
): Promise<Approval> {
  if (wanted && (!wanted.allow || options.has("yes"))) return wanted;
  if (!canAsk(options))
    throw new ToolError("needs-approval", "There is no terminal to ask for confirmation", {
      hint: "Review the call, then add --yes or --deny.",
    });
  return interruptible(async (signal) => {
    if (!wanted) return readAnswerFor(request, signal);
    if (await confirm("Allow it?", signal)) return wanted;
    throw new ToolError("denied", "The approval is still pending", { hint: "To deny it, add --deny." });
  });
}

function showPending(
  { request, client, workspace, askedAt, answer }: PendingApproval,
  show: (request: PendingApproval["request"], columns: number) => string,
): string {
  return [
    show({ ...request, client: client ?? undefined }, columnsOf(2)),
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
