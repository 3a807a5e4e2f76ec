import { isRecord } from "../../../lib/is-record.ts";
import type { Schema } from "./repair-schema.ts";

/** The type, or types, as JSON Schema spells them; undefined for any. What is not said is told by what else is. */
export function legalTypes(given: Schema): string | readonly string[] | undefined {
  const { type } = given;
  const said = (Array.isArray(type) ? type : [type]).flatMap((one) =>
    typeof one === "string" ? (spellings.get(one.toLowerCase()) ?? []) : one === null ? ["null"] : [],
  );
  const types = [...new Set(said)];
  if (given.nullable === true && types.length > 0 && !types.includes("null")) types.push("null");
  if (types.length > 0) return types.length === 1 ? types[0] : types;
  if (type !== undefined) return undefined;
  if (isRecord(given.properties)) return "object";
  return given.items !== undefined || given.prefixItems !== undefined ? "array" : undefined;
}

/** "any" is all of them, which is the same as none. */
const spellings: ReadonlyMap<string, string> = new Map([
  ["string", "string"],
  ["str", "string"],
  ["text", "string"],
  ["number", "number"],
  ["float", "number"],
  ["double", "number"],
  ["decimal", "number"],
  ["integer", "integer"],
  ["int", "integer"],
  ["long", "integer"],
  ["boolean", "boolean"],
  ["bool", "boolean"],
  ["array", "array"],
  ["list", "array"],
  ["tuple", "array"],
  ["object", "object"],
  ["dict", "object"],
  ["map", "object"],
  ["null", "null"],
  ["none", "null"],
]);
