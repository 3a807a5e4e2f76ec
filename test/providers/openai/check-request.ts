import { faultsOf } from "../../golden/legality.ts";
import { unknownFields } from "../fields.ts";
import { isObjectJson, type Json } from "../json.ts";
import { PairedCalls } from "../paired-calls.ts";
import { mayBeStopped } from "../stopped-reply.ts";
import { textOf } from "./read-request.ts";
import type { SentItems } from "./sent-items.ts";

/** Returns every rule of the Responses API that a request breaks. */
export function checkResponsesRequest(body: Json, sent: SentItems): readonly string[] {
  const faults = unknownFields(body, requestFields, "");
  if (body.stream !== true) faults.push("Only streams are served here.");
  if (body.store !== false) faults.push("'store' is not false: OpenAI would store the conversation.");
  if (!body.include?.includes("reasoning.encrypted_content"))
    faults.push("'include' lacks reasoning.encrypted_content, without which reasoning is lost.");
  if (body.temperature !== undefined) faults.push("Unsupported parameter: 'temperature'.");
  const { effort } = body.reasoning ?? {};
  if (effort !== undefined && !efforts.has(effort))
    faults.push(`Invalid value: 'reasoning.effort' ${effort}.`);
  if (!Array.isArray(body.input)) return [...faults, "'input' is not a list."];
  return [...faults, ...toolFaults(body.tools ?? []), ...itemFaults(body.input, sent)];
}

