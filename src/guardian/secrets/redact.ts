import { findSecrets } from "./find-secrets.ts";
import { fitsName, kindOfName } from "./named-values.ts";

/** Stands where a secret was. */
export function markOf(kind: string): string {
  return `[redacted: ${kind}]`;
}

/** A text without what looks like a secret in it; `found` hears what each was. Line stays line. */
export function redactText(text: string, found: (kind: string) => void = ignore): string {
  const secrets = findSecrets(text);
  if (secrets.length === 0) return text;
  let redacted = "";
  let at = 0;
  for (const { kind, start, end, continues } of secrets) {
    redacted += text.slice(at, start) + markOf(kind);
    at = end;
    if (!continues) found(kind);
  }
  return redacted + text.slice(at);
}

/**
 * The same for every string in a value, also for one that is secret by the name of its property. What has no secret in
 * it is given back as it is, the same object.
 */
export function redactValue<Value>(value: Value, found: (kind: string) => void = ignore): Value {
  return redactPart(value, found, []) as Value;
}

function redactPart(value: unknown, found: (kind: string) => void, inside: readonly object[]): unknown {
  if (typeof value === "string") return redactText(value, found);
  if (typeof value !== "object" || value === null || inside.includes(value)) return value;
  const within = [...inside, value];
  if (Array.isArray(value)) return redactItems(value, found, within);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return redactProperties(value, found, within);
}

function redactItems(
  items: readonly unknown[],
  found: (kind: string) => void,
  inside: readonly object[],
): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < items.length; index += 1) {
    const redacted = redactPart(items[index], found, inside);
    if (redacted === items[index]) continue;
    copy ??= [...items];
    copy[index] = redacted;
  }
  return copy ?? items;
}

function redactProperties(object: object, found: (kind: string) => void, inside: readonly object[]): object {
  let copy: object | undefined;
  for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(object))) {
    // What is worked out when it is looked at stays so.
    if (!("value" in property)) continue;
    const { value } = property;
    const kind = typeof value === "string" ? kindOfName(key) : undefined;
    const isSecret = kind !== undefined && fitsName(kind, value);
    const redacted = isSecret ? markOf(kind) : redactPart(value, found, inside);
    if (redacted === value) continue;
    if (isSecret) found(kind);
    copy ??= Object.create(Object.getPrototypeOf(object), Object.getOwnPropertyDescriptors(object)) as object;
    Object.defineProperty(copy, key, { ...property, value: redacted });
  }
  return copy ?? object;
}

function ignore(): void {}
