import { ToolError } from "../../contract/error.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { realWorkspace, userDirectories } from "../../system/directories.ts";
import type { Approval } from "../../toolcrib/index.ts";
import { AllPendingApprovals, type PendingApproval } from "../../toolcrib/pending-approvals.ts";
import type { Arguments } from "../command.ts";
import { onInterruption } from "../interruption.ts";
import { printJson } from "../report.ts";
import { canAsk, layTable, print, remark } from "../terminal.ts";
import { readAnswerFor, readLine, refuseProgramsOfTools } from "./ask-on-terminal.ts";
import { showRequest } from "./show-request.ts";

/** `toolcrib approve` */
export async function listQuestions({ options }: Arguments): Promise<number> {
  const workspace = realWorkspace(options.get("workspace") ?? process.cwd());
  const isAll = options.has("all");
  const kept = openDesk().list(isAll ? undefined : workspace);
  const questions = isAll ? kept : kept.filter(({ answer }) => answer === undefined);
  if (options.has("json")) printJson(questions);
  else if (questions.length === 0) print("Nothing waits for an answer.\n");
  else print(tellQuestions(questions, isAll));
  return 0;
}

/** `toolcrib approve <id>` */
export async function answerQuestion(given: Arguments): Promise<number> {
  const { options, operands } = given;
  const [id = "", ...words] = operands;
  const wanted = wantedAnswer(given, words);
  const desk = openDesk();
  const question = desk.find(id);
  if (question === undefined) throw noQuestion(id, desk);
  refuseProgramsOfTools("approve calls");
  const { grants } = question.request;
  if (wanted?.allow && wanted.remember !== undefined && grants.length === 0) throw onlyOnce();
  // Whatever is said is said of what stands here.
  if (!options.has("json")) remark(showQuestion(question));
  const answer = await decide(question, wanted, options);
  await desk.answer(question, answer);
  if (options.has("json")) printJson({ ...question, answer });
  else print(tellAnswer(answer));
  return 0;
}

function openDesk(): AllPendingApprovals {
  return new AllPendingApprovals(userDirectories());
}

function wantedAnswer({ options }: Arguments, words: readonly string[]): Approval | undefined {
  const chosen = ["session", "always", "deny"].filter((name) => options.has(name));
  if (chosen.length > 1) throw mistake(`--${chosen[0]} and --${chosen[1]} contradict each other`);
  if (options.has("deny")) {
    const message = words.join(" ");
    return message === "" ? { allow: false } : { allow: false, message };
  }
  if (words.length > 0) throw mistake(`"${words[0]}" is one word too many`);
  if (options.has("session")) return { allow: true, remember: "session" };
  if (options.has("always")) return { allow: true, remember: "always" };
  return options.has("yes") ? { allow: true } : undefined;
}

/** The person at the terminal decides; without one, only what the command line says outright counts. */
async function decide(
  { request }: PendingApproval,
  wanted: Approval | undefined,
  options: ReadonlyMap<string, string>,
): Promise<Approval> {
  if (wanted && (!wanted.allow || options.has("yes"))) return wanted;
  if (!canAsk(options))
    throw new ToolError("needs-approval", "Nobody can be asked here whether to allow it", {
      hint: "Read it, then add --yes or --deny.",
    });
  const interruption = onInterruption();
  try {
    if (!wanted) return await readAnswerFor(request.grants, interruption.signal);
    const answer = await readLine("Allow it? (y yes, n no) ", interruption.signal);
    if (/^\s*y(es)?\s*$/i.test(answer)) return wanted;
    throw new ToolError("denied", "It stays unanswered", { hint: "To refuse it, add --deny." });
  } finally {
    interruption.stop();
  }
}

function showQuestion({ request, workspace, askedAt, answer }: PendingApproval): string {
  const columns = process.stderr.columns || 80;
  return [
    showRequest(request, columns),
    `Folder ${printableLine(workspace)}, asked ${ageOf(askedAt)} ago${answer ? `, ${stateOf(answer.says)}` : ""}`,
    "",
  ].join("\n");
}

function tellQuestions(questions: readonly PendingApproval[], withFolder: boolean): string {
  return layTable(
    questions.map(({ id, request, workspace, askedAt, answer }) => [
      id,
      answer ? stateOf(answer.says) : `${ageOf(askedAt)} ago`,
      request.tool,
      cut(printableLine(request.reason)),
      ...(withFolder ? [printableLine(workspace)] : []),
    ]),
  );
}

function cut(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}

function stateOf(says: Approval): string {
  return says.allow ? "allowed" : "refused";
}

function tellAnswer(answer: Approval): string {
  if (!answer.allow) return "Refused: for 10 minutes the same call is told so.\n";
  if (answer.remember === "always") return "Allowed in this folder from now on.\n";
  if (answer.remember === "session") return "Allowed until that server ends, from the next call on.\n";
  return "Allowed: the same call passes once, within 10 minutes.\n";
}

function ageOf(time: number): string {
  const seconds = Math.max(0, Math.round((Date.now() - time) / 1000));
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

function noQuestion(id: string, desk: AllPendingApprovals): ToolError {
  const ids = desk.list().map((question) => question.id);
  const meant = nearest(id, ids);
  return new ToolError("not-found", `No question "${printableLine(id)}" waits for an answer`, {
    hint: meant
      ? `Did you mean ${meant}?`
      : "It may have been answered, or be older than a day: see toolcrib approve --all",
  });
}

function onlyOnce(): ToolError {
  return new ToolError("invalid-input", "It can be allowed only once", {
    hint: "Leave out --session and --always.",
  });
}

function mistake(message: string): ToolError {
  return new ToolError("invalid-input", message, { hint: "See: toolcrib help approve" });
}
