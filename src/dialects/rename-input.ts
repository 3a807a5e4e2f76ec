import * as z from "zod/mini";
import type { AnyTool } from "../contract/tool.ts";
import type { CanonicalName } from "../tools/catalog.ts";
import type { Renaming } from "./rename.ts";

/** Takes the dialect's fields, gives the canonical ones, which the tool's own schema checks again as a whole. */
export function renameInput(
  input: AnyTool["input"],
  renaming: Pick<Renaming<CanonicalName>, "fields" | "omit" | "require" | "defaults">,
): AnyTool["input"] {
  const { shape } = input._zod.def as unknown as { shape: Record<string, z.ZodMiniType> };
  const wireNames: Readonly<Record<string, string | undefined>> = renaming.fields ?? {};
  const defaults: Readonly<Record<string, unknown>> = renaming.defaults ?? {};
  const omitted = new Set<PropertyKey>(renaming.omit);
  const required = new Set<PropertyKey>(renaming.require);
  const offered = Object.entries(shape)
    .filter(([field]) => !omitted.has(field))
    .map(([field, schema]) => ({
      field,
      wireName: wireNames[field] ?? field,
      schema: required.has(field) ? mandatory(schema) : field in defaults ? z.optional(schema) : schema,
    }));
  const wire = z.strictObject(Object.fromEntries(offered.map(({ wireName, schema }) => [wireName, schema])));
  const toCanonical = (given: Record<string, unknown>): unknown => {
    const present = offered.filter(({ wireName }) => given[wireName] !== undefined);
    return {
      ...defaults,
      ...Object.fromEntries(present.map(({ field, wireName }) => [field, given[wireName]])),
    };
  };
  return z.pipe(z.pipe(wire, z.transform(toCanonical)), input);
}

function mandatory(schema: z.ZodMiniType): z.ZodMiniType {
  const { innerType } = schema._zod.def as unknown as { innerType?: z.ZodMiniType };
  return schema._zod.def.type === "optional" && innerType ? mandatory(innerType) : schema;
}
