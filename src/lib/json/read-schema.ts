import * as z from "zod/mini";
import { clone } from "zod/v4/core";
import type { JsonSchema, StandardResult, StandardSchema } from "../../contract/schema.ts";
import { isRecord } from "./is-record.ts";

/** A schema that cannot be used: what is wrong, as a sentence, and how to fix it. */
export class UnusableSchema extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/**
 * Reads the schema of an object: of zod 4, of another Standard Schema library, or JSON Schema. The result checks values,
 * and `z.toJSONSchema` returns its JSON Schema: `jsonSchema`, or the schema's own. Throws `UnusableSchema`.
 */
export async function readSchema(given: unknown, jsonSchema?: unknown): Promise<z.core.$ZodType> {
  const isObject = (typeof given === "object" && given !== null) || typeof given === "function";
  if (!isObject) throw new UnusableSchema("The input is not a schema.", schemaHint);
  if ("_zod" in given) return ofZod(given as z.core.$ZodType, jsonSchema);
  if ("~standard" in given) return ofStandard(given as StandardSchema, jsonSchema);
  if (Object.values(given).some((value) => isRecord(value) && ("_zod" in value || "~standard" in value)))
    throw new UnusableSchema(
      "The input is a list of fields, not a schema.",
      "Wrap it: input: z.object({ … })",
    );
  return ofJsonSchema(given as JsonSchema);
}

const schemaHint =
  "Use zod 4, another Standard Schema, or JSON Schema: input: z.object({ path: z.string() })";

function ofZod(schema: z.core.$ZodType, jsonSchema: unknown): z.core.$ZodType {
  const shown = jsonSchema ?? attempt(() => z.toJSONSchema(schema, { io: "input" }));
  const object = expectObject(shown);
  return jsonSchema === undefined ? schema : showing(clone(schema), object);
}

function ofStandard(schema: StandardSchema, jsonSchema: unknown): z.core.$ZodType {
  const { vendor, validate, jsonSchema: own } = schema["~standard"];
  if (jsonSchema === undefined && own === undefined)
    throw new UnusableSchema(`${vendor} gives no JSON Schema of this input.`, hintFor(vendor));
  const shown = expectObject(jsonSchema ?? attempt(() => own!.input({ target: "draft-2020-12" })));
  const names = Object.keys(isRecord(shown.properties) ? shown.properties : {});
  // The names are for the message about wrong arguments.
  const fields = z.looseObject(Object.fromEntries(names.map((name) => [name, z.optional(z.unknown())])));
  const checked = z.transform((value: Record<string, unknown>, { issues }) => {
    const result = validate(value);
    if (result instanceof Promise) throw new Error(`The schema of ${vendor} checks asynchronously`);
    if (result.issues === undefined) return result.value;
    issues.push(...result.issues.map((issue) => ({ ...toIssue(issue), input: value })));
    return z.NEVER;
  });
  return showing(z.pipe(fields, checked), shown);
}

function toIssue({ message, path = [] }: NonNullable<StandardResult<unknown>["issues"]>[number]) {
  const keys = path.map((step) => (typeof step === "object" ? step.key : step));
  return { code: "custom", message, path: keys } as const;
}

function hintFor(vendor: string): string {
  const ways: Readonly<Record<string, string>> = {
    zod: "Use zod 4 (npm install zod@4)",
    valibot: "Wrap it with `toStandardJsonSchema` of @valibot/to-json-schema",
    arktype: "Use arktype 2.1.28 or newer",
  };
  const way = Object.hasOwn(ways, vendor) ? `${ways[vendor]}, or add the` : "Add the";
  return `${way} JSON Schema: inputSchema: { type: "object", properties: { … } }`;
}

async function ofJsonSchema(schema: JsonSchema): Promise<z.core.$ZodType> {
  const { fromJSONSchema } = await import("./zod-json-schema.ts");
  expectObject(schema);
  const hint = "Leave it out, or write the input with zod 4.";
  return showing(
    attempt(() => fromJSONSchema(schema as never), hint),
    schema,
  );
}

function showing(check: z.core.$ZodType, jsonSchema: JsonSchema): z.core.$ZodType {
  check._zod.toJSONSchema = () => ({ ...jsonSchema });
  return check;
}

/** Providers accept only objects as arguments. */
function expectObject(schema: unknown): JsonSchema {
  if (isRecord(schema) && schema.type === "object") return schema;
  const type = isRecord(schema) && typeof schema.type === "string" ? `, but of ${schema.type}` : "";
  throw new UnusableSchema(`The input is not the schema of an object${type}.`, schemaHint);
}

function attempt<Result>(read: () => Result, hint = jsonHint): Result {
  try {
    return read();
  } catch (error) {
    const { message } = error as Error;
    throw new UnusableSchema(`The input has no usable JSON Schema: ${message.split("\n")[0]}.`, hint);
  }
}

const jsonHint =
  'Use types that JSON has, or add the JSON Schema: inputSchema: { type: "object", properties: { … } }';
