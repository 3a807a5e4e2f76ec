/**
 * Our hub as the client of the official conformance suite, which starts it with the address of its server as last word:
 * npx conformance client --command "node test/mcp-conformance/client.ts" --requirements 2026-07-28
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectHub } from "../../src/mcp/hub/connect-hub.ts";
import { openToolcrib } from "../../src/toolcrib/index.ts";

const url = process.argv.at(-1)!;
const { MCP_CONFORMANCE_PROTOCOL_VERSION: version, MCP_CONFORMANCE_CONTEXT: context } = process.env;
const protocol = version === undefined ? "auto" : version >= "2026" ? "2026" : "2025";
const workspace = mkdtempSync(join(tmpdir(), "toolcrib conformance "));
const hub = connectHub({
  workspace,
  servers: { suite: { url, protocol } },
  stateDirectory: join(workspace, "state"),
  elicit: async () => ({ action: "accept", content: {} }),
});
const crib = await openToolcrib({
  workspace,
  sources: [hub],
  mode: "yolo",
  stateDirectory: join(workspace, "state"),
  configDirectory: join(workspace, "config"),
});
try {
  await hub.ready;
  for (const warning of hub.warnings) console.error(warning);
  for (const { name, inputSchema } of await wanted()) {
    const result = await crib.call(name, argumentsFor(name, inputSchema));
    console.error(`${name}: ${result.content}`);
  }
} finally {
  await crib.close();
  rmSync(workspace, { recursive: true, force: true });
}

interface Wanted {
  readonly name: string;
  readonly inputSchema: unknown;
  readonly arguments?: unknown;
}

/** The tools that the suite wants to be called, otherwise every tool of its server. */
async function wanted(): Promise<readonly Wanted[]> {
  const own = new Set(hub.tools.map(({ canonical }) => canonical));
  const listed = (await crib.definitions({ which: "all" })).filter(({ canonical }) => own.has(canonical));
  const { toolCalls } = JSON.parse(context ?? "{}") as {
    toolCalls?: readonly { name: string; arguments: unknown }[];
  };
  if (toolCalls === undefined) return listed;
  return toolCalls.map(({ name, arguments: given }) => ({
    name: `suite__${name}`,
    inputSchema: { const: given },
  }));
}

/** One of the suite's tools checks how the schema of another arrived here. */
function argumentsFor(name: string, inputSchema: unknown): unknown {
  if (!name.endsWith("json_schema_echo")) return valueFor(inputSchema);
  const focal = hub.listed("suite").find((tool) => tool.name === "json_schema_2020_12_tool");
  const [key] = Object.keys((inputSchema as { properties: object }).properties);
  return { [key!]: focal?.inputSchema };
}

/** Returns a value that fits a schema. */
function valueFor(schema: unknown): unknown {
  const {
    type,
    properties = {},
    enum: choices,
    const: only,
    default: usual,
  } = schema as {
    type?: string;
    properties?: Record<string, unknown>;
    enum?: readonly unknown[];
    const?: unknown;
    default?: unknown;
  };
  const [given] = [only, usual, choices?.[0]].filter((value) => value !== undefined);
  if (given !== undefined) return given;
  switch (type) {
    case "object":
      return Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, valueFor(value)]));
    case "number":
    case "integer":
      return 1;
    case "boolean":
      return true;
    case "array":
      return [];
    default:
      return "text";
  }
}
