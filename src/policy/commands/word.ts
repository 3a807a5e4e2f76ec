import type { UnknownPart, Word } from "./analysis.ts";

type Part = string | UnknownPart;

/** A word of some parts, where neighbouring texts are one. */
export function makeWord(text: string, span: Word["span"], parts: readonly Part[]): Word {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof part === "string" && typeof last === "string") joined[joined.length - 1] = last + part;
    else if (part !== "") joined.push(part);
  }
  return { text, span, parts: joined, value: knownValue(joined) };
}

/** Another word at the same place, for example the value in `--output=value`. */
export function wordAt(place: Word, parts: readonly Part[]): Word {
  return makeWord(place.text, place.span, parts);
}

/** Whether the shell may make no word of it, or several. */
export function splits(word: Word): boolean {
  return word.parts.some((part) => typeof part !== "string" && part.splits);
}

function knownValue(parts: readonly Part[]): string | undefined {
  const [first, ...more] = parts;
  if (more.length > 0) return undefined;
  return first === undefined || typeof first === "string" ? (first ?? "") : undefined;
}
