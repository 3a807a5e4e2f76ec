import {
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type ApprovalRequest, type CallOptions, type CallResult, ToolError } from "../../toolcrib.ts";
import type { Answer, Questions } from "./approvals/questions.ts";
import type { ClientAbilities } from "./client-abilities.ts";
import { ProgressNotes } from "./progress-notes.ts";
import type { ServedRoom } from "./served-room.ts";
import { toCallResult } from "./to-call-result.ts";

interface Wanted {
  readonly name: string;
  readonly input: unknown;
}

/** One call of a client: made at the counter, asked about through the client, told in the words of MCP. */
export async function callTool(
  { name, input }: Wanted,
  { room, questions }: { readonly room: ServedRoom; readonly questions: Questions },
  client: ClientAbilities,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const crib = await room.crib();
  const token = context.mcpReq._meta?.progressToken;
  const progress = token === undefined ? undefined : new ProgressNotes(context, token);
  const asking = new Asking(client.asks ? questions.answerIn(context) : { kind: "unanswered" });
  try {
    const result = await crib.call(name, input, {
      signal: context.mcpReq.signal,
      ...asking.options,
      ...(progress && { onEvent: (event) => progress.hear(event) }),
    });
    if (asking.question !== undefined) return await questions.ask(asking.question, context);
    if (isUnknown(name, result)) throw unknownTool(result);
    if (result.output !== null) room.noteOutput(result.output);
    const isStructured = result.error === null && (await room.isStructured(name));
    return toCallResult(result, { ...client, isStructured });
  } finally {
    progress?.end();
  }
}

/** Asks about one call: with the answer that has come, or by ending the call so that the client can ask. */
class Asking {
  readonly #answer: Answer;
  question: ApprovalRequest | undefined;

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  get options(): Pick<CallOptions, "approve"> {
    if (this.#answer.kind === "unanswered") return {};
    return {
      approve: (request) => {
        const approval = this.#answer.kind === "answered" ? this.#answer.approve(request) : undefined;
        if (approval !== undefined) return approval;
        this.question = request;
        throw askedThroughClient();
      },
    };
  }
}

/** How this call is told in the journal; the next one has the answer. */
function askedThroughClient(): ToolError {
  return new ToolError("needs-approval", "The person is asked through the client", {
    hint: "The call is made again with the answer.",
  });
}

function isUnknown(name: string, { error }: CallResult): boolean {
  return error?.code === "not-found" && error.message === `Unknown tool "${name}"`;
}

function unknownTool({ content }: CallResult): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, content.replaceAll("\n", ". "));
}
