import { ToolError } from "../../../contract/error.ts";
import { isRecord } from "../../../lib/json/is-record.ts";
import { attempt } from "../../../system/attempt.ts";
import { cleanText } from "../clean-text.ts";

/** An object schema without references, in draft 2020-12, which every provider accepts. */
export interface ObjectSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly description?: string;
}

export type Schema = Readonly<Record<string, unknown>>;

/**
 * Turns the input schema of another server's tool into one that providers accept. The result may be wider, because the
 * server validates too. Throws when the arguments could not be passed at all.
 */
export function repairSchema(given: unknown): ObjectSchema {
  const work: Work = { root: given, nodes: 0, chars: maxWork };
  if (!mayRead(given, work)) throw unusable("its input schema is too large or nested too deeply");
  const root = repair(given, work, []);
  const joined = joinChoices(root);
  if (joined.type !== undefined && joined.type !== "object")
    throw unusable(`its input is not an object, but ${JSON.stringify(joined.type)}`);
  const schema = closeObject(joined);
  const size = JSON.stringify(schema).length;
  if (size > maxChars) throw unusable(`its input schema has ${size} characters; the limit is ${maxChars}`);
  return schema;
}

interface Work {
  readonly root: unknown;
  nodes: number;
  /** How many characters may still be read. References can multiply a small schema. */
  chars: number;
}

/** Returns whether the part fits into the limit. After the first part that does not, no other part does. */
function mayRead(part: unknown, work: Work): boolean {
  work.chars = Math.max(-1, work.chars - weightOf(part, work.chars));
  return work.chars >= 0;
}

const maxChars = 64 * 1024;
const maxWork = 1024 * 1024;
const maxNodes = 2_000;
const maxDepth = 16;
const maxDescription = 600;

/** `above`: the enclosing references, to stop at a cycle. */
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
    // An alternative that accepts anything makes the others irrelevant.
    const isOpen = key !== "allOf" && kept.some((one) => Object.keys(one).length === 0);
    return kept.length === 0 || isOpen ? [] : [[key, kept]];
  });
  return {
    ...(type !== undefined && { type }),
    ...describe(given),
    ...keepKeywords(given),
    ...properties,
    ...repairItems(given, type, each),
    ...Object.fromEntries(choices),
  };
}

function followed($ref: string, given: Schema, work: Work, above: readonly string[]): Schema {
  const { $ref: _, ...siblings } = given;
  if (above.includes($ref)) return { ...describe(given) };
  if (!mayRead($ref, work)) return {};
  const target = resolveReference(work.root, $ref);
  if (!mayRead(target, work)) return {};
  const found = repair(target, work, [...above, $ref]);
  return { ...found, ...describe(siblings) };
}

function describe({ description }: Schema): { readonly description?: string } {
  const text = cleanText(description, maxDescription);
  return text === "" ? {} : { description: text };
}

function repairProperties(given: Schema, each: (value: unknown) => Schema): Schema {
  const { additionalProperties: more } = given;
  const additional = {
    ...(typeof more === "boolean" && { additionalProperties: more }),
    ...(isRecord(more) && { additionalProperties: each(more) }),
  };
  if (!isRecord(given.properties)) return additional;
  const entries = Object.entries(given.properties).filter(([, value]) => value !== false);
  // Draft 3 marks each property; later drafts have a list.
  const own = entries.filter(([, value]) => isRecord(value) && value.required === true).map(([key]) => key);
  const listed = Array.isArray(given.required) ? given.required.filter((key) => typeof key === "string") : [];
  const required = new Set([...listed, ...own]);
  const named = new Map(entries.map(([key, value]) => [key, each(value)] as const));
  for (const key of required) if (!named.has(key)) named.set(key, {});
  const illegal = [...named.keys()].filter((key) => !legalProperty.test(key) || key === "__proto__");
  const needed = illegal.find((key) => required.has(key));
  if (needed !== undefined)
    throw unusable(
      `providers refuse the name of a required argument: ${JSON.stringify(needed.slice(0, 80))}`,
    );
  for (const key of illegal) named.delete(key);
  return {
    properties: Object.fromEntries(named),
    ...(required.size > 0 && { required: [...required] }),
    ...additional,
  };
}

