import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { ToolError } from "../../contract/error.ts";
import { type ApprovalView, answers, approvalView } from "../../engine/approvals/approval-view.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { runVariable } from "../../system/environment-variables.ts";
import { AnsweredElsewhere, type Approval, type ApprovalRequest } from "../../toolcrib/index.ts";
import type { TrustState } from "../../toolcrib/trust.ts";
import type { Arguments } from "../command.ts";
import { interruptible } from "../interruption.ts";
import { canAsk, columnsOf, paint, remark, remarkExactly, shorten } from "../terminal.ts";
import { QuietKeys } from "./quiet-keys.ts";
import { choiceOf, explainRequest, quoteText, showChoices, showRequest } from "./show-request.ts";

/** Shows the request and waits for one of the answers it offers. */
export async function approveOnTerminal(
  request: ApprovalRequest,
  signal: AbortSignal,
  /** Whether the caller makes further calls, for which the answer "session" would count. */
  { offersSession = true }: { readonly offersSession?: boolean } = {},
): Promise<Approval> {
  const { choices, ...rest } = approvalView(request);
  const view = { ...rest, choices: choices.filter(({ id }) => offersSession || id !== "session") };
  remarkExactly(showRequest(view, columnsOf(2)));
  const answer = await readAnswerFor(view, signal);
  return answer.allow ? { ...answer, hash: request.hash } : answer;
}

/** Reads the answer to a question that was shown. Only a letter answers: Enter alone repeats the choices. */
export async function readAnswerFor(view: ApprovalView, signal: AbortSignal): Promise<Approval> {
  for (;;) {
    const columns = columnsOf(2);
    await untilQuiet(signal);
    const [keys = "", ...rules] = showChoices(view, columns).split("\n").reverse();
    remarkExactly(
      rules
        .reverse()
        .map((line) => `${line}\n`)
        .join(""),
    );
    const answer = await readLine(`${paint(2, "bold", keys)} `, signal);
    const word = answer.trim().toLowerCase();
    const choice = choiceOf(view, word);
    if (choice !== undefined) return answers[choice.id];
    if (["m", "message"].includes(word))
      return { allow: false, message: await readLine("Message to the model: ", signal) };
    if (["e", "explain"].includes(word)) remarkExactly(explainRequest(view, columns));
    else if (word !== "") remark(`Unknown answer: ${shorten(printableLine(answer), 40)}\n`);
  }
}

/** Asks for yes or no. Only what is typed after the question counts. */
export async function confirm(question: string, signal: AbortSignal): Promise<boolean> {
  await untilQuiet(signal);
  return /^\s*y(es)?\s*$/i.test(await readLine(`${question} (y yes, n no) `, signal));
}

/** Reads one line, which the terminal itself edits, so that Ctrl-C stays an interruption. */
export async function readLine(question: string, signal: AbortSignal): Promise<string> {
  const { createInterface } = await import("node:readline");
  remark(question);
  const reader = createInterface({ input: process.stdin, terminal: false });
  const done = new AbortController();
  const either = { signal: AbortSignal.any([signal, done.signal]) };
  try {
    const [text] = await Promise.race([once(reader, "line", either), once(reader, "close", either)]);
    if (typeof text === "string") return text;
    throw new ToolError("needs-approval", "The input ended without an answer", {
      hint: "Answer, then press Enter.",
    });
  } catch (cause) {
    if (signal.reason instanceof AnsweredElsewhere) remark(`\n${signal.reason.message}.\n`);
    if (signal.aborted) throw new ToolError("cancelled", "Interrupted", { cause });
    throw cause;
  } finally {
    done.abort();
    reader.close();
  }
}

/**
 * Waits until the terminal has been silent for a while, and discards what is typed until then: it was not an answer.
 * Raw mode also discards half a line.
 */
export async function untilQuiet(signal: AbortSignal): Promise<void> {
  const { stdin } = process;
  if (!stdin.isTTY) return;
  const keys = new QuietKeys();
  let hasTyped = false;
  const discard = (typed: Buffer) => {
    if (typed.includes(interrupt)) process.kill(process.pid, "SIGINT");
    keys.press();
    hasTyped = true;
  };
  stdin.setRawMode(true).on("data", discard).resume();
  try {
    while (!keys.isQuiet) await pause(lookMs, undefined, { signal });
  } catch (error) {
    // The reader says why the question was withdrawn.
    if (!signal.aborted) throw error;
  } finally {
    stdin.off("data", discard).pause().setRawMode(false);
  }
  if (hasTyped) remark("What you typed before was discarded.\n");
}

/** The character of Ctrl-C in raw mode, where the terminal sends no signal. */
const interrupt = "\u0003";

const lookMs = 20;

interface TrustQuestion {
  readonly workspace: string;
  readonly hash: string;
  readonly trust: TrustState;
  readonly heading: string;
  readonly lines: readonly string[];
  /** A name for the message: "these rules". */
  readonly what: string;
  /** The consequence of not trusting. */
  readonly otherwise: string;
}

/** Shows the project's rules or servers. Returns when the user trusts them, or has trusted them before. */
export async function confirmTrust({ options }: Arguments, question: TrustQuestion): Promise<void> {
  const { workspace, hash, trust, heading, lines, what, otherwise } = question;
  const columns = columnsOf(2);
  const shown = [
    `${trust === "changed" ? "It has changed since you trusted it. " : ""}${heading}:`,
    ...lines.flatMap((line) => quoteText(line, columns)),
    `Folder  ${quoteText(workspace, columns).join("\n").trim().replace(/^\| /, "")}`,
    `SHA-256 ${hash}\n`,
  ];
  if (!options.has("json")) remarkExactly(shown.join("\n"));
  if (trust === "trusted") return;
  refuseProgramsOfTools(`trust ${what}`);
  if (options.has("yes")) return;
  if (!canAsk(options)) {
    throw new ToolError("needs-approval", `There is no terminal to ask whether to trust ${what}`, {
      hint: "Review them, then add --yes.",
    });
  }
  if (await interruptible((signal) => confirm("Trust them?", signal))) return;
  throw new ToolError("denied", `You did not trust ${what}`, { hint: otherwise });
}

/** Refuses to run in a command of a tool, because a model must not act for the user. */
export function refuseProgramsOfTools(what: string): void {
  if (process.env[runVariable] === undefined) return;
  throw new ToolError("denied", `A command that a tool runs cannot ${what}`, {
    hint: "Ask the user to run it in their own shell.",
    forUser: { hint: "Run it in your own shell." },
  });
}
