import type { CallOptions, Toolcrib } from "../toolcrib/index.ts";
import type { GeminiFunction } from "../wire/gemini.ts";
import { answerCalls } from "./calls.ts";

export type { GeminiFunction, GeminiSchema } from "../wire/gemini.ts";

/** Returns the tools for `ai.models.generateContent({ config: { tools } })`. */
export async function geminiTools(crib: Toolcrib): Promise<[{ functionDeclarations: GeminiDeclaration[] }]> {
  return [{ functionDeclarations: [...(await crib.definitions({ for: "gemini" }))] }];
}

/**
 * Makes the calls of `response.functionCalls`. Returns the parts that answer them, for the next content, with role
 * "user".
 */
export async function answerGemini(
  crib: Toolcrib,
  functionCalls: readonly GeminiCall[] | undefined,
  options: CallOptions = {},
): Promise<GeminiAnswer[]> {
  const calls = (functionCalls ?? []).map((item) => ({
    item,
    id: item.id ?? undefined,
    name: item.name ?? "",
    input: { ok: true as const, value: item.args ?? {} },
  }));
  return answerCalls(crib, calls, options, ({ item, name }, { content, isError, images }) => ({
    functionResponse: {
      id: item.id,
      name,
      response: isError ? { error: content } : { output: content },
      ...(images.length > 0 && {
        parts: images.map(({ mediaType, base64 }) => ({ inlineData: { mimeType: mediaType, data: base64 } })),
      }),
    },
  }));
}

export interface GeminiDeclaration extends Omit<GeminiFunction, "parameters"> {
  // biome-ignore lint/suspicious/noExplicitAny: a GeminiSchema; the SDK's own enum of types lets no text pass
  parameters?: any;
}

export interface GeminiCall {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly args?: Record<string, unknown> | undefined;
}

export interface GeminiAnswer {
  functionResponse: {
    id?: string;
    name: string;
    response: { output: string } | { error: string };
    parts?: GeminiPicture[];
  };
}

export interface GeminiPicture {
  inlineData: { mimeType: string; data: string };
}
