import type { AnyTool, ToolSource } from "../../src/contract/tool.ts";

/** A source that offers the given tools. */
export function emptySource(): ToolSource & { put(tools: readonly AnyTool[]): void } {
  const listeners = new Set<() => void>();
  let tools: readonly AnyTool[] = [];
  return {
    get tools() {
      return tools;
    },
    warnings: [],
    ready: Promise.resolve(),
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: async () => {},
    put(fresh) {
      tools = fresh;
      for (const listener of listeners) listener();
    },
  };
}
