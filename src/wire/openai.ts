import type { ToolDefinition } from "../dialects/definition.ts";
import { type JsonSchema, objectSchema } from "./json-schema.ts";
import { strictSchema } from "./strict-schema.ts";

export type OpenAiTool = OpenAiFunction | OpenAiCustomTool;

export interface OpenAiFunction {
  type: "function";
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  strict: boolean;
}

/** A tool that takes text in a grammar. */
export interface OpenAiCustomTool {
  type: "custom";
  name: string;
  description: string;
  format: { type: "grammar"; syntax: "lark"; definition: string };
}

/** A tool of the Chat Completions API and compatible servers: without strict mode. */
export interface OpenAiChatTool {
  type: "function";
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

export function toOpenAi(definition: ToolDefinition): OpenAiTool {
  const { name, description, inputSchema } = definition;
  const format = { type: "grammar", syntax: "lark", definition: patchGrammar } as const;
  if (freeformField(definition) !== undefined) return { type: "custom", name, description, format };
  const plain = objectSchema(inputSchema);
  const strict = strictSchema(plain);
  return { type: "function", name, description, parameters: strict ?? plain, strict: strict !== undefined };
}

export function toOpenAiChat({ name, description, inputSchema }: ToolDefinition): OpenAiChatTool {
  return { type: "function", function: { name, description, parameters: objectSchema(inputSchema) } };
}

/** Returns the text field of a freeform tool: the patch, when it is the only argument. */
export function freeformField({ canonical, inputSchema }: ToolDefinition): string | undefined {
  const { properties = {}, required = [] } = inputSchema as JsonSchema;
  const names = Object.keys(properties);
  const isText = names.length === 1 && properties[names[0]!]!.type === "string";
  return canonical === "edit.patch" && isText && required.length === 1 ? names[0] : undefined;
}

/** The grammar of `edit.patch`, in lark, for models that decode by a grammar. */
export const patchGrammar = `start: begin file+ end
begin: "*** Begin Patch" LF
end: "*** End Patch" LF?
file: add | delete | update
add: "*** Add File: " path LF added*
delete: "*** Delete File: " path LF
update: "*** Update File: " path LF (move change? | change)
move: "*** Move to: " path LF
change: lines hunk* | hunk+
hunk: place+ lines
lines: (context | removed | added)+ last?
place: "@@" LF | "@@ " /.+/ LF
context: " " /.*/ LF | LF
removed: "-" /.*/ LF
added: "+" /.*/ LF
last: "*** End of File" LF
path: /.+/
LF: /\\n/
`;
