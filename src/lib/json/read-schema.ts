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

/** The purpose of a schema: the arguments of a tool, which are an object, or the final answer of an agent. */
type SchemaUse = "input" | "output";

/**
 * Reads a schema of zod 4, of another Standard Schema library, or JSON Schema. The result checks values, and
 * `z.toJSONSchema` returns its JSON Schema: `jsonSchema`, or the schema's own. Throws `UnusableSchema`.
 */
export async function readSchema(
  given: unknown,
  { use, jsonSchema }: { readonly use: SchemaUse; readonly jsonSchema?: unknown },
): Promise<z.core.$ZodType> {
  if (!isSchema(given)) throw new UnusableSchema(`The ${use} is not a schema.`, schemaHint(use));
  if ("_zod" in given) return ofZod(given as unknown as z.core.$ZodType, use, jsonSchema);
  if ("~standard" in given) return ofStandard(given as StandardSchema, use, jsonSchema);
  if (Object.values(given).some((value) => isRecord(value) && ("_zod" in value || "~standard" in value)))
    throw new UnusableSchema(
      `The ${use} is a list of fields, not a schema.`,
      `Wrap it: ${use}: z.object({ … })`,
    );
  return ofJsonSchema(given as JsonSchema, use);
}

/** Whether a value can be a schema at all. Schemas of arktype are functions. */
export function isSchema(given: unknown): given is StandardSchema | JsonSchema {
  if (!isRecord(given) && typeof given !== "function") return false;
  const { "~standard": standard } = given as Partial<StandardSchema>;
  if (standard !== undefined || typeof given === "function") return typeof standard?.validate === "function";
  return true;
}

export function schemaHint(use: SchemaUse): string {
  return `Use zod 4, another Standard Schema, or JSON Schema: ${use}: z.object({ path: z.string() })`;
}

function ofZod(schema: z.core.$ZodType, use: SchemaUse, jsonSchema: unknown): z.core.$ZodType {
  const shown = jsonSchema ?? attempt(() => z.toJSONSchema(schema, { io: "input" }), use);
  const checked = expectUsable(shown, use);
  return jsonSchema === undefined ? schema : showing(clone(schema), checked);
}

function ofStandard(schema: StandardSchema, use: SchemaUse, jsonSchema: unknown): z.core.$ZodType {
  const { vendor, validate, jsonSchema: own } = schema["~standard"];
  if (jsonSchema === undefined && own === undefined)
    throw new UnusableSchema(`${vendor} gives no JSON Schema of this ${use}.`, hintFor(vendor, use));
  const shown = expectUsable(jsonSchema ?? attempt(() => own!.input({ target: "draft-2020-12" }), use), use);
  const names = Object.keys(isRecord(shown.properties) ? shown.properties : {});
  // The names are for the message about wrong arguments.
  const fields: z.ZodMiniType<unknown> = z.looseObject(
    Object.fromEntries(names.map((name) => [name, z.optional(z.unknown())])),
  );
  const checked = z.transform((value: unknown, { issues }) => {
    const settle = (result: StandardResult<unknown>) => {
      if (result.issues === undefined) return result.value;
      issues.push(...result.issues.map((issue) => ({ ...toIssue(issue), input: value })));
      return z.NEVER;
    };
    const result = validate(value);
    if (!(result instanceof Promise)) return settle(result);
    if (use === "input") throw new Error(`The schema of ${vendor} checks asynchronously`);
    return result.then(settle);
  });
  return showing(z.pipe(use === "input" ? fields : z.unknown(), checked), shown);
}

function toIssue({ message, path = [] }: NonNullable<StandardResult<unknown>["issues"]>[number]) {
  const keys = path.map((step) => (typeof step === "object" ? step.key : step));
  return { code: "custom", message, path: keys } as const;
}

function hintFor(vendor: string, use: SchemaUse): string {
  const ways: Readonly<Record<string, string>> = {
    zod: "Use zod 4 (npm install zod@4)",
    valibot: "Wrap it with `toStandardJsonSchema` of @valibot/to-json-schema",
    arktype: "Use arktype 2.1.28 or newer",
  };
  const way = Object.hasOwn(ways, vendor) ? ways[vendor] : undefined;
  return way === undefined ? `Use another library, or ${jsonHint(use)}` : `${way}, or ${jsonHint(use)}`;
}

async function ofJsonSchema(schema: JsonSchema, use: SchemaUse): Promise<z.core.$ZodType> {
  const { fromJSONSchema } = await import("./zod-json-schema.ts");
  expectUsable(schema, use);
  const hint = `Leave it out, or write the ${use} with zod 4.`;
  return showing(
    attempt(() => fromJSONSchema(schema as never), use, hint),
    schema,
  );
}

function showing(check: z.core.$ZodType, jsonSchema: JsonSchema): z.core.$ZodType {
  check._zod.toJSONSchema = () => ({ ...jsonSchema });
  return check;
}

/** Providers accept only objects as arguments. */
function expectUsable(schema: unknown, use: SchemaUse): JsonSchema {
  if (isRecord(schema) && (use === "output" || schema.type === "object")) return schema;
  const type = isRecord(schema) && typeof schema.type === "string" ? `, but of ${schema.type}` : "";
  throw new UnusableSchema(`The ${use} is not the schema of an object${type}.`, schemaHint(use));
}

function attempt<Result>(
  read: () => Result,
  use: SchemaUse,
  hint = `Use types that JSON has, or ${jsonHint(use)}`,
): Result {
  try {
    return read();
  } catch (error) {
    const { message } = error as Error;
    throw new UnusableSchema(`The ${use} has no usable JSON Schema: ${message.split("\n")[0]}.`, hint);
  }
}

function jsonHint(use: SchemaUse): string {
  return use === "input"
    ? 'add the JSON Schema: inputSchema: { type: "object", properties: { … } }'
    : 'pass a JSON Schema: output: { type: "object", properties: { … } }';
}
