import type { Usage } from "../model.ts";

/** What a model said once, to be said again: reply by reply, whatever the tools answer. */
export interface Recording {
  /** What it is called: `recorded/demo`. */
  readonly name: string;
  readonly replies: readonly RecordedReply[];
}

export interface RecordedReply {
  readonly reasoning?: string;
  readonly text?: string;
  readonly calls?: readonly RecordedCall[];
  readonly usage?: Partial<Usage>;
}

export interface RecordedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}
