import { type ApprovalRequest, type CallEvent, type CallResult, ToolError } from "../../toolcrib/index.ts";
import type { Answer } from "./approvals/questions.ts";
import type { ServedRoom } from "./served-room.ts";

/** A call as a client wants it. */
export interface WantedCall {
  readonly name: string;
  readonly input: unknown;
}

export interface CallCircumstances {
  readonly signal: AbortSignal;
  /** What the person has said, or that nobody can be asked through this client. */
  readonly answer: Answer;
  readonly onEvent?: ((event: CallEvent) => void) | undefined;
}

/** How a call ended: with a result, or with something to be asked first. */
export type MadeCall =
  | { readonly kind: "result"; readonly result: CallResult; readonly isStructured: boolean }
  | { readonly kind: "question"; readonly request: ApprovalRequest }
  /** There is no such tool. */
  | { readonly kind: "unknown"; readonly message: string };

/** Makes a call at the counter. Does not know how its client talks. */
export async function makeCall(
  { name, input }: WantedCall,
  room: ServedRoom,
  { signal, answer, onEvent }: CallCircumstances,
): Promise<MadeCall> {
  const crib = await room.crib();
  let question: ApprovalRequest | undefined;
  const approve = (request: ApprovalRequest) => {
    const approval = answer.kind === "answered" ? answer.approve(request) : undefined;
    if (approval !== undefined) return approval;
    question = request;
    throw askedThroughClient();
  };
  const result = await crib.call(name, input, {
    signal,
    ...(answer.kind === "unanswered" ? {} : { approve }),
    ...(onEvent && { onEvent }),
  });
  if (question !== undefined) return { kind: "question", request: question };
  if (result.error?.details?.kind === "unknown-tool")
    return { kind: "unknown", message: result.content.replaceAll("\n", ". ") };
  if (result.output !== null) room.noteOutput(result.output);
  return { kind: "result", result, isStructured: result.error === null && (await room.isStructured(name)) };
}

/** How this call is told in the journal; the next one has the answer. */
function askedThroughClient(): ToolError {
  return new ToolError("needs-approval", "The person is asked through the client", {
    hint: "The call is made again with the answer.",
  });
}
