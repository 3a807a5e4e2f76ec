import { ToolError } from "../../../contract/error.ts";
import { isRecord } from "../../../lib/is-record.ts";
import { cleanWords } from "../words/clean-words.ts";
import { joinChoices } from "./join-choices.ts";
import { keepKeywords } from "./keywords.ts";
import { legalTypes } from "./legal-types.ts";
import { resolveReference } from "./resolve-reference.ts";
import { weightOf } from "./weight-of.ts";

/** A schema as every provider takes it: an object, without references, in the words of draft 2020-12. */
export interface ObjectSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly description?: string;
}

export type Schema = Readonly<Record<string, unknown>>;

/**
 * What another server says its tool takes, in a form that providers take. Whatever is left out on the way only makes it
 * wider: the server still judges its arguments itself. Throws where the arguments could not be given at all.
 */
export function repairSchema(given: unknown): ObjectSchema {
  const work: Work = { root: given, nodes: 0, chars: maxWork };
  if (!mayRead(given, work)) throw unusable("its input schema is too large or too deep to be read");
  const root = repair(given, work, []);
  const joined = joinChoices(root);
  if (joined.type !== undefined && joined.type !== "object")
    throw unusable(`its input is no object, but ${JSON.stringify(joined.type)}`);
  const schema = closeObject(joined);
  const size = JSON.stringify(schema).length;
  if (size > maxChars)
    throw unusable(`its input schema has ${size} characters, at most ${maxChars} are taken`);
  return schema;
}

interface Work {
  readonly root: unknown;
  nodes: number;
  /** How much may still be read: references make much of little. */
  chars: number;
}

/** Once too much was wanted, nothing more is read. */
function mayRead(part: unknown, work: Work): boolean {
  work.chars = Math.max(-1, work.chars - weightOf(part, work.chars));
  return work.chars >= 0;
}

const maxChars = 64 * 1024;
const maxWork = 1024 * 1024;
const maxNodes = 2_000;
const maxDepth = 16;
const maxDescription = 600;

/** `above`: the references that lead here, so that one that leads back to itself ends. */
function repair(given: unknown, work: Work, above: readonly string[]): Schema {
  work.nodes += 1;
  if (!isRecord(given) || work.nodes > maxNodes || above.length > maxDepth) return {};
  const { $ref } = given;
  if (typeof $ref === "string") return followed($ref, given, work, above);
  const inside = [...above, ""];
  const each = (value: unknown) => repair(value, work, inside);
  const type = legalTypes(given);
  const properties = repairProperties(given, each);
  const choices = ["anyOf", "oneOf", "allOf"].flatMap((key) => {
    const list = given[key];
    if (!Array.isArray(list)) return [];
    const kept = list.filter((one) => one !== false).map(each);
    // "Anything" among others is no choice.
    const isOpen = key !== "allOf" && kept.some((one) => Object.keys(one).length === 0);
    return kept.length === 0 || isOpen ? [] : [[key, kept]];
  });
  return {
    ...(type !== undefined && { type }),
    ...describe(given),
    ...keepKeywords(given),
    ...(properties ?? {}),
    ...repairItems(given, type, each),
    ...Object.fromEntries(choices),
  };
}

function followed($ref: string, given: Schema, work: Work, above: readonly string[]): Schema {
  const { $ref: _, ...beside } = given;
  if (above.includes($ref)) return { ...describe(given) };
  if (!mayRead($ref, work)) return {};
  const target = resolveReference(work.root, $ref);
  if (!mayRead(target, work)) return {};
  const found = repair(target, work, [...above, $ref]);
  return { ...found, ...describe(beside) };
}

function describe({ description }: Schema): { readonly description?: string } {
  const words = cleanWords(description, maxDescription);
  return words === "" ? {} : { description: words };
}

function repairProperties(given: Schema, each: (value: unknown) => Schema): Schema | undefined {
  if (!isRecord(given.properties)) {
    return isRecord(given.additionalProperties)
      ? { additionalProperties: each(given.additionalProperties) }
      : typeof given.additionalProperties === "boolean"
        ? { additionalProperties: given.additionalProperties }
        : undefined;
  }
  const entries = Object.entries(given.properties).filter(([, value]) => value !== false);
  // Draft 3 says it of each property, the others in a list.
  const own = entries.filter(([, value]) => isRecord(value) && value.required === true).map(([key]) => key);
  const listed = Array.isArray(given.required) ? given.required.filter((key) => typeof key === "string") : [];
  const required = new Set([...listed, ...own]);
  const named = new Map(entries.map(([key, value]) => [key, each(value)] as const));
  for (const key of required) if (!named.has(key)) named.set(key, {});
  const illegal = [...named.keys()].filter((key) => !legalProperty.test(key) || key === "__proto__");
  const needed = illegal.find((key) => required.has(key));
  if (needed !== undefined)
    throw unusable(`it needs an argument that providers cannot name: ${JSON.stringify(needed.slice(0, 80))}`);
  for (const key of illegal) named.delete(key);
  const { additionalProperties: more } = given;
  return {
    properties: Object.fromEntries(named),
    ...(required.size > 0 && { required: [...required] }),
    ...(typeof more === "boolean" && { additionalProperties: more }),
    ...(isRecord(more) && { additionalProperties: each(more) }),
  };
}

const legalProperty = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Providers want to know what is in a list, and know no lists whose places differ. */
function repairItems(given: Schema, type: unknown, each: (value: unknown) => Schema): Schema {
  const isList = type === "array" || (Array.isArray(type) && type.includes("array"));
  const places = [given.prefixItems, given.items].find(Array.isArray);
  if (places) {
    const kinds = places.map(each).filter((one) => Object.keys(one).length > 0);
    return { items: kinds.length === places.length ? { anyOf: kinds } : {} };
  }
  if (isRecord(given.items)) return { items: each(given.items) };
  return isList ? { items: {} } : {};
}

function closeObject(joined: Schema): ObjectSchema {
  const { properties = {}, required, additionalProperties, description } = joined as Partial<ObjectSchema>;
  return {
    type: "object",
    properties,
    ...(required && required.length > 0 && { required }),
    ...(additionalProperties !== undefined && { additionalProperties }),
    ...(description !== undefined && { description }),
  };
}

function unusable(why: string): ToolError {
  return new ToolError("unsupported", why);
}
