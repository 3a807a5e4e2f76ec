import { expect, it } from "vitest";
import { defineTools, type ToolDefinition } from "../../src/dialects/definition.ts";
import { dialectNames, findDialect } from "../../src/dialects/dialects.ts";
import { toWire, type WireFormat, wireFormats } from "../../src/wire/formats.ts";
import { faultsOf } from "./legality.ts";

/** Dialects for one provider's models are published in that provider's format, all others in every format. */
const ownFormats: Readonly<Record<string, readonly WireFormat[]>> = {
  openai: ["openai", "openai-chat"],
  codex: ["openai", "openai-chat"],
  anthropic: ["anthropic"],
  "claude-code": ["anthropic"],
  "anthropic-native": ["anthropic"],
  gemini: ["gemini"],
  "gemini-cli": ["gemini"],
};

const pairs = dialectNames.flatMap((dialect) =>
  [...(ownFormats[dialect] ?? wireFormats)].map((format) => ({ dialect, format })),
);

// Other dialects differ in their definitions, which are published, too.
it.each(["openai", "anthropic", "gemini", "mcp"] as const)(
  "toolcrib for %s matches the published request",
  async (format) => {
    const tools = toWire(format, await definitionsOf("toolcrib"));
    await expect(`${JSON.stringify(tools, null, 1)}\n`).toMatchFileSnapshot(`wire/toolcrib.${format}.json`);
  },
);

it.each(pairs)("$dialect is valid for $format", async ({ dialect, format }) => {
  const tools = toWire(format, await definitionsOf(dialect));
  const faults = tools.flatMap((tool) => faultsOf(format, tool).map((fault) => [tool, fault]));
  expect(faults).toEqual([]);
});

it.each(wireFormats)("schemas of other servers are made valid for %s", (format) => {
  const tools = toWire(format, [...strangeSchemas.entries()].map(strangeTool));
  const faults = tools.flatMap((tool) => faultsOf(format, tool).map((fault) => [tool, fault]));
  expect(faults).toEqual([]);
});

async function definitionsOf(name: string): Promise<readonly ToolDefinition[]> {
  const { tools } = await findDialect(name);
  return defineTools(await Promise.all(tools.map((tool) => tool.load())));
}

/** Schemas as real servers have them, and worse. */
const strangeSchemas: readonly Record<string, unknown>[] = [
  { type: "object" },
  { type: "object", properties: {}, additionalProperties: true },
  {
    anyOf: [
      { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
      { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    ],
  },
  {
    type: "object",
    properties: { any: {}, map: { type: "object", additionalProperties: { type: "string" } } },
  },
  {
    type: "object",
    properties: {
      node: { $ref: "#/$defs/node" },
      at: { type: "string", format: "date-time", default: "now" },
    },
    required: ["node"],
    $defs: {
      node: {
        type: "object",
        properties: { value: { type: "number", exclusiveMinimum: 0 }, next: { $ref: "#/$defs/node" } },
      },
    },
  },
  {
    type: "object",
    properties: {
      id: { type: ["string", "integer", "null"] },
      kind: { const: "a" },
      level: { enum: [1, 2, null] },
      mixed: {
        oneOf: [{ type: "string" }, { type: "array" }, { type: "null" }],
        description: "One of them.",
      },
      both: { allOf: [{ type: "object", properties: { a: { type: "string" } } }, { required: ["a"] }] },
      pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] },
      on: { type: "boolean", const: true },
    },
    patternProperties: { "^x-": { type: "string" } },
  },
];

function strangeTool([index, inputSchema]: [number, Record<string, unknown>]): ToolDefinition {
  const effects = {
    title: "Strange",
    readOnly: true,
    destructive: false,
    idempotent: true,
    openWorld: true,
    structured: false,
  };
  const name = `strange_${index}`;
  return { name, canonical: name, description: "Strange.", risk: "network", effects, inputSchema };
}
