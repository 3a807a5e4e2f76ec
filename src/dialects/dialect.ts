import type { AnyTool } from "../contract/tool.ts";

/** One model family's way to name and shape the tools. Data and pure functions only. */
export interface Dialect {
  readonly name: string;
  readonly tools: readonly DialectTool[];
}

/** A tool as a dialect offers it, loaded on first use. */
export interface DialectTool {
  /** The name models know it by. */
  readonly name: string;
  /** The canonical tool behind it; calls may use this name too. */
  readonly canonical: string;
  load(): Promise<AnyTool>;
}
