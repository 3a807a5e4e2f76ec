import type { ToolDefinition } from "../dialects/definition.ts";
import { type ObjectSchema, objectSchema } from "./json-schema.ts";
import { freeformField } from "./openai.ts";
import { withoutNulls } from "./strict-schema.ts";

/** Arguments that can be read, or why they cannot. What a model did not say is never put in its mouth. */
export type ReadInput =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/** Arguments that came as JSON text; a tool that takes nothing is often given nothing, and some servers send them read. */
export function readArguments(given: unknown): ReadInput {
  if (given === undefined || given === null) return { ok: true, value: {} };
  if (typeof given !== "string") return shallow(given);
  if (given.trim() === "") return { ok: true, value: {} };
  try {
    const value = JSON.parse(given);
    const read = shallow(value);
    const twice = read.ok ? repeatedKey(given, value) : undefined;
    if (twice === undefined) return read;
    return { ok: false, problem: `The arguments have the key ${twice} twice: give each key once.` };
  } catch (error) {
    return { ok: false, problem: `The arguments are not valid JSON: ${(error as Error).message}` };
  }
}

/** Of a key that is there twice JSON.parse keeps the last: which one was meant is not ours to say. */
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

/** A string, and the colon behind it that makes it a key. */
const stringOfJson = /("[^"\\]*(?:\\.[^"\\]*)*")(?:\s*:)?/g;

function keysIn(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(keysIn)];
}

/** The arguments that the text of a call without JSON stands for. */
export function readFreeform(
  definition: ToolDefinition | undefined,
  { name, text }: { readonly name: string; readonly text: unknown },
): ReadInput {
  if (typeof text !== "string") return { ok: false, problem: "The call came without its text." };
  // A name that is not known is told so at the counter.
  if (definition === undefined) return { ok: true, value: {} };
  const { freeform } = shapeOf(definition);
  if (freeform === undefined) return { ok: false, problem: `${name} takes an object, not plain text.` };
  return { ok: true, value: { [freeform]: text } };
}

/** The arguments of a strict call without the nulls that strict mode made the model write. */
export function readStrict(definition: ToolDefinition | undefined, input: ReadInput): ReadInput {
  if (definition === undefined || !input.ok || !holdsNull(input.value)) return input;
  return { ok: true, value: withoutNulls(shapeOf(definition).schema, input.value) };
}

/** The field that takes the text of a tool that is written freely; undefined for all others. */
export function freeformFieldOf(definition: ToolDefinition): string | undefined {
  return shapeOf(definition).freeform;
}

interface Shape {
  readonly schema: ObjectSchema;
  readonly freeform: string | undefined;
}

/** Definitions are frozen, and calls are many. */
const shapes = new WeakMap<ToolDefinition, Shape>();

function shapeOf(definition: ToolDefinition): Shape {
  const known = shapes.get(definition);
  if (known) return known;
  const shape = { schema: objectSchema(definition.inputSchema), freeform: freeformField(definition) };
  shapes.set(definition, shape);
  return shape;
}

/** No tool takes what is nested deeper, and to walk through it could take more than there is. */
const maxDepth = 200;

function shallow(value: unknown): ReadInput {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth)
      return { ok: false, problem: `The arguments are nested deeper than ${maxDepth} levels.` };
    if (level.some((each) => typeof each === "string" && !each.isWellFormed()))
      return { ok: false, problem: "The arguments hold half a character: a surrogate that stands alone." };
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
  }
  return { ok: true, value };
}

function holdsNull(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === null;
  return Object.values(value).some(holdsNull);
}
