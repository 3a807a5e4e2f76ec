import type { ToolDefinition } from "../dialects/definition.ts";
import { oncePerObject } from "../lib/once-per-object.ts";
import { objectSchema } from "./json-schema.ts";
import { freeformField } from "./openai.ts";
import { withoutNulls } from "./strict-schema.ts";

/** Arguments, or why they cannot be read. They are never guessed. */
export type ReadInput =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/** Reads arguments as JSON text. No text means no arguments; some servers send them parsed. */
export function readArguments(given: unknown): ReadInput {
  if (given === undefined || given === null) return { ok: true, value: {} };
  if (typeof given !== "string") return checkValues(given);
  if (given.trim() === "") return { ok: true, value: {} };
  try {
    const value = JSON.parse(given);
    const read = checkValues(value);
    const twice = read.ok ? repeatedKey(given, value) : undefined;
    if (twice === undefined) return read;
    return { ok: false, problem: `The arguments have the key ${twice} twice. Write each key once.` };
  } catch (error) {
    return { ok: false, problem: `The arguments are not valid JSON: ${(error as Error).message}` };
  }
}

/** Finds a duplicate key. JSON.parse would keep the last of its values, which may be the wrong one. */
function repeatedKey(text: string, value: unknown): string | undefined {
  const written = [...text.matchAll(stringOfJson)].flatMap(([token, key]) => (token === key ? [] : [key!]));
  const kept = keysIn(value);
  if (written.length === kept.length) return undefined;
  const left = new Map<string, number>();
  for (const key of kept) left.set(key, (left.get(key) ?? 0) + 1);
  return written.find((key) => {
    const count = (left.get(JSON.parse(key)) ?? 0) - 1;
    left.set(JSON.parse(key), count);
    return count < 0;
  });
}

/** Matches a string, and the colon that makes it a key. */
const stringOfJson = /("[^"\\]*(?:\\.[^"\\]*)*")(?:\s*:)?/g;

function keysIn(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(keysIn)];
}

/** Returns the arguments for the plain text of a freeform call. */
export function readFreeform(
  definition: ToolDefinition | undefined,
  { name, text }: { readonly name: string; readonly text: unknown },
): ReadInput {
  if (typeof text !== "string") return { ok: false, problem: "The call has no text." };
  // The pipeline reports unknown names.
  if (definition === undefined) return { ok: true, value: {} };
  const { freeform } = shapeOf(definition);
  if (freeform === undefined) return { ok: false, problem: `${name} takes an object, not plain text.` };
  return { ok: true, value: { [freeform]: text } };
}

/** Returns the arguments of a strict call, without the nulls that strict mode requires. */
export function readStrict(definition: ToolDefinition | undefined, input: ReadInput): ReadInput {
  if (definition === undefined || !input.ok || !holdsNull(input.value)) return input;
  return { ok: true, value: withoutNulls(shapeOf(definition).schema, input.value) };
}

/** Returns the text field of a freeform tool; undefined for all others. */
export function freeformFieldOf(definition: ToolDefinition): string | undefined {
  return shapeOf(definition).freeform;
}

const shapeOf = oncePerObject((definition: ToolDefinition) => ({
  schema: objectSchema(definition.inputSchema),
  freeform: freeformField(definition),
}));

/** No tool takes deeper arguments, and walking them could exhaust memory. */
const maxDepth = 200;

function checkValues(value: unknown): ReadInput {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth)
      return { ok: false, problem: `The arguments are nested deeper than ${maxDepth} levels.` };
    if (level.some((each) => typeof each === "string" && !each.isWellFormed()))
      return { ok: false, problem: "The arguments contain a lone surrogate, which is half a character." };
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
  }
  return { ok: true, value };
}

function holdsNull(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === null;
  return Object.values(value).some(holdsNull);
}
