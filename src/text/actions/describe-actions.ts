import { actionExamples } from "./action.ts";

/** A tool as the prompt tells of it. */
export interface DescribedTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** What a model without tool calls of its own has to be told, so that `readActions` understands its replies. */
export function describeActions(tools: readonly DescribedTool[]): string {
  return [
    "Reply with one JSON object, and nothing else that looks like one:",
    ...Object.values(actionExamples).map((example) => `  ${example}`),
    "`tool_call` runs a tool, and you are told its result; `respond` speaks to the person; `done` ends the task. Inside " +
      'strings write line breaks as \\n, quotes as \\" and backslashes as \\\\.',
    "",
    "Tools:",
    ...tools.map(describeTool),
  ].join("\n");
}

function describeTool({ name, description, inputSchema }: DescribedTool): string {
  const { properties = {}, required = [] } = inputSchema as ObjectSchema;
  const fields = Object.entries(properties).map(([field, schema]) => {
    const note = required.includes(field) ? "" : ", optional";
    return `  ${field} (${typeOf(schema)}${note})${schema.description === undefined ? "" : `: ${schema.description}`}`;
  });
  return [`- ${name}: ${description}`, ...fields].join("\n");
}

function typeOf(schema: FieldSchema): string {
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(" | ");
  if (schema.type === "array") return `list of ${schema.items === undefined ? "any" : typeOf(schema.items)}`;
  if (Array.isArray(schema.type)) return schema.type.join(" | ");
  return schema.type ?? "any";
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
}

interface FieldSchema {
  readonly type?: string | string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly FieldSchema[];
  readonly items?: FieldSchema;
}
