import * as z from "zod/mini";
import { ToolError } from "../../contract/error.ts";
import type { Tool } from "../../contract/tool.ts";

const input = z.strictObject({
  name: z.string().check(z.minLength(1)),
  arguments: z.optional(z.record(z.string(), z.unknown())),
});

/**
 * Calls a tool, for clients whose tool list is fixed. The toolset resolves this to a call of the named tool, which is
 * checked and recorded. Only a call of tools.call itself arrives here.
 */
export const toolsCall: Tool<z.infer<typeof input>, never> = {
  name: "tools.call",
  description: "Call a tool found by tools.find that is not in your tool list.",
  risk: "read",
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  input,
  limits: { maxChars: 1_000, keep: "head" },
  accesses: () => [],

  async run({ name }) {
    throw new ToolError("invalid-input", `${name} calls other tools and cannot be called by itself`, {
      hint: "Give the name of a tool from tools.find.",
    });
  },
};
