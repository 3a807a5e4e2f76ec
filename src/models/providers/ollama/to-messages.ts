import type { Message as OllamaMessage } from "ollama";
import type { Image } from "../../../contract/tool.ts";
import { isRecord } from "../../../lib/is-record.ts";
import { pictureLeftOut } from "../../language-model/to-prompt.ts";
import type { AssistantMessage, CallPart, Message, ToolMessage, UserMessage } from "../../message.ts";

/** How a conversation is told to one model. */
interface Telling {
  /** Of the model: the reasoning of others is not shown to it. */
  readonly id: string;
  readonly seesImages: boolean;
}

/** Turns messages into those of Ollama, each of them once. */
export function messageMaker(telling: Telling): (message: Message) => readonly OllamaMessage[] {
  const known = new WeakMap<Message, readonly OllamaMessage[]>();
  return (message) => {
    const made = known.get(message) ?? toMessages(message, telling);
    known.set(message, made);
    return made;
  };
}

function toMessages(message: Message, telling: Telling): readonly OllamaMessage[] {
  switch (message.role) {
    case "user":
      return [toUser(message, telling)];
    case "assistant":
      return [toAssistant(message, telling)];
    case "tool":
      return toAnswers(message, telling);
  }
}

function toUser({ content }: UserMessage, { seesImages }: Telling): OllamaMessage {
  const words = content.flatMap((part) => {
    if (part.type === "text") return [part.text];
    return seesImages ? [] : [pictureLeftOut];
  });
  const images = content.filter((part) => part.type === "image");
  return { role: "user", content: words.join("\n"), ...(seesImages && imagesOf(images)) };
}

function toAssistant({ model, content }: AssistantMessage, { id }: Telling): OllamaMessage {
  const textOf = (type: "text" | "reasoning") =>
    content.flatMap((part) => (part.type === type ? [part.text] : [])).join("");
  const thinking = model === id ? textOf("reasoning") : "";
  const calls = content.filter((part) => part.type === "call");
  return {
    role: "assistant",
    content: textOf("text"),
    ...(thinking !== "" && { thinking }),
    ...(calls.length > 0 && { tool_calls: calls.map(toCall) }),
  };
}

/** A call without a name was made, too. */
const noName = "_";

/** Arguments are an object always: of what could not be read the answer tells. */
function toCall({ name, input }: CallPart): NonNullable<OllamaMessage["tool_calls"]>[number] {
  return {
    function: { name: name || noName, arguments: input.ok && isRecord(input.value) ? input.value : {} },
  };
}

/** Answers have no pictures: those come after all of them, as the person's. */
function toAnswers({ answers }: ToolMessage, { seesImages }: Telling): readonly OllamaMessage[] {
  const told = answers.map(({ name, content, images }) => ({
    role: "tool",
    content: images.length > 0 && !seesImages ? `${content}\n${pictureLeftOut}`.trimStart() : content,
    tool_name: name || noName,
  }));
  const seen = seesImages ? answers.filter(({ images }) => images.length > 0) : [];
  if (seen.length === 0) return told;
  const names = seen.map(({ name }) => name).join(", ");
  return [
    ...told,
    { role: "user", content: `From ${names}:`, ...imagesOf(seen.flatMap(({ images }) => images)) },
  ];
}

function imagesOf(images: readonly Image[]): { images?: string[] } {
  return images.length === 0 ? {} : { images: images.map(({ base64 }) => base64) };
}
