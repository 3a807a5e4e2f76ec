import type { IncomingHttpHeaders } from "node:http";
import { cacheFaults } from "./check-cache.ts";
import { messageFaults } from "./check-messages.ts";
import { toolFaults } from "./check-tools.ts";
import type { AnthropicRequest } from "./request.ts";
import type { SentReplies } from "./sent-replies.ts";

/**
 * Finds what the Messages API refuses in a request, and what an agent should not send although the API accepts it.
 */
export function requestFaults(
  body: AnthropicRequest,
  headers: IncomingHttpHeaders,
  sent: SentReplies,
): string[] {
  return [
    ...headerFaults(headers),
    ...fieldFaults(body),
    ...thinkingFaults(body),
    ...systemFaults(body),
    ...toolFaults(body.tools ?? []),
    ...messageFaults(body, sent),
    ...cacheFaults(body),
  ];
}

/** Models of the fifth generation think unless thinking is turned off. */
export function isThinking({ model, thinking }: AnthropicRequest): boolean {
  return thinking === undefined ? isAdaptive(model) : thinking.type !== "disabled";
}

/** They decide themselves how long to think, and accept no sampling options and no forced calls. */
function isAdaptive(model: unknown): boolean {
  return /^claude-[a-z]+-5/.test(String(model));
}

/** The versions of the API. The parts we use are the same in both. */
const versions = new Set(["2023-06-01", "2026-10-21"]);

function headerFaults(headers: IncomingHttpHeaders): string[] {
  return [
    ...(versions.has(String(headers["anthropic-version"])) ? [] : ["anthropic-version: header is required."]),
    ...(headers["content-type"]?.startsWith("application/json") ? [] : ["content-type: is not JSON."]),
  ];
}

const fields = new Set([
  ...["model", "max_tokens", "messages", "system", "tools", "tool_choice", "thinking", "output_config"],
  ...[
    "stream",
    "temperature",
    "top_p",
    "top_k",
    "stop_sequences",
    "metadata",
    "service_tier",
    "cache_control",
  ],
]);
const efforts = new Set(["low", "medium", "high", "xhigh", "max"]);

function fieldFaults(body: AnthropicRequest): string[] {
  const { max_tokens, stream, temperature, top_p, output_config, tool_choice, tools } = body;
  const effort = output_config?.effort;
  return [
    ...Object.keys(body)
      .filter((field) => !fields.has(field))
      .map((field) => `${field}: Extra inputs are not permitted.`),
    ...(Number.isInteger(max_tokens) && (max_tokens as number) >= 1
      ? []
      : ["max_tokens: must be an integer of at least 1."]),
    ...(stream === true ? [] : ["stream: an agent streams."]),
    ...(temperature === undefined || (temperature >= 0 && temperature <= 1)
      ? []
      : ["temperature: must be between 0 and 1."]),
    ...(temperature !== undefined && top_p !== undefined
      ? ["temperature and top_p cannot both be specified."]
      : []),
    ...(effort === undefined || efforts.has(effort) ? [] : [`output_config.effort: ${effort} is invalid.`]),
    ...(tool_choice && !tools?.length ? ["tool_choice: may only be specified while providing tools."] : []),
  ];
}

function thinkingFaults(body: AnthropicRequest): string[] {
  if (!isThinking(body)) return [];
  const { model, thinking, max_tokens, temperature, top_p, top_k, tool_choice } = body;
  const { type = "adaptive", budget_tokens = 0 } = thinking ?? {};
  const isBudgeted = type === "enabled";
  return [
    ...(["enabled", "adaptive", "between_tools"].includes(type)
      ? []
      : [`thinking.type: ${type} is invalid.`]),
    ...(isBudgeted && isAdaptive(model) ? [`thinking.type: enabled is not supported by ${model}.`] : []),
    ...(isBudgeted && budget_tokens < 1024 ? ["thinking.budget_tokens: must be at least 1024."] : []),
    ...(isBudgeted && budget_tokens >= (max_tokens as number)
      ? ["max_tokens: must be greater than thinking.budget_tokens."]
      : []),
    ...(temperature === undefined || temperature === 1
      ? []
      : ["temperature: may only be set to 1 when thinking is enabled."]),
    ...(top_k === undefined ? [] : ["top_k: must be unset when thinking is enabled."]),
    ...(top_p === undefined || top_p >= 0.95
      ? []
      : ["top_p: must be at least 0.95 when thinking is enabled."]),
    ...(["any", "tool"].includes(tool_choice?.type ?? "auto")
      ? ["tool_choice: thinking may not be enabled when tool use is forced."]
      : []),
  ];
}

function systemFaults({ system }: AnthropicRequest): string[] {
  if (system === undefined) return [];
  if (typeof system === "string") return system.trim() === "" ? ["system: must be non-empty."] : [];
  return system.flatMap(({ type, text }, index) =>
    type === "text" && text?.trim() ? [] : [`system.${index}: must be a text block that is non-empty.`],
  );
}
