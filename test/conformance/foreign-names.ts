import type { ToolDefinition } from "../../src/dialects/definition.ts";
import { type CanonicalName, catalog } from "../../src/tools/catalog.ts";
import type { Vector } from "./vector.ts";

/** Finds tools and fields that an answer names although its dialect does not have them. */
export async function foreignNames(
  vector: Vector,
  definitions: readonly ToolDefinition[],
  answers: readonly { readonly tool: string; readonly content: string }[],
): Promise<readonly string[]> {
  const given = JSON.stringify([
    vector.workspace ?? {},
    vector.calls.map(({ tool, input }) => [tool, input]),
  ]);
  const offered = new Set(definitions.map(({ name }) => name));
  const found: string[] = [];
  for (const { tool, content } of answers) {
    const definition = definitions.find(({ name }) => name === tool);
    const fields = definition ? await missingFields(definition) : [];
    const named = [...content.matchAll(/\b[a-z]+[._][a-z_]+\b/g)].map(([name]) => name);
    found.push(...named.filter((name) => toolNames.has(name) && !offered.has(name)));
    found.push(...fields.filter((field) => namesField(content, field)));
  }
  return [...new Set(found)].filter((name) => !given.includes(name));
}

const toolNames: ReadonlySet<string> = new Set(
  Object.keys(catalog).flatMap((name) => [name, name.replaceAll(".", "_")]),
);

/** Short words such as `path` also occur in sentences. */
function namesField(content: string, field: string): boolean {
  return (
    content.includes(`\`${field}\``) ||
    new RegExp(`\\b(?:raise|set|with) ${field}\\b|\\b${field}: true`).test(content)
  );
}

async function missingFields({ canonical, inputSchema }: ToolDefinition): Promise<readonly string[]> {
  if (!(canonical in catalog)) return [];
  const { input } = await catalog[canonical as CanonicalName]();
  const { shape = {} } = input._zod.def as { shape?: object };
  const properties = Object.keys((inputSchema.properties as object | undefined) ?? {});
  return Object.keys(shape).filter((field) => !properties.includes(field));
}
