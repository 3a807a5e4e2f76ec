/** A JSON Schema, as far as formats look into it. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}

/** The ways a value may be, where a schema gives a choice of them. */
export function choicesOf({ anyOf, oneOf }: JsonSchema): readonly JsonSchema[] | undefined {
  return anyOf ?? oneOf;
}

/** The type, if there is one only, and whether null is allowed beside it. */
export function typeOf({ type }: JsonSchema): {
  readonly type: string | undefined;
  readonly nullable: boolean;
} {
  if (typeof type === "string") return { type, nullable: false };
  const types = (type ?? []).filter((each) => each !== "null");
  return { type: types.length === 1 ? types[0] : undefined, nullable: type?.includes("null") ?? false };
}

export function allowsNull(schema: JsonSchema): boolean {
  if (schema.enum) return schema.enum.includes(null);
  if ("const" in schema) return schema.const === null;
  const choices = choicesOf(schema);
  if (choices) return choices.some(allowsNull);
  return schema.type === undefined || schema.type === "null" || typeOf(schema).nullable;
}

/**
 * Of all arguments of a tool. Servers leave out the properties of tools that take nothing, which others refuse; and no
 * provider takes a choice at the top: then the counter holds it, and the fields of all are told.
 */
export function objectSchema(schema: Readonly<Record<string, unknown>>): ObjectSchema {
  const { anyOf, oneOf, allOf, ...plain } = schema as JsonSchema;
  const choices = [anyOf, oneOf, allOf].flatMap((each) => each ?? []);
  const properties = Object.assign({}, plain.properties, ...choices.map((choice) => choice.properties));
  return { ...plain, type: "object", properties };
}

export interface ObjectSchema {
  [keyword: string]: unknown;
  type: "object";
}
