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
    return shallow(JSON.parse(given));
  } catch (error) {
    return { ok: false, problem: `The arguments are not valid JSON: ${(error as Error).message}` };
  }
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
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
  }
  return { ok: true, value };
}

function holdsNull(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === null;
  return Object.values(value).some(holdsNull);
}
