import * as z from "zod/mini";
import type { FoundTool, FoundTools, Tool } from "../../contract/tool.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { amount } from "../fields.ts";

const input = z.strictObject({
  query: z.string().check(z.minLength(1), z.maxLength(1000), z.describe('Task: "undo an edit".')),
  limit: amount(1, 50, "Default 5."),
});

/** Finds tools that are not listed at first, which saves tokens in every request. */
export const toolsFind: Tool<z.infer<typeof input>, FoundTools> = {
  name: "tools.find",
  description: "Find more tools, for example for git, documents, plans, renaming or web search.",
  risk: "read",
  input,
  limits: { maxChars: 20_000, keep: "head" },
  accesses: () => [],

  async run({ query, limit = 5 }, { tools: finder }) {
    const found = await finder.find(query, { limit });
    return { data: found, text: showTools(found) };
  },
};

function showTools({ tools, hidden }: FoundTools): string {
  if (hidden === 0) return "There are no tools besides those in your list.";
  if (tools.length === 0) return `None of ${counted(hidden, "other tool")} matches. Try other words.`;
  return tools.map(showTool).join("\n\n");
}

function showTool({ name, description, inputSchema }: FoundTool): string {
  const schema = JSON.stringify(inputSchema);
  const shown = schema.length <= maxSchemaChars ? schema : namesIn(inputSchema);
  return `${name}: ${description}\nArguments: ${shown}`;
}

const maxSchemaChars = 6_000;

function namesIn({ properties, required }: FoundTool["inputSchema"]): string {
  const needed = new Set(Array.isArray(required) ? required : []);
  const names = Object.keys(properties ?? {}).map((name) => (needed.has(name) ? `${name} (required)` : name));
  return `${names.join(", ")}. The schema is too long to show here.`.slice(0, maxSchemaChars);
}
