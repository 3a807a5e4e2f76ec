import type { z } from "zod";
import { globalRegistry } from "zod/v4/core";
import type { AnyTool } from "../toolcrib/index.ts";

/** What the command line needs to know of one argument of a tool. */
export interface FieldSchema {
  /** The kinds of values it takes: "string", "number", "boolean", "array", "object" … */
  readonly types: readonly string[];
  /** The only values it takes. */
  readonly choices?: readonly unknown[];
  /** Of a list. */
  readonly items?: FieldSchema;
  readonly description?: string;
  readonly required: boolean;
}

export type FieldSchemas = Readonly<Record<string, FieldSchema>>;

/** The arguments of a tool by name, straight from its schema: going round by JSON Schema takes a tenth of our start. */
export function fieldSchemasOf(tool: Pick<AnyTool, "input">): FieldSchemas {
  const fields = Object.entries(shapeOf(tool.input)).map(([name, schema]) => [name, fieldSchema(schema)]);
  return Object.fromEntries(fields);
}

/** What zod keeps of a schema, as far as it matters here. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly in?: z.core.$ZodType;
  readonly innerType?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
  readonly entries?: Readonly<Record<string, unknown>>;
  readonly values?: readonly unknown[];
}

/** Behind a dialect's renaming these are the dialect's fields. */
function shapeOf(schema: z.core.$ZodType): NonNullable<Definition["shape"]> {
  const { shape, in: taken } = definitionOf(schema);
  return shape ?? (taken ? shapeOf(taken) : {});
}

function fieldSchema(schema: z.core.$ZodType): FieldSchema {
  const { innerType, in: taken, ...definition } = definitionOf(schema);
  const description = globalRegistry.get(schema)?.description;
  const described = description === undefined ? {} : { description };
  const wrapped = innerType ?? taken;
  const required = schema._zod.optin === undefined;
  return wrapped
    ? { ...fieldSchema(wrapped), ...described, required }
    : { ...valuesOf(definition), ...described, required };
}

function valuesOf({ type, element, options, entries, values }: Definition): Omit<FieldSchema, "required"> {
  if (options) {
    const alternatives = options.map(fieldSchema);
    const items = alternatives.find((alternative) => alternative.items)?.items;
    return { types: alternatives.flatMap(({ types }) => types), ...(items ? { items } : {}) };
  }
  if (element) return { types: ["array"], items: fieldSchema(element) };
  const choices = values ?? (entries && Object.values(entries));
  return choices
    ? { types: [...new Set(choices.map((choice) => typeof choice))], choices }
    : { types: [type] };
}

function definitionOf(schema: z.core.$ZodType): Definition {
  return schema._zod.def as Definition;
}
