import { isRecord } from "../lib/json/is-record.ts";
import type { ToolDefinition } from "./definition.ts";
import { describedTools } from "./described-tools.ts";
import type { Dialect, DialectTool, OfferedTool } from "./dialect.ts";
import { findDialect } from "./dialects.ts";
import type { Rewrite } from "./rewrite-names.ts";

/** A tool as plain data, with the names of other tools as in its source. */
export interface DescribedTool
  extends Omit<ToolDefinition, "canonical">,
    Pick<OfferedTool, "canonical" | "ownName" | "server"> {}

/** Returns the tools of a dialect that the build has described. */
export async function describedIn({ name }: Dialect): Promise<ReadonlyMap<DialectTool, DescribedTool>> {
  const text = Object.hasOwn(describedTools, name) ? describedTools[name] : undefined;
  if (text === undefined) return new Map();
  // A custom dialect may have the same name, but it has other tools.
  const tools = allTools(await findDialect(name));
  const described: readonly DescribedTool[] = JSON.parse(text);
  return new Map(described.map((tool, index) => [tools[index]!, tool]));
}

/** Returns the tools that a dialect can offer, in the order in which the build describes them. */
export function allTools({ tools, aliases = [] }: Dialect): readonly DialectTool[] {
  return [...tools, ...aliases];
}

/** Defines a tool for models: the description names other tools as the model knows them. */
export function defineDescribed(tool: DescribedTool, rewrite: Rewrite): ToolDefinition {
  const { name, canonical = name, description, risk, effects, inputSchema, outputSchema, native } = tool;
  return {
    ...{ name, canonical, description: rewrite(description), risk, effects },
    inputSchema: rewriteDescriptions(inputSchema, rewrite) as ToolDefinition["inputSchema"],
    ...{ outputSchema, native },
  };
}

/** Copies a schema, with the descriptions of it and its parts rewritten. */
function rewriteDescriptions(schema: unknown, rewrite: Rewrite): unknown {
  if (Array.isArray(schema)) return schema.map((part) => rewriteDescriptions(part, rewrite));
  if (!isRecord(schema)) return schema;
  const copy = (key: string, value: unknown): unknown => {
    if (key === "description" && typeof value === "string") return rewrite(value);
    if (dataKeywords.has(key)) return value;
    if (!mapKeywords.has(key) || !isRecord(value)) return rewriteDescriptions(value, rewrite);
    return mapValues(value, (_, part) => rewriteDescriptions(part, rewrite));
  };
  return mapValues(schema, copy);
}

function mapValues(
  record: Readonly<Record<string, unknown>>,
  change: (key: string, value: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(key, value)]));
}

/** Keywords whose values are data, not schemas. */
const dataKeywords: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"]);
/** Keywords whose values are schemas by any name. */
const mapKeywords: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs"]);
