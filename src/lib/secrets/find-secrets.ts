import { setImmediate } from "node:timers/promises";
import { findKeys, startOfSignature } from "./find-keys.ts";
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
  const piece = isWhole ? text : text.slice(start, endOfWord(text, from + chunkLength + overlap));
  const named = findNamedValues(piece).flatMap((secret) => withoutClaims(secret, piece));
  for (const secret of [...findKeys(piece), ...named]) {
    const at = start + secret.start;
    if (at >= from && at < from + chunkLength) found.push({ ...secret, start: at, end: start + secret.end });
  }
}

/** Returns where the word at `at` ends. A longer one than a part is cut, so that the search takes linear time. */
function endOfWord(text: string, at: number): number {
  const end = /[^\w+./=~-]/.exec(text.slice(at, at + chunkLength))?.index ?? chunkLength;
  return at + end;
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

function withoutClaims(secret: Secret, text: string): readonly Secret[] {
  const { start, end } = secret;
  if (!tokenBeginning.test(text.slice(start, start + longestHeader))) return [secret];
  const hidden = start + startOfSignature(text.slice(start, end));
  return hidden < end ? [{ ...secret, start: hidden }] : [];
}

const tokenBeginning = /^eyJ[\w-]*\.eyJ/;
const longestHeader = 310;
