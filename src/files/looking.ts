import type { ToolContext } from "../contract/tool.ts";

/** Where files are looked for, and for how long. */
export type Looking = Pick<ToolContext, "environment" | "signal">;