const legalProperty = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Providers require `items`, and do not support tuples. */
function repairItems(given: Schema, type: unknown, each: (value: unknown) => Schema): Schema {
  const isList = type === "array" || (Array.isArray(type) && type.includes("array"));
  const tuple = [given.prefixItems, given.items].find(Array.isArray);
  if (tuple) {
    const kinds = tuple.map(each).filter((one) => Object.keys(one).length > 0);
    return { items: kinds.length === tuple.length ? { anyOf: kinds } : {} };
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

/**
 * Merges the alternatives at the top, which providers refuse. A property is required when every alternative requires
 * it.
 */
function joinChoices(root: Schema): Schema {
  const { anyOf, oneOf, allOf, ...own } = root;
  const of = (list: unknown) => (Array.isArray(list) ? list.filter(isRecord).map(joinChoices) : []);
  const all = [own as Schema, ...of(allOf)];
  const choices = [of(anyOf), of(oneOf)];
  const parts = [...all, ...choices.flat()];
  if (parts.length === 1) return own;
  const needed = [
    ...all.flatMap(requiredOf),
    ...choices.flatMap(([first = {}, ...others]) => {
      const lists = others.map((other) => new Set(requiredOf(other)));
      return requiredOf(first).filter((key) => lists.every((list) => list.has(key)));
    }),
  ];
  const objects = parts.filter(({ type, properties }) => type === "object" || properties !== undefined);
  const others = parts.filter(({ type }) => type !== undefined && type !== "object");
  const type = objects.length > 0 || others.length === 0 ? "object" : others[0]!.type;
  const required = [...new Set(needed)];
  return {
    ...own,
    type,
    properties: Object.assign({}, ...parts.toReversed().map(({ properties }) => properties)),
    ...(required.length > 0 && { required }),
    // A property that one alternative forbids may be allowed by another.
    ...(own.additionalProperties === false && { additionalProperties: true }),
  };
}

function requiredOf({ required }: Schema): readonly string[] {
  return Array.isArray(required) ? required : [];
}

/** Returns the valid plain keywords of a schema. Dropping the others only makes it wider. */
function keepKeywords(given: Schema): Schema {
  const kept = Object.entries(given).flatMap(([key, value]): [string, unknown][] => {
    if (numbers.has(key)) return typeof value === "number" && Number.isFinite(value) ? [[key, value]] : [];
    if (sizes.has(key)) return Number.isSafeInteger(value) && (value as number) >= 0 ? [[key, value]] : [];
    if (values.has(key)) return isSmall(value) ? [[key, value]] : [];
    switch (key) {
      case "enum":
        return Array.isArray(value) && value.length > 0 && isSmall(value, maxChoices) ? [[key, value]] : [];
      case "pattern":
        return typeof value === "string" && isPattern(value) ? [[key, value]] : [];
      case "format":
        return typeof value === "string" ? [[key, cleanText(value, 40)]] : [];
      case "title":
        return typeof value === "string" ? [[key, cleanText(value, 100)]] : [];
      case "uniqueItems":
        return typeof value === "boolean" ? [[key, value]] : [];
      case "divisibleBy":
        return typeof value === "number" && value > 0 ? [["multipleOf", value]] : [];
      default:
        return [];
    }
  });
  return oldBounds(given, Object.fromEntries(kept));
}

const numbers = new Set(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]);
const sizes = new Set(["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"]);
const values = new Set(["default", "const"]);
const maxChoices = 10_000;

/** Converts bounds of draft 4, in which `exclusiveMinimum: true` modifies `minimum`. */
function oldBounds(given: Schema, kept: Record<string, unknown>): Schema {
  for (const [flag, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (given[flag] !== true || kept[bound] === undefined) continue;
    kept[flag] = kept[bound];
    delete kept[bound];
  }
  return kept;
}

function isSmall(value: unknown, maxChars = 1_000): boolean {
  return (JSON.stringify(value)?.length ?? 0) <= maxChars;
}

function isPattern(text: string): boolean {
  return text.length <= 500 && attempt(() => new RegExp(text, "u")) !== undefined;
}

/** Returns the types in JSON Schema's spelling; undefined for any. Infers a missing type from other keywords. */
function legalTypes(given: Schema): string | readonly string[] | undefined {
  const { type } = given;
  const spelled = (Array.isArray(type) ? type : [type]).flatMap((one) =>
    typeof one === "string" ? (spellings.get(one.toLowerCase()) ?? []) : one === null ? ["null"] : [],
  );
  const types = [...new Set(spelled)];
  if (given.nullable === true && types.length > 0 && !types.includes("null")) types.push("null");
  if (types.length > 0) return types.length === 1 ? types[0] : types;
  if (type !== undefined) return undefined;
  if (isRecord(given.properties)) return "object";
  return given.items !== undefined || given.prefixItems !== undefined ? "array" : undefined;
}

/** Other spellings of types. "any" is missing, because it is the same as no type. */
const spellings: ReadonlyMap<string, string> = new Map(
  [
    "string str text",
    "number float double decimal",
    "integer int long",
    "boolean bool",
    "array list tuple",
    "object dict map",
    "null none",
  ].flatMap((line) => line.split(" ").map((spelling, _, [type]) => [spelling, type!] as const)),
);

/** Resolves "#/…" within a schema; undefined when it is missing, or in another document. */
function resolveReference(root: unknown, reference: string): unknown {
  if (!reference.startsWith("#")) return undefined;
  const pointer = reference.slice(1);
  if (pointer === "" || pointer === "/") return root;
  if (!pointer.startsWith("/")) return undefined;
  let at: unknown = root;
  for (const part of pointer.slice(1).split("/")) {
    const decoded = attempt(() => decodeURIComponent(part)) ?? part;
    const key = decoded.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

/** Estimates the size of a value as JSON without serializing it; infinite above `max`, or when it is nested too deeply. */
export function weightOf(value: unknown, max: number): number {
  let weight = 0;
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const inside: unknown[] = [];
    for (const one of level) {
      weight += 2;
      if (typeof one === "string") weight += one.length;
      if (typeof one !== "object" || one === null) continue;
      const entries: readonly unknown[] = Array.isArray(one) ? one : Object.values(one);
      weight += entries.length;
      if (!Array.isArray(one)) for (const key of Object.keys(one)) weight += key.length + 3;
      if (weight > max) return Number.POSITIVE_INFINITY;
      for (const entry of entries) inside.push(entry);
    }
    if (depth >= maxWeighedDepth) return Number.POSITIVE_INFINITY;
    level = inside;
  }
  return weight > max ? Number.POSITIVE_INFINITY : weight;
}

const maxWeighedDepth = 500;
