import { ToolError } from "../contract/error.ts";
import type { InferSchema, JsonSchema, StandardResult, StandardSchema } from "../contract/schema.ts";
import { isRecord } from "../lib/json/is-record.ts";
import { tryParseJson } from "../lib/json/try-parse-json.ts";

/** The schema of a final answer: zod 4, another library with Standard Schema, or JSON Schema. */
export type OutputSchema = StandardSchema | JsonSchema;

/** The type of the answers that a schema accepts. */
export type OutputOf<Schema> = InferSchema<Schema>;

type Issue = NonNullable<StandardResult<unknown>["issues"]>[number];

export type ReadAnswer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/** The form of a turn's final answer: JSON that matches a schema. */
export class AnswerSchema {
  readonly #schema: StandardSchema | JsonSchema;
  #validator: StandardSchema | undefined;

  /** Throws `invalid-input` for something that is not a schema. */
  constructor(schema: OutputSchema) {
    if (!isSchema(schema))
      throw new ToolError("invalid-input", "The option output is not a schema", {
        hint: 'Pass a schema of zod 4, one with Standard Schema, or JSON Schema: { type: "object", … }.',
      });
    this.#schema = schema;
  }

  /** Returns the JSON Schema. Throws `unsupported` when a library cannot write one, or when it cannot be validated. */
  async jsonSchema(): Promise<JsonSchema> {
    this.#validator = await validatorOf(this.#schema);
    if (!isStandard(this.#schema)) return this.#schema;
    const { jsonSchema, vendor } = this.#schema["~standard"];
    if (jsonSchema) return jsonSchema.input({ target: "draft-2020-12" });
    if (vendor === "zod") {
      const { toJSONSchema } = await import("../lib/json/zod-json-schema.ts");
      return toJSONSchema(this.#schema as never, { io: "input" }) as JsonSchema;
    }
    throw new ToolError("unsupported", `The output schema of ${vendor} cannot be written as JSON Schema`, {
      hint: "Use a version of the library with `~standard.jsonSchema`, zod 4, or JSON Schema.",
    });
  }

  /** Reads the answer from the text of a reply. A fence around the JSON is ignored. Call `jsonSchema` first. */
  async read(text: string): Promise<ReadAnswer> {
    const value = tryParseJson(/^\s*```(?:json)?\n([\s\S]*)\n```\s*$/.exec(text)?.[1] ?? text);
    if (value === undefined) return { ok: false, problem: "it is not JSON" };
    const validated = await this.#validator!["~standard"].validate(value);
    if (validated.issues === undefined) return { ok: true, value: validated.value };
    return { ok: false, problem: validated.issues.slice(0, maxIssues).map(describeIssue).join("; ") };
  }
}

async function validatorOf(schema: OutputSchema): Promise<StandardSchema> {
  if (isStandard(schema)) return schema;
  const { fromJSONSchema } = await import("../lib/json/zod-json-schema.ts");
  try {
    return fromJSONSchema(schema as never) as unknown as StandardSchema;
  } catch (cause) {
    throw new ToolError("unsupported", `The output schema cannot be used: ${(cause as Error).message}`, {
      cause,
    });
  }
}

const maxIssues = 10;

/** The instruction to a model whose final answer must match a schema. */
export function outputNotice(schema: JsonSchema): string {
  return `[Your final answer to this message must be exactly one JSON value, without any other text, that matches this JSON Schema: ${JSON.stringify(schema)}]`;
}

export function retryNotice(problem: string): string {
  return `[Your final answer does not match the JSON Schema: ${problem}. Reply again with exactly one JSON value that matches it, without any other text.]`;
}

function isSchema(given: unknown): given is OutputSchema {
  // Schemas of arktype are functions.
  if (typeof given === "function") return isStandard(given as never);
  return isRecord(given) && (!("~standard" in given) || isStandard(given as never));
}

function isStandard(schema: OutputSchema): schema is StandardSchema {
  const standard = (schema as Partial<StandardSchema>)["~standard"];
  return typeof standard?.validate === "function";
}

function describeIssue({ message, path = [] }: Issue): string {
  const place = path.map((step) => String(typeof step === "object" ? step.key : step)).join(".");
  return place === "" ? message : `${place}: ${message}`;
}
