import type { Conversation } from "../protocol.ts";
import type { NeutralMessage, NeutralRequest } from "../provider-server.ts";
import type { Content, GoogleRequest, Part } from "./request.ts";

export function conversationOf({ systemInstruction, tools, contents }: GoogleRequest): Conversation {
  const units: string[] = [];
  let opening: number | undefined;
  for (const { role, parts } of contents) {
    if (role === "model") opening ??= units.length;
    for (const part of parts) units.push(role + JSON.stringify(part));
  }
  const head = JSON.stringify([systemInstruction, tools]);
  return { head, messages: units, opening: opening ?? units.length };
}

export function readRequest({
  systemInstruction,
  contents,
  tools,
  generationConfig,
}: GoogleRequest): NeutralRequest {
  const { thinkingLevel, thinkingBudget } = generationConfig?.thinkingConfig ?? {};
  return {
    messages: contents.flatMap(neutral),
    tools: (tools ?? []).flatMap(({ functionDeclarations = [] }) =>
      functionDeclarations.map(({ name }) => name),
    ),
    system: textOf(systemInstruction?.parts ?? []),
    reasoning:
      thinkingLevel?.toLowerCase() ?? (thinkingBudget === undefined ? undefined : String(thinkingBudget)),
  };
}

function neutral({ role, parts }: Content): NeutralMessage[] {
  const text = textOf(parts);
  if (role === "model") {
    const calls = parts.flatMap(({ functionCall }) =>
      functionCall
        ? [{ id: functionCall.id ?? "", name: functionCall.name, input: functionCall.args ?? {} }]
        : [],
    );
    return [{ role: "assistant", text, ...(calls.length > 0 ? { calls } : {}) }];
  }
  const answers = parts.flatMap(({ functionResponse }) => functionResponse ?? []);
  const says = parts.some(({ functionResponse }) => !functionResponse);
  return [
    ...answers.map(({ id, response }) => ({
      role: "tool" as const,
      text: answerText(response),
      id: id ?? "",
    })),
    ...(says ? [{ role: "user" as const, text }] : []),
  ];
}

function answerText(response: Record<string, unknown>): string {
  const result = response.content ?? response.output ?? response.error ?? response;
  return typeof result === "string" ? result : JSON.stringify(result);
}

function textOf(parts: readonly Part[]): string {
  return parts
    .filter(({ text, thought }) => text !== undefined && !thought)
    .map(({ text }) => text)
    .join("");
}
