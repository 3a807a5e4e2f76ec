import {
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Answer, Questions } from "./approvals/questions.ts";
import type { ClientAbilities } from "./client-abilities.ts";
import { type MadeCall, makeCall, type WantedCall } from "./make-call.ts";
import { ProgressNotes } from "./progress-notes.ts";
import type { ServedRoom } from "./served-room.ts";
import { toCallResult } from "./to-call-result.ts";

/** One call of a client: made at the counter, asked about through the client, told in the words of MCP. */
export async function callTool(
  wanted: WantedCall,
  { room, questions }: { readonly room: ServedRoom; readonly questions: Questions },
  client: ClientAbilities,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { id, signal, _meta, notify } = context.mcpReq;
  const token = _meta?.progressToken;
  const progress = token === undefined ? undefined : new ProgressNotes(notify, token);
  try {
    const make = (answer: Answer) => makeCall(wanted, room, { signal, answer, onEvent: progress?.hear });
    const found = questions.takeFound(id);
    let made: MadeCall =
      found !== undefined
        ? { kind: "question", request: found }
        : await make(client.asks ? questions.answerIn(context) : { kind: "unanswered" });
    for (let times = 0; made.kind === "question" && !client.isAskedByResults; times += 1)
      made = await make(
        times < maxTimes ? await questions.askMeanwhile(made.request, context) : { kind: "unanswered" },
      );
    if (made.kind === "question") return await questions.ask(made.request, context);
    if (made.kind === "unknown") throw new ProtocolError(ProtocolErrorCode.InvalidParams, made.message);
    return toCallResult(made.result, { ...client, isStructured: made.isStructured });
  } finally {
    progress?.end();
  }
}

/** A call is asked about again when what was shown of it has changed meanwhile. */
const maxTimes = 8;
