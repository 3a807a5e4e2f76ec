import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { ToolError } from "../../contract/error.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { runVariable } from "../../system/environment-variables.ts";
import type { Approval, ApprovalRequest } from "../../toolcrib/index.ts";
import type { Arguments } from "../command.ts";
import { onInterruption } from "../interruption.ts";
import { canAsk, paint, remark } from "../terminal.ts";
import { showRequest } from "./show-request.ts";

/** Shows the request and waits for one of the answers it offers. */
export async function approveOnTerminal(request: ApprovalRequest, signal: AbortSignal): Promise<Approval> {
  remark(showRequest(request, process.stderr.columns || 80));
  const answer = await readAnswerFor(request.grants, signal);
  return answer.allow ? { ...answer, hash: request.hash } : answer;
}

/** Waits for an answer to what was shown. */
export async function readAnswerFor(grants: readonly string[], signal: AbortSignal): Promise<Approval> {
  const mayRemember = grants.length > 0;
  const choices = `y once${mayRemember ? ", s this session, a always" : ""}, n no, m no with a message`;
  for (;;) {
    const answer = await readLine(`${paint(2, "bold", "Allow it?")} (${choices}) `, signal);
    const word = answer.trim().toLowerCase();
    if (["y", "yes"].includes(word)) return { allow: true };
    if (mayRemember && ["s", "session"].includes(word)) return { allow: true, remember: "session" };
    if (mayRemember && ["a", "always"].includes(word)) return { allow: true, remember: "always" };
    if (["n", "no", ""].includes(word)) return { allow: false };
    if (["m", "message"].includes(word))
      return { allow: false, message: await readLine("What to tell the model: ", signal) };
    remark(`"${printableLine(answer)}" is none of these.\n`);
  }
}

/** One line, edited by the terminal itself, so that Ctrl-C stays an interruption. */
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
    if (signal.aborted) throw new ToolError("cancelled", "Interrupted", { cause });
    throw cause;
  } finally {
    done.abort();
    reader.close();
  }
}

/**
 * Throws away what was typed before a question stands there: it was meant for something else, maybe for what only looked like a
 * question. Without the terminal's own line editing, so that half a line goes, too.
 */
export async function discardTyped(): Promise<void> {
  const { stdin } = process;
  const discard = (typed: Buffer) => {
    if (typed.includes(interrupt)) process.kill(process.pid, "SIGINT");
  };
  stdin.setRawMode(true).on("data", discard).resume();
  await pause(settleMs);
  stdin.off("data", discard).pause().setRawMode(false);
}

/** What Ctrl-C types while the terminal does not make a signal of it. */
const interrupt = "\u0003";

/** What lies there comes at once. */
const settleMs = 30;

/** Returns when the person trusts what was shown; `what`: "these rules", `otherwise`: what holds if they do not. */
export async function confirmTrust(
  { options }: Arguments,
  { what, otherwise }: { readonly what: string; readonly otherwise: string },
): Promise<void> {
  refuseProgramsOfTools(`trust ${what}`);
  if (options.has("yes")) return;
  if (!canAsk(options)) {
    throw new ToolError("needs-approval", `Nobody can be asked here whether to trust ${what}`, {
      hint: "Read them, then add --yes.",
    });
  }
  const interruption = onInterruption();
  try {
    const answer = await readLine("Trust them? (y yes, n no) ", interruption.signal);
    if (/^\s*y(es)?\s*$/i.test(answer)) return;
    throw new ToolError("denied", "They stay untrusted", { hint: otherwise });
  } finally {
    interruption.stop();
  }
}

/** Throws when a command run by a tool tries to do `what`: a model must not act for the user. */
export function refuseProgramsOfTools(what: string): void {
  if (process.env[runVariable] === undefined) return;
  throw new ToolError("denied", `A command that a tool runs cannot ${what}`, {
    hint: "That is for the person, in a shell of their own.",
  });
}
