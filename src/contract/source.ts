import type { AnyTool } from "./tool.ts";

/** Tools that come from elsewhere and may change while a room is open: those of other MCP servers. */
export interface ToolSource {
  /** As they are now. None replaces a tool of the dialect. */
  readonly tools: readonly AnyTool[];
  /** What a person has to know: a server that did not start, a tool that had to be left out. */
  readonly warnings: readonly string[];
  /** Settled when all that is there at once has been found, or has been given up. */
  readonly ready: Promise<void>;
  /** Calls `listener` after each change of `tools`; the answer stops it. */
  onChange(listener: () => void): () => void;
  /** Ends whatever it has started. May be called twice. */
  close(): Promise<void>;
}
