export interface DescribedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** Returns the instructions for a model without native tool calls. `readActions` reads the replies. */
export function describeActions(tools: readonly DescribedTool[]): string {
  const { respond, done } = actionExamples;
  return [
    "To act, reply with exactly one JSON object:",
    ...[exampleCall(tools), respond, done].map((example) => `  ${example}`),
    "`tool_call` calls one tool; its result comes in the next message. Both others end your turn: `respond` " +
      'with a message, such as a question, `done` with a summary of the finished task. In strings, write line breaks as \\n, quotes as \\" and backslashes as \\\\.',
    "",
    "Tools:",
    ...tools.map(describeTool),
  ].join("\n");
}

/** Returns an example call of the first tool that needs just one text, else of the first tool. */
export function exampleCall(tools: readonly DescribedTool[]): string {
  const needsOneText = ({ inputSchema }: DescribedTool) => {
    const { properties = {}, required = [] } = inputSchema as ObjectSchema;
    return required.length === 1 && properties[required[0]!]?.type === "string";
  };
  const shown = tools.find(needsOneText) ?? tools[0];
  if (shown === undefined) return actionExamples.tool_call;
  const { properties = {}, required = [] } = shown.inputSchema as ObjectSchema;
  const args = required.map((field) => `${JSON.stringify(field)}: ${exampleValue(field, properties[field])}`);
  return `{"action": "tool_call", "tool": ${JSON.stringify(shown.name)}, "args": {${args.join(", ")}}}`;
}

function exampleValue(field: string, schema: FieldSchema | undefined): string {
  const { type, enum: choices } = schema ?? {};
  if (choices?.length) return JSON.stringify(choices[0]);
  if (type === "array") return "[]";
  if (type === "object") return "{}";
  if (type === "boolean") return "true";
  if (type === "integer" || type === "number") return "1";
  return JSON.stringify(exampleTexts.find(([names]) => names.test(field))?.[1] ?? "…");
}

const exampleTexts: readonly (readonly [RegExp, string])[] = [
  [/path|file/, "src/main.rs"],
  [/pattern|query/, "TODO"],
  [/command|cmd/, "ls"],
];

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

/** An action of a model without native tool calls: one JSON object in its reply. */
export type ModelAction =
  | { readonly action: "tool_call"; readonly tool: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly action: "respond"; readonly message: string }
  | { readonly action: "done"; readonly summary: string };

export const actionExamples: Readonly<Record<ModelAction["action"], string>> = {
  tool_call: '{"action": "tool_call", "tool": "read_file", "args": {"path": "src/main.rs"}}',
  respond: '{"action": "respond", "message": "Your message"}',
  done: '{"action": "done", "summary": "What you did"}',
};
