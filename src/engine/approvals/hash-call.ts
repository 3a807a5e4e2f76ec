import { contentHash } from "../../lib/bytes/content-hash.ts";

/** Returns a SHA-256 that does not depend on the order of properties. */
export function hashValue(value: unknown): string {
  return contentHash(Buffer.from(JSON.stringify(canonical(value))));
}

/** Adds the type to values that JSON would write alike. */
function canonical(value: unknown): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "object":
      return value === null ? null : canonicalObject(value);
    default:
      return [typeof value, String(value)];
  }
}

function canonicalObject(value: object): unknown {
  if (Array.isArray(value)) return ["list", value.map(canonical)];
  if (value instanceof Uint8Array) return ["bytes", contentHash(value)];
  if (value instanceof Set) return ["Set", [...value].map(canonical)];
  // Dates and URLs have no own properties to compare.
  if ("toJSON" in value && typeof value.toJSON === "function")
    return [nameOf(value), canonical(value.toJSON())];
  const entries: [string, unknown][] =
    value instanceof Map
      ? [...value].map(([key, item]) => [JSON.stringify(canonical(key)), item])
      : Object.entries(value);
  const sorted = entries.sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
  return [nameOf(value), sorted.map(([key, item]) => [key, canonical(item)])];
}

function nameOf(value: object): string {
  return value.constructor?.name ?? "Object";
}
