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

export function choicesOf({ anyOf, oneOf }: JsonSchema): readonly JsonSchema[] | undefined {
  return anyOf ?? oneOf;
}

/** Returns the type, if there is just one, and whether null is allowed. */
export function typeOf({ type }: JsonSchema): {
  readonly type?: string | undefined;
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
 * Returns the schema of all arguments of a tool, with the `properties` that providers require. Providers refuse choices
 * at the top level, so their properties are merged, and the pipeline checks the choice.
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
