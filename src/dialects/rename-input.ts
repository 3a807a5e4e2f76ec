import * as z from "zod/mini";
import type { AnyTool } from "../contract/tool.ts";
import { unknownName } from "../lib/unknown-name.ts";
import type { CanonicalName } from "../tools/catalog.ts";
import type { Renaming } from "./rename.ts";

/** The arguments in the dialect, and their conversion to canonical ones. */
export interface RenamedInput {
  readonly wire: AnyTool["input"];
  toCanonical(given: unknown): unknown;
}

type FieldRenaming = Pick<
  Renaming<CanonicalName>,
  "name" | "fields" | "values" | "only" | "hiddenFields" | "require" | "defaults" | "describe"
>;

export function renameInput(input: AnyTool["input"], renaming: FieldRenaming): RenamedInput {
  const { shape } = input._zod.def as unknown as { shape: Record<string, z.ZodMiniType> };
  checkFields(Object.keys(shape), renaming);
  const wireNames: Readonly<Record<string, string | undefined>> = renaming.fields ?? {};
  const descriptions: Readonly<Record<string, string | undefined>> = renaming.describe ?? {};
  const values: Readonly<Record<string, readonly string[] | undefined>> = renaming.values ?? {};
  const defaults: Readonly<Record<string, unknown>> = renaming.defaults ?? {};
  const only = new Set<PropertyKey>(renaming.only ?? Object.keys(shape));
  const required = new Set<PropertyKey>(renaming.require);
  const offered = Object.entries(shape)
    .filter(([field]) => only.has(field))
    .map(([field, canonical]) => {
      const allowed = values[field] === undefined ? canonical : oneOf(values[field], canonical);
      const optional = field in defaults ? z.optional(allowed) : allowed;
      const shaped = required.has(field) ? mandatory(allowed) : optional;
      const description = descriptions[field];
      const schema = description === undefined ? shaped : shaped.check(z.describe(description));
      return { field, wireName: wireNames[field] ?? field, schema };
    });
  return {
    wire: z.strictObject(Object.fromEntries(offered.map(({ wireName, schema }) => [wireName, schema]))),
    toCanonical: (given) => {
      const values = given as Record<string, unknown>;
      const present = offered.filter(({ wireName }) => values[wireName] !== undefined);
      return {
        ...defaults,
        ...Object.fromEntries(present.map(({ field, wireName }) => [field, values[wireName]])),
      };
    },
  };
}

/** Refuses fields that the canonical tool does not have. */
function checkFields(
  known: readonly string[],
  { name, fields, describe, values, defaults, only = [], require = [], hiddenFields = [] }: FieldRenaming,
): void {
  const lists = Object.fromEntries([...only, ...require, ...hiddenFields].map((field) => [field, true]));
  for (const given of [fields, describe, values, defaults, lists]) {
    const unknown = unknownName(given ?? {}, known, { owner: `The tool behind ${name}`, kind: "field" });
    if (unknown) throw unknown;
  }
}

function oneOf(values: readonly string[], { _zod }: z.ZodMiniType): z.ZodMiniType {
  const narrowed = z.enum(values as string[]);
  return _zod.def.type === "optional" ? z.optional(narrowed) : narrowed;
}

function mandatory(schema: z.ZodMiniType): z.ZodMiniType {
  const { innerType } = schema._zod.def as unknown as { innerType?: z.ZodMiniType };
  return schema._zod.def.type === "optional" && innerType ? mandatory(innerType) : schema;
}
