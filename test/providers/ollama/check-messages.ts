import { unknownFields } from "../fields.ts";
import { mayBeStopped } from "../stopped-reply.ts";
import type { Message, OllamaRequest, ToolCall } from "./request.ts";
import type { SentReplies } from "./sent-replies.ts";

/** Calls have no ids: only their order assigns the answers. */
export function messageFaults({ messages, tools }: OllamaRequest, sent: SentReplies): string[] {
  if (!Array.isArray(messages) || messages.length === 0) return ["messages: there are none."];
  let open: readonly ToolCall[] = [];
  let hasCalls = false;
  const faults = messages.flatMap((message, index) => {
    const own = [
      ...shapeFaults(message, index),
      ...(message.role === "assistant" ? replyFaults(message, messages[index + 1], sent) : []),
    ];
    if (message.role === "tool") {
      own.push(...answerFaults(message, open[0]));
      open = open.slice(1);
    } else {
      if (open.length > 0) own.push(`${open.length} calls before it are not answered.`);
      open = message.tool_calls ?? [];
      hasCalls ||= open.length > 0;
    }
    return own.map((fault) => `messages[${index}]: ${fault}`);
  });
  const last = messages.at(-1)!.role;
  return [
    ...faults,
    ...(open.length > 0 && last === "tool" ? [`messages: ${open.length} calls are not answered.`] : []),
    ...(last === "user" || last === "tool"
      ? []
      : ["messages: the last one must be of the user or of a tool."]),
    ...(hasCalls && !tools?.length ? ["tools: must be given while messages hold calls."] : []),
  ];
}

const fields: Record<string, ReadonlySet<string>> = {
  system: new Set(["role", "content"]),
  user: new Set(["role", "content", "images"]),
  assistant: new Set(["role", "content", "thinking", "tool_calls"]),
  tool: new Set(["role", "content", "tool_name", "tool_call_id"]),
};

function shapeFaults(message: Message, index: number): string[] {
  const { role, content, images = [] } = message;
  const allowed = fields[role];
  if (allowed === undefined) return [`role: ${role} is not a role.`];
  return [
    ...unknownFields(message, allowed, `${role}.`),
    ...(typeof content === "string" ? [] : ["content: is not text."]),
    ...(role === "system" && index > 0 ? ["a system message comes first or not at all."] : []),
    ...(role === "user" && content === "" && images.length === 0 ? ["the user says nothing."] : []),
    ...images
      .filter((image) => !/^[A-Za-z0-9+/]+={0,2}$/.test(image))
      .map(() => "images: illegal base64 data."),
  ];
}

function replyFaults(message: Message, next: Message | undefined, sent: SentReplies): string[] {
  const { content, tool_calls = [], thinking } = message;
  const isStopped = mayBeStopped({ isBareText: !thinking && tool_calls.length === 0 }, next?.content);
  return [
    ...(content === "" && tool_calls.length === 0 && !thinking ? ["the assistant says nothing."] : []),
    ...tool_calls.flatMap(({ function: { name, arguments: given }, ...rest }) => [
      ...Object.keys(rest)
        .filter((field) => field !== "id" && field !== "type")
        .map((field) => `tool_calls.${field}: is not known.`),
      ...(name ? [] : ["tool_calls: a call has no name."]),
      ...(typeof given === "object" && given !== null && !Array.isArray(given)
        ? []
        : [`json: cannot unmarshal ${typeof given} into the arguments of ${name}.`]),
    ]),
    ...(!isStopped && sent.isReply(message) === false ? ["thinking and arguments have changed."] : []),
  ];
}

function answerFaults({ tool_name }: Message, call: ToolCall | undefined): string[] {
  if (call === undefined) return ["an answer without a call."];
  const { name } = call.function;
  return tool_name === name ? [] : [`tool_name: ${tool_name} answers a call of ${name}.`];
}
