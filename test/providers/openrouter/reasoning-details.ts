import type { Json } from "../json.ts";
import type { WireReply } from "../protocol.ts";

interface Details {
  delta(text: string): object;
  /** The last part: the signature, or encrypted data. */
  readonly sealed: readonly object[];
  /** All details, as they must be sent back. */
  readonly whole: readonly object[];
}

/** Reasoning in the format of the model's vendor. */
export function detailsOf({ model, number, reasoning }: WireReply): Details {
  const seal = `sealed:${number}:${Buffer.from(reasoning ?? "").toString("base64")}`;
  const form = model.startsWith("anthropic/") ? anthropicForm(seal) : openAiForm(seal, number);
  return {
    delta: (text) => ({ content: "", reasoning: text, reasoning_details: [form.piece(text)] }),
    sealed: [{ content: "", reasoning_details: [form.seal] }],
    whole: reasoning === undefined ? [] : form.whole(reasoning),
  };
}

function anthropicForm(signature: string) {
  const type = "reasoning.text";
  const common = { format: "anthropic-claude-v1", index: 0 };
  return {
    piece: (text: string) => ({ type, text, ...common }),
    seal: { type, signature, ...common },
    whole: (text: string) => [{ type, text, signature, ...common }],
  };
}

function openAiForm(data: string, number: number) {
  const type = "reasoning.summary";
  const common = { format: "openai-responses-v1", index: 0 };
  const seal = { type: "reasoning.encrypted", data, id: `rs_${number}`, ...common };
  return {
    piece: (summary: string) => ({ type, summary, ...common }),
    seal,
    whole: (summary: string) => [{ type, summary, ...common }, seal],
  };
}

/** The details must be sent back whole and unchanged. The order of their fields may differ. */
export function areKept({ reasoning_details = [] }: Json, known: unknown): boolean {
  return sorted(reasoning_details) === sorted(known);
}

function sorted(details: Json): string {
  return JSON.stringify(
    details.map((detail: object) =>
      Object.fromEntries(Object.entries(detail).sort(([one], [other]) => (one < other ? -1 : 1))),
    ),
  );
}
