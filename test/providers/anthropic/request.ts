/** The parts of a request to the Messages API that are checked. */
export interface AnthropicRequest {
  readonly model?: unknown;
  readonly max_tokens?: unknown;
  readonly messages: readonly MessageParam[];
  readonly system?: string | readonly Block[];
  readonly tools?: readonly ToolParam[];
  readonly tool_choice?: { readonly type?: string };
  readonly thinking?: { readonly type?: string; readonly budget_tokens?: number };
  readonly output_config?: { readonly effort?: string };
  readonly stream?: unknown;
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
  readonly cache_control?: CacheControl;
  readonly [field: string]: unknown;
}

export interface MessageParam {
  readonly role: string;
  readonly content: string | readonly Block[];
  readonly [field: string]: unknown;
}

/** Any content block. The rules check which fields belong to which type. */
export interface Block {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly signature?: string;
  readonly data?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly content?: string | readonly Block[];
  readonly is_error?: boolean;
  readonly source?: { readonly type?: string; readonly media_type?: string; readonly data?: string };
  readonly cache_control?: CacheControl;
  readonly [field: string]: unknown;
}

export interface ToolParam {
  readonly name: string;
  readonly type?: string;
  readonly cache_control?: CacheControl;
  readonly [field: string]: unknown;
}

export interface CacheControl {
  readonly type?: string;
  readonly ttl?: string;
}

export function blocksOf(content: string | readonly Block[]): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

export function textOf(blocks: readonly Block[]): string {
  return blocks
    .filter(({ type }) => type === "text")
    .map(({ text }) => text)
    .join("\n");
}
