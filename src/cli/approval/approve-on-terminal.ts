import { printableLine } from "../../lib/printable.ts";
import type { Approval, ApprovalRequest } from "../../toolcrib/index.ts";
import { paint, remark } from "../terminal.ts";
import { readLine } from "./read-line.ts";
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
