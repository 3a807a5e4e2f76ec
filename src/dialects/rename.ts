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
  const { shape } = tool.input._zod.def as unknown as { shape: Record<string, z.ZodMiniType> };
  const wireNames: Readonly<Record<string, string | undefined>> = renaming.fields ?? {};
  const defaults: Readonly<Record<string, unknown>> = renaming.defaults ?? {};
  const omitted = new Set<PropertyKey>(renaming.omit);
  const offered = Object.entries(shape)
    .filter(([field]) => !omitted.has(field))
    .map(([field, schema]) => ({
      field,
      wireName: wireNames[field] ?? field,
      schema: field in defaults ? z.optional(schema) : schema,
    }));
  const wire = z.strictObject(Object.fromEntries(offered.map(({ wireName, schema }) => [wireName, schema])));
  const toCanonical = (input: Record<string, unknown>): unknown => {
    const given = offered.filter(({ wireName }) => input[wireName] !== undefined);
    return {
      ...defaults,
      ...Object.fromEntries(given.map(({ field, wireName }) => [field, input[wireName]])),
    };
  };
  return z.pipe(z.pipe(wire, z.transform(toCanonical)), tool.input);
}
