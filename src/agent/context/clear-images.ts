import { counted } from "../../lib/text/format-quantity.ts";
import type { CallAnswer, Message } from "../../models/message.ts";
import type { ModelError } from "../../models/model-error.ts";
import type { SessionCore } from "../session-core.ts";

/**
 * Removes old images of tools when there are too many for one request: providers refuse it as a whole, and above 20 images
 * Anthropic accepts only small ones. Each removal changes the cached beginning of the conversation, so it removes half.
 */
export function clearOldImages(core: SessionCore): void {
  const answers = oldImages(core.conversation.messages);
  if (answers.length > 0)
    clear(core, answers, "Its images were removed to save space. To see them, make the call again.");
}

/**
 * Removes the images that came since the last reply, because the provider has refused the request. Returns whether there
 * were any.
 */
export function clearRefusedImages(core: SessionCore, error: ModelError): boolean {
  const { messages } = core.conversation;
  const answers = withImages(messages.slice(lastReply(messages) + 1));
  if (answers.length === 0) return false;
  const images = counted(sum(answers.map(({ images }) => images.length)), "new image was", "new images were");
  core.emit({
    type: "warning",
    message: `The provider refused the request (${error.message}). ${images} removed from it.`,
  });
  clear(
    core,
    answers,
    "The provider refused the request with the images of this result, so they were removed.",
  );
  return true;
}

const mostImages = 20;
const mostChars = 20_000_000;

/** Returns the oldest answers with images, without those since the last reply, until half of the limits is left. Pure. */
export function oldImages(messages: readonly Message[]): readonly CallAnswer[] {
  const all = withImages(messages);
  let count = sum(all.map(({ images }) => images.length));
  let chars = sum(all.map(charsOf));
  if (count <= mostImages && chars <= mostChars) return [];
  const chosen: CallAnswer[] = [];
  for (const answer of withImages(messages.slice(0, lastReply(messages)))) {
    if (count <= mostImages / 2 && chars <= mostChars / 2) break;
    chosen.push(answer);
    count -= answer.images.length;
    chars -= charsOf(answer);
  }
  return chosen;
}

function withImages(messages: readonly Message[]): readonly CallAnswer[] {
  return messages
    .flatMap((message) => (message.role === "tool" ? message.answers : []))
    .filter(({ images }) => images.length > 0);
}

function lastReply(messages: readonly Message[]): number {
  return messages.findLastIndex(({ role }) => role === "assistant");
}

function charsOf({ images }: CallAnswer): number {
  return sum(images.map(({ base64 }) => base64.length));
}

function clear({ conversation }: SessionCore, answers: readonly CallAnswer[], note: string): void {
  conversation.clear(
    answers.map(({ id, content }) => ({ id, content: `${content}\n[${note}]`.trimStart() })),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
