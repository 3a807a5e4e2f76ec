import type { ToolFinder } from "../contract/tool-finder.ts";

/** Where all tools are listed. */
export const noToolFinder: ToolFinder = { find: async () => ({ tools: [], hidden: 0 }) };
