import { faultsOf } from "../../golden/legality.ts";
import { unknownFields } from "../fields.ts";
import { isObjectJson, type Json } from "../json.ts";
import { PairedCalls } from "../paired-calls.ts";
import { mayBeStopped } from "../stopped-reply.ts";
import { textOf } from "./read-request.ts";
import type { SentReasoning } from "./sent-reasoning.ts";

/** The allowed fields. */
export interface ChatFields {
  readonly request: ReadonlySet<string>;
  readonly message: Readonly<Record<string, ReadonlySet<string>>>;
}

export const chatFields: ChatFields = {
  request: new Set([
    ...["model", "messages", "tools", "tool_choice", "parallel_tool_calls", "stream", "stream_options"],
    ...["max_tokens", "max_completion_tokens", "reasoning_effort", "temperature", "top_p", "stop", "seed"],
    ...["user", "response_format", "prompt_cache_key", "verbosity", "store", "metadata"],
  ]),
  message: {
    system: new Set(["role", "content"]),
    developer: new Set(["role", "content"]),
    user: new Set(["role", "content"]),
    assistant: new Set(["role", "content", "tool_calls", "reasoning_content"]),
    tool: new Set(["role", "content", "tool_call_id"]),
  },
};

/** Whether a message sends back its original reasoning. */
export type KeptThoughts = (message: Json, known: unknown) => boolean;

/** Returns every rule of Chat Completions that a request breaks. */
export function checkChatRequest(
  body: Json,
  fields: ChatFields,
  isKept: KeptThoughts,
  sent: SentReasoning,
): readonly string[] {
  const faults = unknownFields(body, fields.request, "");
  if (body.stream !== true) faults.push("Only streams are served here.");
  if (!Array.isArray(body.messages)) return [...faults, "'messages' is not a list."];
  faults.push(...toolFaults(body.tools));
  const pairs = new PairedCalls();
  let hasBegun = false;
  for (const [position, message] of body.messages.entries()) {
    const allowed = fields.message[message.role];
    if (allowed === undefined) {
      faults.push(`Invalid value: 'messages[${position}].role' ${message.role}.`);
      continue;
    }
    faults.push(...unknownFields(message, allowed, `messages[${position}].`));
    const isInstruction = message.role === "system" || message.role === "developer";
    if (isInstruction && hasBegun)
      faults.push(`Instructions must be at the beginning, not at messages[${position}].`);
    hasBegun ||= !isInstruction;
    faults.push(...contentFaults(message, position));
    if (message.role === "tool") pairs.answer(message.tool_call_id);
    else pairs.userItem();
    if (message.role !== "assistant") continue;
    for (const call of message.tool_calls ?? []) {
      pairs.call(call.id);
      faults.push(...callFaults(call, position));
    }
    const known = sent.before(message);
    const isStopped = mayBeBrokenOff(message, body.messages[position + 1]);
    if (known !== undefined && !isStopped && !known.some((thoughts) => isKept(message, thoughts)))
      faults.push(`The reasoning before messages[${position}] has changed.`);
  }
  pairs.userItem();
  const { role } = body.messages.at(-1) ?? {};
  if (role !== "user" && role !== "tool")
    faults.push("The last message is nothing that a model has to answer.");
  return [...faults, ...pairs.faults];
}

function mayBeBrokenOff({ role, content, ...rest }: Json, next: Json): boolean {
  const isBareText = Object.keys(rest).length === 0;
  return mayBeStopped({ isBareText }, next?.role === "user" ? textOf(next.content) : undefined);
}

function toolFaults(tools: readonly Json[] | undefined): string[] {
  if (tools === undefined) return [];
  if (tools.length === 0) return ["'tools' is an empty list."];
  const names = tools.map((tool) => tool.function?.name);
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  return [
    ...twice.map((name) => `Two tools are called ${name}.`),
    ...tools.flatMap((tool) => {
      if (tool.type !== "function" || !tool.function?.parameters)
        return ["A tool is not a function with parameters."];
      return [
        ...unknownFields(tool, new Set(["type", "function"]), "tools."),
        ...unknownFields(tool.function, functionFields, `tools.${tool.function.name}.`),
        ...faultsOf("openai-chat", tool).map(
          (fault) => `Invalid schema for function '${tool.function.name}': ${fault}.`,
        ),
      ];
    }),
  ];
}

const functionFields = new Set(["name", "description", "parameters", "strict"]);

function contentFaults({ role, content, tool_calls }: Json, position: number): string[] {
  const where = `'messages[${position}].content'`;
  if (tool_calls !== undefined && !(Array.isArray(tool_calls) && tool_calls.length > 0))
    return [`'messages[${position}].tool_calls' is not a list of calls.`];
  if (typeof content === "string")
    return content === "" && role !== "tool" && !tool_calls ? [`${where} is empty.`] : [];
  if (content === null || content === undefined)
    return role === "assistant" && tool_calls ? [] : [`${where} is missing.`];
  if (!Array.isArray(content) || content.length === 0) return [`${where} is neither text nor a list.`];
  const allowed = role === "user" ? ["text", "image_url"] : ["text"];
  return content
    .filter(({ type }) => !allowed.includes(type))
    .map(({ type }) => `Invalid value: a part of type '${type}' in a message of role ${role}.`);
}

function callFaults({ id, type, function: made, ...rest }: Json, position: number): string[] {
  const where = `'messages[${position}].tool_calls'`;
  return [
    ...unknownFields(rest, new Set(), `messages[${position}].tool_calls.`),
    ...(type === "function" ? [] : [`${where} has a call of type ${type}.`]),
    ...(/^.{1,64}$/.test(id) ? [] : [`${where} has a call without an id.`]),
    ...(/^[a-zA-Z0-9_-]{1,64}$/.test(made?.name) ? [] : [`${where} has a call of '${made?.name}'.`]),
    ...(isObjectJson(made?.arguments)
      ? []
      : [`${where} has arguments that are no JSON of an object: ${made?.arguments}`]),
  ];
}
