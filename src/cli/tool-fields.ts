import type { z } from "zod";
import { globalRegistry } from "zod/v4/core";
import { ToolError } from "../contract/error.ts";
import { nearest } from "../lib/text/nearest.ts";
import { attempt } from "../system/attempt.ts";
import type { AnyTool } from "../toolcrib/index.ts";
import { isFlag, splitFlag } from "./parse-arguments.ts";

/**
 * Reads `--key value` words as a tool's input, typed by its schema: `--hidden` and `--no-hidden` for a boolean, a
 * repeated flag for a list, NAME=VALUE for a record. One word without a flag is the main argument. The pipeline
 * validates the values.
 */
export function readFields(
  tool: string,
  words: readonly string[],
  schemas: FieldSchemas,
): Record<string, unknown> {
  const given = new Map<string, string[]>();
  const main = mainFieldOf(schemas);
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]!;
    if (!isFlag(word)) {
      if (main === undefined || given.has(main)) throw unexpectedWord(tool, word);
      given.set(main, [word]);
      continue;
    }
    const { flag, attached } = splitFlag(word);
    const { field, negated } = findField(tool, flag, schemas);
    const values = given.get(field) ?? [];
    given.set(field, values);
    if (isSwitch(schemas[field]!)) {
      const next = words[index + 1];
      const value = attached ?? (next === "true" || next === "false" ? next : undefined);
      if (attached === undefined && value !== undefined) index += 1;
      values.push(negated ? "false" : (value ?? "true"));
    } else {
      if (attached === undefined) index += 1;
      const value = attached ?? words[index];
      if (value === undefined) throw new ToolError("invalid-input", `${flag} needs a value`, seeHelp(tool));
      values.push(value);
    }
  }
  const entries = [...given].map(([field, values]) => [
    field,
    readValue(tool, field, values, schemas[field]!),
  ]);
  return Object.fromEntries(entries);
}

function unexpectedWord(tool: string, word: string): ToolError {
  return new ToolError("invalid-input", `Unexpected argument: ${word}`, {
    hint: `Put text with spaces in quotes, or write --key value for each argument. See: toolcrib help ${tool}`,
  });
}

/**
 * Returns the argument that needs no flag: the only required one, the path among several required ones, or the first one
 * when none is required. It must be a text.
 */
export function mainFieldOf(schemas: FieldSchemas): string | undefined {
  const fields = Object.entries(schemas);
  const required = fields.filter(([, { required }]) => required);
  const [field, schema] = (required.length === 0 ? fields : required)[0] ?? [];
  if (required.length > 1 && field !== "path") return undefined;
  return schema?.types.includes("string") ? field : undefined;
}

/** Returns the flag of a field: `--max-results`. */
export function flagOf(field: string): string {
  return `--${field.replaceAll("_", "-")}`;
}

/** Returns whether a field is a boolean, whose flag takes no value. */
export function isSwitch({ types }: FieldSchema): boolean {
  return types.every((type) => type === "boolean");
}

function findField(tool: string, flag: string, schemas: FieldSchemas): { field: string; negated: boolean } {
  const fields = Object.keys(schemas);
  const named = (wanted: string) =>
    fields.find((field) => wanted === `--${field}` || wanted === flagOf(field));
  const field = named(flag);
  if (field !== undefined) return { field, negated: false };
  const negated = flag.startsWith("--no-") ? named(`--${flag.slice("--no-".length)}`) : undefined;
  if (negated !== undefined && isSwitch(schemas[negated]!)) return { field: negated, negated: true };
  const near = nearest(flag, fields.map(flagOf));
  throw new ToolError("invalid-input", `${tool} has no argument ${flag}`, {
    hint: near ? `Did you mean ${near}?` : seeHelp(tool).hint,
  });
}

function readValue(tool: string, field: string, texts: readonly string[], schema: FieldSchema): unknown {
  const { types, items } = schema;
  if (types.includes("record")) return readRecord(texts);
  if (items && (texts.length > 1 || types.length === 1)) {
    const values = texts.map((text) => readOne(text, items.types));
    // Objects come one per flag, or all in one list.
    return items.types.includes("object") ? values.flat() : values;
  }
  if (texts.length > 1) {
    const message = `${flagOf(field)} takes one value, but was given ${texts.length} times`;
    throw new ToolError("invalid-input", message, seeHelp(tool));
  }
  return readOne(texts[0]!, types);
}

/** Reads repeated NAME=VALUE, or one JSON object. */
function readRecord(texts: readonly string[]): unknown {
  const [first = ""] = texts;
  if (texts.length === 1 && first.trimStart().startsWith("{")) return readOne(first, ["object"]);
  const pairs = texts.map((text) => /^([^=]+)=(.*)$/s.exec(text));
  return pairs.every((pair) => pair !== null)
    ? Object.fromEntries(pairs.map(([, name, value]) => [name, value]))
    : first;
}

/** Reads one value. A value of the wrong type stays text, so that the pipeline's error names the right type. */
function readOne(text: string, types: readonly string[]): unknown {
  if (types.includes("number") && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  if (types.includes("boolean") && (text === "true" || text === "false")) return text === "true";
  if (types.includes("string")) return text;
  const isJson = types.includes("object") || types.includes("array");
  const parsed = isJson ? attempt(() => ({ value: JSON.parse(text) })) : undefined;
  return parsed ? parsed.value : text;
}

function seeHelp(tool: string): { readonly hint: string } {
  return { hint: `See: toolcrib help ${tool}` };
}

/** One argument of a tool. */
export interface FieldSchema {
  /** The possible types: "string", "number", "boolean", "array", "object" and similar. */
  readonly types: readonly string[];
  readonly choices?: readonly unknown[];
  /** The type of the items of a list. */
  readonly items?: FieldSchema | undefined;
  readonly description?: string | undefined;
  readonly required: boolean;
}

export type FieldSchemas = Readonly<Record<string, FieldSchema>>;

/**
 * Returns the arguments of a tool by name, read from its zod schema, because converting to JSON Schema takes a tenth of
 * the start time.
 */
export function fieldSchemasOf(tool: Pick<AnyTool, "input">): FieldSchemas {
  const fields = Object.entries(shapeOf(tool.input)).map(([name, schema]) => [name, fieldSchema(schema)]);
  return Object.fromEntries(fields);
}

/** The parts of a zod definition that are needed here. */
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

/** Returns the input side of a dialect's schema: its own field names. */
function shapeOf(schema: z.core.$ZodType): NonNullable<Definition["shape"]> {
  const { shape, in: taken } = definitionOf(schema);
  return shape ?? (taken ? shapeOf(taken) : {});
}

function fieldSchema(schema: z.core.$ZodType): FieldSchema {
  const { innerType, in: taken, ...definition } = definitionOf(schema);
  const wrapped = innerType ?? taken;
  const inner: Omit<FieldSchema, "required"> = wrapped ? fieldSchema(wrapped) : valuesOf(definition);
  const description = globalRegistry.get(schema)?.description ?? inner.description;
  return { ...inner, description, required: schema._zod.optin === undefined };
}

function valuesOf({ type, element, options, entries, values }: Definition): Omit<FieldSchema, "required"> {
  if (options) {
    const alternatives = options.map(fieldSchema);
    const items = alternatives.find((alternative) => alternative.items)?.items;
    return { types: alternatives.flatMap(({ types }) => types), items };
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
