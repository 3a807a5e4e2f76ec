/** The parts of a request to generateContent that are checked. */
export interface GoogleRequest {
  readonly contents: readonly Content[];
  readonly systemInstruction?: { readonly parts: readonly Part[] };
  readonly tools?: readonly { readonly functionDeclarations?: readonly Declaration[] }[];
  readonly toolConfig?: unknown;
  readonly generationConfig?: GenerationConfig;
  readonly [field: string]: unknown;
}

interface GenerationConfig {
  readonly thinkingConfig?: {
    readonly includeThoughts?: boolean;
    readonly thinkingLevel?: string;
    readonly thinkingBudget?: number;
  };
  readonly [field: string]: unknown;
}

export interface Content {
  readonly role?: string;
  readonly parts: readonly Part[];
}

export interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly functionCall?: FunctionCall;
  readonly functionResponse?: FunctionResponse;
  readonly inlineData?: { readonly mimeType?: string; readonly data?: string };
  readonly [field: string]: unknown;
}

export interface FunctionCall {
  readonly id?: string;
  readonly name: string;
  readonly args?: unknown;
}

export interface FunctionResponse {
  readonly id?: string;
  readonly name: string;
  readonly response: Record<string, unknown>;
  readonly parts?: readonly Part[];
}

export interface Declaration {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: unknown;
  readonly parametersJsonSchema?: unknown;
  readonly [field: string]: unknown;
}
