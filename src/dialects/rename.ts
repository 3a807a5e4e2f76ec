import * as z from "zod/mini";
import type { AnyTool, OutputLimits, Tool } from "../contract/tool.ts";
import { type CanonicalName, type CanonicalTool, catalog } from "../tools/catalog.ts";
import type { DialectTool } from "./dialect.ts";

type InputOf<Name extends CanonicalName> =
  CanonicalTool<Name> extends Tool<infer Input, unknown> ? Input : Record<string, unknown>;

/** How a dialect's tool differs from the canonical one; TypeScript checks the field names. */
export interface Renaming<Name extends CanonicalName> {
  readonly name: string;
  readonly summary?: string;
  /** Canonical field to the dialect's name for it; fields not listed keep theirs. */
  readonly fields?: { readonly [Field in keyof InputOf<Name>]?: string };
  /** Fields the dialect does not offer. */
  readonly omit?: readonly (keyof InputOf<Name>)[];
  /** Values the dialect gives when the caller does not, or always when the field is omitted. */
  readonly defaults?: { readonly [Field in keyof InputOf<Name>]?: InputOf<Name>[Field] };
  readonly limits?: OutputLimits;
}

/** A canonical tool under a dialect's names. The wire schema is derived, never restated. */
export function rename<Name extends CanonicalName>(canonical: Name, renaming: Renaming<Name>): DialectTool {
  return {
    name: renaming.name,
    canonical,
    load: async () => renameTool(await catalog[canonical](), renaming),
  };
}

function renameTool(tool: AnyTool, renaming: Renaming<CanonicalName>): AnyTool {
  return {
    ...tool,
    name: renaming.name,
    canonical: tool.name,
    summary: renaming.summary ?? tool.summary,
    limits: renaming.limits ?? tool.limits,
    input: renaming.fields || renaming.omit || renaming.defaults ? renameInput(tool, renaming) : tool.input,
  };
}

/** Takes the dialect's fields, gives the canonical ones, which the tool's own schema checks again as a whole. */
function renameInput(tool: AnyTool, renaming: Renaming<CanonicalName>): AnyTool["input"] {
  const fields: Readonly<Record<string, string>> = renaming.fields ?? {};
  const omitted = new Set<string>(renaming.omit);
  const defaults: Readonly<Record<string, unknown>> = renaming.defaults ?? {};
  const names = Object.keys(shapeOf(tool)).filter((field) => !omitted.has(field));
  const wireShape = Object.fromEntries(
    names.map((field) => {
      const schema = shapeOf(tool)[field]!;
      return [fields[field] ?? field, field in defaults ? z.optional(schema) : schema];
    }),
  );
  const toCanonical = (wire: Record<string, unknown>) => {
    const given = names.filter((field) => (fields[field] ?? field) in wire);
    return {
      ...defaults,
      ...Object.fromEntries(given.map((field) => [field, wire[fields[field] ?? field]])),
    };
  };
  return z.pipe(z.pipe(z.strictObject(wireShape), z.transform(toCanonical)), tool.input as z.ZodMiniType);
}

function shapeOf(tool: AnyTool): Record<string, z.ZodMiniType> {
  return (tool.input._zod.def as unknown as { shape: Record<string, z.ZodMiniType> }).shape;
}
