import { faultsOf } from "../../golden/legality.ts";
import { unknownFields } from "../fields.ts";
import { abilitiesOf } from "./abilities.ts";
import { messageFaults } from "./check-messages.ts";
import type { OllamaRequest } from "./request.ts";
import type { SentReplies } from "./sent-replies.ts";

/** Finds what Ollama refuses in a request, and what it accepts although it harms an agent. */
export function requestFaults(body: OllamaRequest, sent: SentReplies): string[] {
  const { model, stream, think, tools, options, messages } = body;
  const can = new Set(abilitiesOf(model));
  return [
    ...unknownFields(body, fields, ""),
    ...(stream === true ? [] : ["stream: an agent streams."]),
    ...(think === undefined || thinks.has(think) ? [] : [`invalid think value: ${think}`]),
    ...(think && !can.has("thinking") ? [`"${model}" does not support thinking`] : []),
    ...(tools?.length && !can.has("tools")
      ? [`registry.ollama.ai/library/${model} does not support tools`]
      : []),
    ...(!can.has("vision") && messages.some(({ images }) => images?.length)
      ? ["this model is missing data required for image input"]
      : []),
    ...(options?.num_ctx === undefined
      ? ["options.num_ctx: is not set, and what is longer than 4096 tokens is left out silently."]
      : []),
    ...toolFaults(tools ?? []),
    ...messageFaults(body, sent),
  ];
}

const fields = new Set(["model", "messages", "tools", "think", "stream", "options", "format", "keep_alive"]);
const thinks = new Set<boolean | string>([true, false, "low", "medium", "high"]);

/** The list of tools is the same in every request of a session, so it is checked once. */
const judged = new Map<string, readonly string[]>();

function toolFaults(tools: NonNullable<OllamaRequest["tools"]>): readonly string[] {
  const key = JSON.stringify(tools);
  const known = judged.get(key);
  if (known) return known;
  const names = tools.map((tool) => tool.function.name);
  const faults = [
    ...names
      .filter((name, index) => names.indexOf(name) !== index)
      .map((name) => `tools: ${name} is there twice.`),
    ...tools.flatMap((tool) => [
      ...(tool.type === "function" ? [] : [`tools: ${tool.type} is not a function.`]),
      ...faultsOf("openai-chat", tool).map((fault) => `tools.${tool.function.name}: ${fault}.`),
    ]),
  ];
  judged.set(key, faults);
  return faults;
}
