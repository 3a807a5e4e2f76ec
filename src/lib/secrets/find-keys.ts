import { keyShapes, tokenKind } from "./key-shapes.ts";
import { longWords } from "./long-words.ts";
import type { Secret } from "./secret.ts";

/** Returns the keys that their shape shows, without names. Takes linear time. */
export function findKeys(text: string): readonly Secret[] {
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
export function startOfSignature(key: string): number {
  const [header = "", payload = "", signature = ""] = key.split(".");
  return signature.length < shortestSignature ? key.length : header.length + payload.length + 2;
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

const shortestSignature = 10;

/** The length of the beginning of a key that is compared with examples. */
const longestCompared = 1024;

/** Matches fake keys as documentation writes them. Long keys in base64 contain eight equal letters where bytes are zero. */
function isExample(key: string): boolean {
  if (key.length < longestRepeating && /(.)\1{7}/.test(key)) return true;
  return /EXAMPLE|example|x{4}|X{4}|0{8}|1234567890/.test(key) || new Set(key).size < 10;
}

const longestRepeating = 80;

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
