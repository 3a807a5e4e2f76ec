/** What a provider is asked with, as far as tools are concerned. */
export interface Context {
  /** None is said to mean all; an empty list means none. */
  readonly allowedTools?: readonly string[] | null | undefined;
}

/** Whether a provider may call tools: not only for an explicit empty list. */
export function toolsEnabled({ allowedTools }: Context): boolean {
  return allowedTools?.length !== 0;
}

/** What goes back to the person, and how it came about. */
export interface OutgoingMessage {
  readonly text: string;
  readonly metadata: MessageMetadata;
}

export interface MessageMetadata {
  readonly provider: string;
  readonly tokens: number;
  readonly elapsedMs: number;
  readonly model: string | null;
}

/** The message that all providers answer with. */
export function buildResponse(
  text: string,
  provider: string,
  tokens: number,
  elapsedMs: number,
  model: string | null = null,
): OutgoingMessage {
  return { text, metadata: { provider, tokens, elapsedMs, model } };
}
