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
      mcp_servers: {
        type: "object",
        description: "MCP servers by name, with the fields of mcp.json. Only in your own file.",
        additionalProperties: { type: "object" },
      },
    },
  };
}

function schemaOf({ type, summary, choices, default: usual }: (typeof settings)[number]): object {
  return {
    type,
    description: summary,
    ...(choices && { enum: choices }),
    ...(type !== "string" && (type === "integer" ? { minimum: 1 } : { exclusiveMinimum: 0 })),
    ...(usual !== undefined && { default: usual }),
  };
}
