import { unknownFields } from "../fields.ts";
import { contentFaults } from "./check-contents.ts";
import { toolFaults } from "./check-tools.ts";
import type { GoogleRequest } from "./request.ts";
import type { SentReplies } from "./sent-replies.ts";

export interface Knowledge {
  readonly sent: SentReplies;
  /** Models of the third generation and later refuse a call without its signature. */
  readonly needsSignatures: boolean;
}

/** Finds what the Gemini API refuses in a request, and what an agent should not send although the API accepts it. */
export function requestFaults(body: GoogleRequest, known: Knowledge): string[] {
  return [
    ...unknownFields(body, fields, ""),
    ...systemFaults(body),
    ...generationFaults(body, known),
    ...toolFaults(body.tools ?? []),
    ...contentFaults(body, known),
  ];
}

const fields = new Set([
  ...["contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings"],
  ...["cachedContent", "serviceTier"],
]);
const generationFields = new Set([
  ...["maxOutputTokens", "temperature", "topP", "topK", "candidateCount", "stopSequences", "seed"],
  ...["thinkingConfig", "responseMimeType", "responseSchema", "responseJsonSchema"],
]);
const thinkingFields = new Set(["includeThoughts", "thinkingLevel", "thinkingBudget"]);
const levels = new Set(["minimal", "low", "medium", "high"]);

function systemFaults({ systemInstruction }: GoogleRequest): string[] {
  if (systemInstruction === undefined) return [];
  const parts = systemInstruction.parts ?? [];
  return parts.length > 0 && parts.every(({ text }) => text)
    ? []
    : ["systemInstruction: must have parts of text."];
}

function generationFaults(
  { generationConfig = {} }: GoogleRequest,
  { needsSignatures }: Knowledge,
): string[] {
  const { thinkingConfig = {}, maxOutputTokens } = generationConfig;
  const { thinkingLevel, thinkingBudget } = thinkingConfig;
  return [
    ...unknownFields(generationConfig, generationFields, "generationConfig."),
    ...unknownFields(thinkingConfig, thinkingFields, "generationConfig.thinkingConfig."),
    ...(maxOutputTokens === undefined || (maxOutputTokens as number) >= 1
      ? []
      : ["generationConfig.maxOutputTokens: must be positive."]),
    ...(thinkingLevel === undefined || levels.has(thinkingLevel.toLowerCase())
      ? []
      : [`thinkingConfig.thinkingLevel: ${thinkingLevel} is invalid.`]),
    ...(thinkingLevel !== undefined && thinkingBudget !== undefined
      ? ["You can only set one of thinking budget and thinking level."]
      : []),
    ...(thinkingLevel !== undefined && !needsSignatures
      ? ["Thinking level is not supported for this model."]
      : []),
  ];
}
