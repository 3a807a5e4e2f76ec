import { setImmediate } from "node:timers/promises";
import { keyShapes, tokenKind } from "./key-shapes.ts";
import { longWords } from "./long-words.ts";
import { findNamedValues } from "./named-values.ts";
import { findPrivateKeys } from "./private-keys.ts";
import type { Secret } from "./secret.ts";

/** Returns the parts of a text that look like secrets, in order and without overlaps. Takes linear time. */
export function findSecrets(text: string): readonly Secret[] {
  if (text.length < shortestSecret) return none;
  const found: Secret[] = [];
  for (let from = 0; from < text.length; from += chunkLength) addFound(found, text, from);
  return joined(found, text);
}

/** Does the same as `findSecrets`, and lets the event loop run between parts of a long text. */
export async function findSecretsInTurns(text: string): Promise<readonly Secret[]> {
  const found: Secret[] = [];
  for (let from = 0; from < text.length; from += chunkLength) {
    addFound(found, text, from);
    await setImmediate();
  }
  return joined(found, text);
}

const none: readonly Secret[] = [];
const shortestSecret = 8;

/** How much of a text is searched at once, which takes some milliseconds. */
const chunkLength = 128 * 1024;

/** How far a secret and its name reach over the border of a part. */
const overlap = 4096;

/** Adds the secrets that begin in one part of a text. */
function addFound(found: Secret[], text: string, from: number): void {
  const start = Math.max(0, from - overlap);
  const isWhole = text.length <= chunkLength;
  const piece = isWhole ? text : text.slice(start, from + chunkLength + overlap);
  const named = findNamedValues(piece).flatMap((secret) => withoutClaims(secret, piece));
  for (const secret of [...findKeys(piece), ...named]) {
    const at = start + secret.start;
    if (at >= from && at < from + chunkLength) found.push({ ...secret, start: at, end: start + secret.end });
  }
}

/** Adds private keys, and keeps one of several overlapping secrets: the one found first, which is the most exact. */
function joined(found: readonly Secret[], text: string): readonly Secret[] {
  const all: Secret[] = [];
  const sorted = [...found, ...findPrivateKeys(text)].sort((one, other) => one.start - other.start);
  for (const secret of sorted) {
    const last = all.at(-1);
    if (last === undefined || secret.start >= last.end) all.push(secret);
    else all[all.length - 1] = { ...last, end: Math.max(last.end, secret.end) };
  }
  return all.length === 0 ? none : all;
}

let known: RegExp | undefined;

/** One group per shape. Made on first use, because V8 takes a millisecond to parse it, and few texts have long words. */
function shapes(): RegExp {
  known ??= new RegExp(
    `(?<![A-Za-z0-9])(?:${keyShapes.map(([, shape]) => `(${shape})`).join("|")})(?![A-Za-z0-9])`,
    "g",
  );
  return known;
}

function findKeys(text: string): readonly Secret[] {
  const found: Secret[] = [];
  for (const { start: from, end: until } of longWords(text)) {
    const word = text.slice(from, until);
    const pattern = shapes();
    // Not `matchAll`, which compiles the pattern again for each word.
    pattern.lastIndex = 0;
    for (let match = pattern.exec(word); match !== null; match = pattern.exec(word)) {
      const [key] = match;
      if (isExample(key.slice(0, longestCompared))) continue;
      const kind = keyShapes[match.findIndex((group, index) => index > 0 && group !== undefined) - 1]![0];
      const start = from + match.index;
      const end = start + key.length;
      const hidden = kind === tokenKind ? start + startOfSignature(key) : start;
      if (hidden < end) found.push({ kind, start: hidden, end });
      if (kind === "AWS key") found.push(...secretsNear(text, start, end));
    }
  }
  return found;
}

/**
 * Returns where the signature of a JSON Web Token begins; the end without one. Its other parts are plain JSON, which
 * explains a test or a failure, and they are useless without the signature.
 */
function startOfSignature(key: string): number {
  const [header = "", payload = "", signature = ""] = key.split(".");
  return signature.length < shortestSignature ? key.length : header.length + payload.length + 2;
}

const shortestSignature = 10;

function withoutClaims(secret: Secret, text: string): readonly Secret[] {
  const { start, end } = secret;
  if (!tokenBeginning.test(text.slice(start, start + longestHeader))) return [secret];
  const hidden = start + startOfSignature(text.slice(start, end));
  return hidden < end ? [{ ...secret, start: hidden }] : [];
}

const tokenBeginning = /^eyJ[\w-]*\.eyJ/;
const longestHeader = 310;

/** The length of the beginning of a key that is compared with examples. */
const longestCompared = 1024;

/** Matches fake keys as documentation writes them. */
function isExample(key: string): boolean {
  return /EXAMPLE|example|x{4}|X{4}|0{8}|1234567890|(.)\1{7}/.test(key) || new Set(key).size < 10;
}

/** How far the secret of an AWS key is from it. */
const farthest = 100;

/** Finds the secret near an AWS key, which is recognizable only there: just forty letters. */
function secretsNear(text: string, start: number, end: number): readonly Secret[] {
  const from = Math.max(0, start - farthest);
  const around = text.slice(from, end + farthest);
  const secrets: Secret[] = [];
  for (const { 0: word, index } of around.matchAll(fortyLetters)) {
    const isMixed = /[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word);
    if (isMixed && !isExample(word))
      secrets.push({ kind: "AWS key", start: from + index, end: from + index + word.length });
  }
  return secrets;
}

const fortyLetters = /(?<![\w/+=-])[A-Za-z0-9/+]{40}(?![\w/+=-])/g;
