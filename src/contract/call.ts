import type { ToolError } from "./error.ts";
import type { Image } from "./tool.ts";

/** How one call ended. */
export type Outcome = Success | Failure;

export interface Success {
  readonly ok: true;
  /** What the model is shown: within the tool's limits, with a note of what was cut. */
  readonly text: string;
  readonly data: unknown;
  readonly images: readonly Image[];
  /** Everything the tool said, uncut. */
  readonly fullText: string;
  /** Present when `text` is shorter than `fullText`; the handle stands for the whole output. */
  readonly truncated?: { readonly handle: string; readonly totalChars: number };
}

export interface Failure {
  readonly ok: false;
  readonly error: ToolError;
}
