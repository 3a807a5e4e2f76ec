import { findSecrets, findSecretsInTurns } from "../../lib/secrets/find-secrets.ts";
import { fitsName } from "../../lib/secrets/named-values.ts";
import { markOf, type Secret } from "../../lib/secrets/secret.ts";
import { kindOfName } from "../../lib/secrets/secret-names.ts";

/** Replaces text that looks like a secret, and calls `found` with the kind of each. Keeps the line structure. */
export function redactText(text: string, found: (kind: string) => void = ignore): string {
  return replaceSecrets(text, findSecrets(text), found);
}

/** Does the same as `redactValue`, but lets the rest of the program run while it searches long values. */
export async function redactInTurns<Value>(
  value: Value,
  found: (kind: string) => void = ignore,
): Promise<Value> {
  if (leftOf(shortLength, value) >= 0) return redactValue(value, found);
  const texts = new Set<string>();
  collectTexts(value, texts, []);
  const known = new Map<string, readonly Secret[]>();
  for (const text of texts) known.set(text, await findSecretsInTurns(text));
  const redact: Redact = (text, found) => replaceSecrets(text, known.get(text) ?? findSecrets(text), found);
  return redactPart(value, found, [], redact) as Value;
}

/** The length of text whose search takes a few milliseconds at most. */
const shortLength = 32 * 1024;

/** Subtracts the length of all texts in a value, and 1 for other parts, from `length`. Stops below 0, and at depth 50. */
function leftOf(length: number, value: unknown, depth = 0): number {
  if (typeof value === "string") return length - value.length;
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return length - 1;
  if (depth === 50) return -1;
  let left = length - 1;
  if (Array.isArray(value))
    for (let index = 0; index < value.length && left >= 0; index += 1)
      left = leftOf(left, value[index], depth + 1);
  else
    for (const key of Object.keys(value)) {
      // A getter is not called.
      if (left >= 0) left = leftOf(left, Object.getOwnPropertyDescriptor(value, key)!.value, depth + 1);
    }
  return left;
}

function collectTexts(value: unknown, texts: Set<string>, inside: readonly object[]): void {
  if (typeof value === "string") texts.add(value);
  if (typeof value !== "object" || value === null || inside.includes(value) || ArrayBuffer.isView(value))
    return;
  const within = [...inside, value];
  if (Array.isArray(value)) for (const item of value) collectTexts(item, texts, within);
  else
    for (const key of Object.keys(value))
      collectTexts(Object.getOwnPropertyDescriptor(value, key)?.value, texts, within);
}

type Redact = (text: string, found: (kind: string) => void) => string;

