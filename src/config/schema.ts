import { hookEvents } from "../contract/hooks.ts";
import { settings } from "./settings.ts";

/** Returns the JSON Schema of `config.toml`, for editors. */
export function configSchema(): object {
  const limits = settings.filter(({ key }) => key.startsWith("limits."));
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Toolcrib configuration (config.toml)",
    type: "object",
    additionalProperties: false,
    properties: {
      ...Object.fromEntries(
        settings.filter((each) => !limits.includes(each)).map((each) => [each.key, schemaOf(each)]),
      ),
      limits: {
        type: "object",
        description: "The limits of a session.",
        additionalProperties: false,
        properties: Object.fromEntries(
          limits.map((each) => [each.key.slice("limits.".length), schemaOf(each)]),
        ),
      },
      hooks: {
        type: "object",
        description: "Commands that run at events, with Claude Code's JSON contract.",
        additionalProperties: false,
        properties: Object.fromEntries(
          hookEvents.map((event) => [event, { type: "array", items: hookSchema }]),
        ),
      },
      targets: {
        type: "object",
        description:
          "Targets by a name for --target, or by the folder whose work they do. Only in your own file.",
        additionalProperties: { type: "string" },
      },
      language_servers: {
        type: "object",
        description: "Language servers by language. Only in your own file.",
        additionalProperties: languageServerSchema,
      },
      mcp_servers: {
        type: "object",
        description: "MCP servers by name, with the fields of mcp.json. Only in your own file.",
        additionalProperties: { type: "object" },
      },
    },
  };
}

const languageServerSchema = {
  type: "object",
  required: ["command", "extensions"],
  additionalProperties: false,
  properties: {
    command: { type: "string", description: "The name of a program, or its absolute path." },
    args: { type: "array", items: { type: "string" } },
    extensions: { type: "array", items: { type: "string" }, description: 'Of its files: [".rs"].' },
    settings: { type: "object", description: "Sent to the server when it starts." },
  },
};

const hookSchema = {
  type: "object",
  required: ["command"],
  additionalProperties: false,
  properties: {
    command: { type: "string", description: "A command for /bin/sh. It gets JSON on standard input." },
    matcher: {
      type: "string",
      description: "A regular expression for whole tool names. Default: every tool.",
    },
    timeout: { type: "number", exclusiveMinimum: 0, maximum: 600, default: 60, description: "Seconds." },
  },
};

function schemaOf({ type, summary, choices, default: usual }: (typeof settings)[number]): object {
  return {
    type,
    description: summary,
    ...(choices && { enum: choices }),
    ...(type !== "string" && (type === "integer" ? { minimum: 1 } : { exclusiveMinimum: 0 })),
    ...(usual !== undefined && { default: usual }),
  };
}
