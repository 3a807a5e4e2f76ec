/** Finds tools that a model is not told of at once. */
export interface ToolFinder {
  /** Best first; from then on the room lists them. */
  find(query: string, options: { readonly limit: number }): Promise<FoundTools>;
}

export interface FoundTools {
  readonly tools: readonly FoundTool[];
  /** How many there are to be found at all. */
  readonly hidden: number;
}

/** A tool as its caller knows it. */
export interface FoundTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}
