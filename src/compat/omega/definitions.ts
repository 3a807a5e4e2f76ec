import { defineTools, type ToolDefinition } from "../../dialects/definition.ts";
import { omegaDialect } from "../../dialects/omega.ts";

/** A tool as any provider's format can be made of it. */
export interface ToolDef {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

// Loaded with this module, so that they can be asked for without waiting, as in Omega.
const own = omegaDialect.tools.filter(({ needs }) => needs === undefined);
const builtins = defineTools(await Promise.all(own.map((tool) => tool.load()))).map(toToolDef);

/** `bash`, `read`, `write` and `edit`, whoever executes them. */
export function builtinToolDefs(): readonly ToolDef[] {
  return structuredClone(builtins);
}

export function isBuiltin({ name }: Pick<ToolDef, "name">): boolean {
  return builtins.some((tool) => tool.name === name);
}

export function toToolDef({ name, description, inputSchema }: ToolDefinition): ToolDef {
  return { name, description, parameters: inputSchema };
}
