import type { ToolDefinition } from "../../../src/dialects/definition.ts";

/** A tool definition for tests of models. */
export const look: ToolDefinition = {
  name: "look",
  canonical: "file.read",
  description: "Reads a file.",
  risk: "read",
  effects: {
    title: "Look",
    readOnly: true,
    destructive: false,
    idempotent: true,
    openWorld: false,
    structured: false,
  },
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};
