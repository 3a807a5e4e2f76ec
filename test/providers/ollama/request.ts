/** The parts of a request to /api/chat that are checked. */
export interface OllamaRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly { readonly type: string; readonly function: { readonly name: string } }[];
  readonly think?: boolean | string;
  readonly stream?: unknown;
  readonly options?: { readonly num_ctx?: number; readonly num_predict?: number };
  readonly [field: string]: unknown;
}

export interface Message {
  readonly role: string;
  readonly content: string;
  readonly thinking?: string;
  readonly images?: readonly string[];
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_name?: string;
  readonly [field: string]: unknown;
}

export interface ToolCall {
  readonly function: { readonly name: string; readonly arguments: unknown; readonly index?: number };
  readonly [field: string]: unknown;
}
