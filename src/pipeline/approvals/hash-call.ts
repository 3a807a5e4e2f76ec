import type { SandboxLevel } from "../../contract/account.ts";
import { contentHash } from "../../lib/content-hash.ts";

/** All that an approval is bound to. */
export interface ApprovedCall {
  readonly tool: string;
  readonly input: unknown;
  /** What the paths that it names lead to. */
  readonly realPaths: ReadonlyMap<string, string>;
  readonly directory: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly sandbox: SandboxLevel;
  /** What earlier commands left in the shells that it uses. */
  readonly shells: unknown;
  /** What stands in the programs and scripts that it runs. */
  readonly filesRun: ReadonlyMap<string, string>;
}

/** SHA-256 that is the same for the same call, in whatever order its fields were given. */
export function hashCall(call: ApprovedCall): string {
  return hashValue(call);
}

export function hashValue(value: unknown): string {
  return contentHash(Buffer.from(JSON.stringify(canonical(value))));
}

/** Values that JSON would confuse bear the name of their kind. */
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
  // Dates and addresses have no properties of their own that could be told apart.
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
