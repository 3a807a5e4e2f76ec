import * as z from "zod/mini";
import { ToolError } from "../contract/error.ts";
import type { InferSchema, JsonSchema, StandardSchema } from "../contract/schema.ts";
import { isSchema, readSchema, schemaHint, UnusableSchema } from "../lib/json/read-schema.ts";
import { tryParseJson } from "../lib/json/try-parse-json.ts";

/** The schema of a final answer: zod 4, another library with Standard Schema, or JSON Schema. */
export type OutputSchema = StandardSchema | JsonSchema;

/** The type of the answers that a schema accepts. */
export type OutputOf<Schema> = InferSchema<Schema>;

export type ReadAnswer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/** The form of a turn's final answer: JSON that matches a schema. */
export class AnswerSchema {
  readonly #given: OutputSchema;
  #schema: z.core.$ZodType | undefined;

  /** Throws `invalid-input` for something that is not a schema. */
  constructor(given: OutputSchema) {
    if (!isSchema(given))
      throw new ToolError("invalid-input", "The output is not a schema", { hint: schemaHint("output") });
    this.#given = given;
  }

  /** Returns the JSON Schema. Throws `unsupported` when a library cannot write one, or when it cannot be validated. */
  async jsonSchema(): Promise<JsonSchema> {
    try {
      this.#schema = await readSchema(this.#given, { use: "output" });
    } catch (cause) {
      if (!(cause instanceof UnusableSchema)) throw cause;
      throw new ToolError("unsupported", cause.message, { hint: cause.hint, cause });
    }
    return z.toJSONSchema(this.#schema, { io: "input" }) as JsonSchema;
  }

  /** Reads the answer from the text of a reply. A fence around the JSON is ignored. Call `jsonSchema` first. */
  async read(text: string): Promise<ReadAnswer> {
    const value = tryParseJson(/^\s*```(?:json)?\n([\s\S]*)\n```\s*$/.exec(text)?.[1] ?? text);
    if (value === undefined) return { ok: false, problem: "it is not JSON" };
    const parsed = await z.safeParseAsync(this.#schema!, value);
    if (parsed.success) return { ok: true, value: parsed.data };
    return { ok: false, problem: parsed.error.issues.slice(0, maxIssues).map(describeIssue).join("; ") };
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

function describeIssue({ message, path }: z.core.$ZodIssue): string {
  const place = path.map(String).join(".");
  return place === "" ? message : `${place}: ${message}`;
}