const requestFields = new Set([
  ...["model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "store", "include"],
  ...["stream", "reasoning", "max_output_tokens", "prompt_cache_key", "prompt_cache_retention", "text"],
  ...["truncation", "metadata", "service_tier", "safety_identifier", "temperature"],
]);
const efforts = new Set(["none", "minimal", "low", "medium", "high", "xhigh"]);

function toolFaults(tools: readonly Json[]): string[] {
  const names = tools.map(({ name }) => name);
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  return [
    ...twice.map((name) => `Two tools are called ${name}.`),
    ...tools.flatMap((tool) => {
      const fields = toolFields[tool.type];
      if (fields === undefined) return [`Invalid value: tools of type '${tool.type}' are not served here.`];
      const isWhole = tool.type === "custom" ? tool.format : tool.parameters;
      if (tool.type === "tool_search") return searchFaults(tool);
      if (!isWhole) return [`The tool ${tool.name} does not say what it takes.`];
      // This API is strict unless `strict` is false.
      const legality = faultsOf("openai", { strict: true, ...tool });
      return [
        ...unknownFields(tool, fields, `tools.${tool.name}.`),
        ...legality.map((fault) => `Invalid schema for function '${tool.name}': ${fault}.`),
      ];
    }),
  ];
}

/** Only searches by the client are served. */
function searchFaults(tool: Json): string[] {
  return [
    ...unknownFields(tool, toolFields.tool_search!, "tools.tool_search."),
    ...(tool.execution === "client" && tool.description && tool.parameters?.type === "object"
      ? []
      : ["A tool_search of the client needs its execution, a description and parameters."]),
  ];
}

const toolFields: Readonly<Record<string, ReadonlySet<string>>> = {
  function: new Set(["type", "name", "description", "parameters", "strict"]),
  custom: new Set(["type", "name", "description", "format"]),
  tool_search: new Set(["type", "execution", "description", "parameters"]),
};

function itemFaults(input: readonly Json[], sent: SentItems): string[] {
  const faults: string[] = [];
  const pairs = new PairedCalls();
  for (const [position, item] of input.entries()) {
    const type = item.type ?? "message";
    const fields = itemFields[type];
    if (fields === undefined) {
      faults.push(`Invalid value: 'input[${position}].type' ${type}.`);
      continue;
    }
    faults.push(...unknownFields(item, fields, `input[${position}].`));
    const isBrokenOff = mayBeBrokenOff(item, input[position + 1]);
    if (!isBrokenOff) faults.push(...missingReasoning(item, input[position - 1], sent));
    switch (type) {
      case "message":
        if (item.role === "assistant") pairs.modelItem();
        else pairs.userItem();
        faults.push(...messageFaults(item, position, isBrokenOff ? undefined : sent));
        break;
      case "reasoning":
        pairs.modelItem();
        faults.push(...reasoningFaults(item, input[position + 1], sent));
        break;
      case "function_call":
        pairs.call(item.call_id, "function_call");
        faults.push(...callFaults(item, position));
        break;
      case "custom_tool_call":
        pairs.call(item.call_id, "custom_tool_call");
        if (typeof item.input !== "string") faults.push(`'input[${position}].input' is not text.`);
        break;
      case "tool_search_call":
        pairs.call(item.call_id, "tool_search");
        faults.push(...searchCallFaults(item, position));
        break;
      case "tool_search_output":
        pairs.answer(item.call_id, "tool_search");
        faults.push(...loadedFaults(item, position));
        break;
      default:
        pairs.answer(item.call_id, type.replace(/_output$/, ""));
        faults.push(...outputFaults(item, position));
    }
  }
  pairs.userItem();
  const last = input.at(-1);
  if (last?.role !== "user" && last?.output === undefined && last?.type !== "tool_search_output")
    faults.push("The last item is nothing that a model has to answer.");
  return [...faults, ...pairs.faults];
}

const itemFields: Readonly<Record<string, ReadonlySet<string>>> = {
  message: new Set(["type", "id", "role", "content", "status", "phase"]),
  reasoning: new Set(["type", "id", "summary", "encrypted_content", "status", "content"]),
  function_call: new Set(["type", "id", "call_id", "name", "arguments", "status"]),
  custom_tool_call: new Set(["type", "id", "call_id", "name", "input", "status"]),
  tool_search_call: new Set(["type", "id", "call_id", "execution", "status", "arguments"]),
  tool_search_output: new Set(["type", "call_id", "execution", "status", "tools"]),
  function_call_output: new Set(["type", "id", "call_id", "output", "status"]),
  custom_tool_call_output: new Set(["type", "id", "call_id", "output", "status"]),
};

function messageFaults(
  { role, content, phase }: Json,
  position: number,
  sent: SentItems | undefined,
): string[] {
  if (!["system", "developer", "user", "assistant"].includes(role))
    return [`Invalid value: 'input[${position}].role' ${role}.`];
  const parts = typeof content === "string" ? [] : content;
  if (!Array.isArray(parts)) return [`'input[${position}].content' is neither text nor a list.`];
  if (content.length === 0) return [`'input[${position}].content' is empty.`];
  const allowed = role === "assistant" ? ["output_text", "refusal"] : ["input_text", "input_image"];
  const foreign = parts.filter(({ type }) => !allowed.includes(type));
  const isPhase = role !== "assistant" || (sent?.mayBePhase(textOf(content), phase) ?? true);
  return [
    ...foreign.map(({ type }) => `Invalid value: a part of type '${type}' in a message of role ${role}.`),
    ...(isPhase ? [] : [`'input[${position}]' has another phase than '${phase}'.`]),
  ];
}

function callFaults({ call_id, name, arguments: given }: Json, position: number): string[] {
  return [
    ...(/^.{1,64}$/.test(call_id) ? [] : [`Invalid 'input[${position}].call_id'.`]),
    ...(/^[a-zA-Z0-9_-]{1,64}$/.test(name) ? [] : [`Invalid 'input[${position}].name'.`]),
    ...(isObjectJson(given) ? [] : [`'input[${position}].arguments' is not the JSON of an object: ${given}`]),
  ];
}

function searchCallFaults({ id, execution, arguments: given }: Json, position: number): string[] {
  return [
    ...(/^tsc_/.test(id) ? [] : [`Invalid 'input[${position}].id': '${id}' does not begin with 'tsc'.`]),
    ...(execution === "client" ? [] : [`'input[${position}].execution' is not client.`]),
    ...(typeof given === "object" && given !== null ? [] : [`'input[${position}].arguments' is no object.`]),
  ];
}

function loadedFaults({ execution, tools }: Json, position: number): string[] {
  if (execution !== "client" || !Array.isArray(tools)) return [`Invalid 'input[${position}]'.`];
  const plain = tools.map(({ defer_loading: _, ...tool }) => tool);
  return [
    ...tools
      .filter(({ defer_loading }) => defer_loading !== true)
      .map(({ name }) => `The loaded tool ${name} is not deferred.`),
    ...toolFaults(plain),
  ];
}

function outputFaults({ output }: Json, position: number): string[] {
  if (typeof output === "string") return [];
  const isList = Array.isArray(output) && output.length > 0;
  if (!isList) return [`'input[${position}].output' is neither text nor a list.`];
  return output
    .filter(({ type }) => type !== "input_text" && type !== "input_image")
    .map(({ type }) => `Invalid value: a part of type '${type}' in an output.`);
}

function reasoningFaults(item: Json, next: Json, sent: SentItems): string[] {
  const known = sent.find(item.encrypted_content);
  if (known === undefined) return ["The encrypted content of a reasoning item could not be verified."];
  const summary = item.summary.map(({ text }: { text: string }) => text);
  const name = `The reasoning ${item.id}`;
  return [
    ...(item.id === undefined || known.ids.has(item.id) ? [] : [`${name} was not called so.`]),
    ...(JSON.stringify(summary) === JSON.stringify(known.summary)
      ? []
      : [`${name} was summarised otherwise.`]),
    ...(belongs(next, known.before) ? [] : [`${name} was provided without its required following item.`]),
  ];
}

/** A client that has seen an id before has made another one that begins with it. */
function belongs(next: Json, before: string | undefined): boolean {
  const name = nameOf(next);
  return before !== undefined && (name === before || name?.startsWith(`${before}_`) === true);
}

function mayBeBrokenOff(item: Json, next: Json): boolean {
  const isBareText = item.role === "assistant" && item.id === undefined && item.phase === undefined;
  return mayBeStopped({ isBareText }, next?.role === "user" ? textOf(next.content) : undefined);
}

function missingReasoning(item: Json, previous: Json, sent: SentItems): string[] {
  const name = nameOf(item);
  return name === undefined || sent.mayFollow(name, previous?.encrypted_content)
    ? []
    : [`Item '${name}' was provided without its required 'reasoning' item.`];
}

/** Identifies the items of a reply: a call by its id, text by itself. */
function nameOf(item: Json): string | undefined {
  if (item?.role === "assistant") return `text:${textOf(item.content)}`;
  return item?.output === undefined && item?.tools === undefined ? item?.call_id : undefined;
}