function replaceSecrets(text: string, secrets: readonly Secret[], found: (kind: string) => void): string {
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
 * Redacts a value that the user is asked about. A secret ends before anything that could run: what looks like a password
 * must not hide a command.
 */
export function redactAsked<Value>(value: Value): Value {
  return redactPart(value, ignore, [], (text) =>
    replaceSecrets(text, secretsBeforeCode(text), ignore),
  ) as Value;
}

function secretsBeforeCode(text: string): readonly Secret[] {
  return findSecrets(text).flatMap((secret) => {
    const length = text.slice(secret.start, secret.end).search(/[`;&|<>()]/);
    if (length < 0) return [secret];
    return length === 0 ? [] : [{ ...secret, end: secret.start + length }];
  });
}

/** Redacts every string in a value. Returns the same object if there are no secrets, unless it has getters. */
export function redactValue<Value>(value: Value, found: (kind: string) => void = ignore): Value {
  return redactPart(value, found, []) as Value;
}

/** Redacts a named text, which may be secret as a whole because of its name. */
function redactNamedText(
  text: string,
  name: string,
  found: (kind: string) => void = ignore,
  redact: Redact = redactText,
): string {
  const kind = kindOfName(name);
  if (kind === undefined || !fitsName(kind, text)) return redact(text, found);
  found(kind);
  return markOf(kind);
}

/** Returns a function that does the same as `redactNamedText`, and remembers short texts without secrets. */
export function redactionOfRecords(): (text: string, name: string) => string {
  const clean = new Set<string>();
  return (text, name) => {
    if (name.length + text.length > longestRepeated) return redactNamedText(text, name);
    // The length of the name, because both may contain any character.
    const key = `${name.length} ${name}${text}`;
    if (clean.has(key)) return text;
    const redacted = redactNamedText(text, name);
    if (redacted !== text) return redacted;
    if (clean.size >= maxRemembered) clean.clear();
    clean.add(key);
    return redacted;
  };
}

/** Tools, rules and reasons, which most records repeat, are shorter. */
const longestRepeated = 200;
const maxRemembered = 1_000;

function redactPart(
  value: unknown,
  found: (kind: string) => void,
  inside: readonly object[],
  redact: Redact = redactText,
): unknown {
  if (typeof value === "string") return redact(value, found);
  if (typeof value !== "object" || value === null || inside.includes(value)) return value;
  const within = [...inside, value];
  if (Array.isArray(value)) return redactItems(value, found, within, redact);
  if (ArrayBuffer.isView(value)) return value;
  return redactProperties(value, found, within, redact);
}

function redactItems(
  items: readonly unknown[],
  found: (kind: string) => void,
  inside: readonly object[],
  redact: Redact,
): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < items.length; index += 1) {
    const redacted = redactPart(items[index], found, inside, redact);
    if (redacted === items[index]) continue;
    copy ??= [...items];
    copy[index] = redacted;
  }
  return copy ?? items;
}

function redactProperties(
  object: object,
  found: (kind: string) => void,
  inside: readonly object[],
  redact: Redact,
): object {
  const keys = Object.keys(object);
  let copy: Record<string, unknown> | undefined;
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index]!;
    const { value, get } = Object.getOwnPropertyDescriptor(object, key)!;
    const redacted =
      typeof value === "string"
        ? redactNamedText(value, key, found, redact)
        : redactPart(value, found, inside, redact);
    const name = key.length < shortestSecretKey ? key : redactText(key, found);
    if (get === undefined && redacted === value && name === key) {
      if (copy !== undefined) copy[key] = value;
      continue;
    }
    copy ??= copyOf(object as Record<string, unknown>, keys.slice(0, index));
    if (get === undefined) copy[name] = redacted;
    else {
      // A getter is redacted when it is called, so that it stays lazy.
      const redactLater = () => redactPart(get.call(object), ignore, inside);
      Object.defineProperty(copy, name, { get: redactLater, enumerable: true, configurable: true });
    }
  }
  return copy ?? object;
}

/** The length from which keys are searched for secrets. Nearly all keys are shorter. */
const shortestSecretKey = 16;

function copyOf(object: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  const copy = Object.create(Object.getPrototypeOf(object)) as Record<string, unknown>;
  for (const key of keys) copy[key] = object[key];
  return copy;
}

function ignore(): void {}

/**
 * Redacts a text that arrives in pieces. Withholds a possible beginning of a secret until its line is complete, and a
 * private key until its last line has arrived, both within limits.
 */
export class RedactedStream {
  #held = "";

  push(piece: string): string {
    const text = this.#held + piece;
    const end = endOfWhole(text);
    this.#held = text.slice(end);
    return redactText(text.slice(0, end));
  }

  end(): string {
    const rest = redactText(this.#held);
    this.#held = "";
    return rest;
  }
}

const maxHeld = 16 * 1024;

/** The length of the longest key on one line. */
const longestKey = 1024;

function endOfWhole(text: string): number {
  const lines = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;
  const key = text.lastIndexOf("-----BEGIN ");
  const isOpenKey = key >= 0 && key < lines && openKey.test(text.slice(key));
  const end = isOpenKey ? key : lines;
  return text.length - end <= maxHeld ? end : Math.max(end, betweenWords(text));
}

const openKey = /^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?!.*-----END )/s;

/** Returns a position in a very long line that splits no word, if there is one. */
function betweenWords(text: string): number {
  let end = text.length - longestKey;
  const least = end - longestKey;
  while (end > least && /[\w+/=.-]/.test(text[end - 1]!)) end -= 1;
  return end > least ? end : text.length - longestKey;
}
