import { ToolError } from "../../contract/error.ts";
import { endOfClass, GlobSyntaxError } from "./glob-segment.ts";

const maxAlternatives = 256;

/** Writes `a.{ts,js}` out as `a.ts` and `a.js`. Braces may nest; in a class or after a backslash they mean themselves. */
export function expandBraces(pattern: string): string[] {
  if (!/[{}[]/.test(pattern)) return [pattern];
  const { texts, next } = expandUntil(pattern, 0, "");
  if (next < pattern.length) {
    throw new GlobSyntaxError('this "}" closes nothing', next, 'Write "\\}" for a brace.');
  }
  return texts;
}

/** Reads up to the end, or inside braces up to the "," or "}" that ends this alternative. */
function expandUntil(pattern: string, start: number, ends: string): { texts: string[]; next: number } {
  let texts = [""];
  let index = start;
  while (index < pattern.length) {
    const character = pattern[index]!;
    if (ends.includes(character) || character === "}") break;
    if (character === "{") {
      const group = expandGroup(pattern, index);
      texts = combine(texts, group.texts, pattern);
      index = group.next;
      continue;
    }
    const next = character === "[" ? endOfClass(pattern, index) : endOfText(pattern, index);
    texts = texts.map((text) => text + pattern.slice(index, next));
    index = next;
  }
  return { texts, next: index };
}

/** Where what means itself ends: a character after a backslash, or several without one. */
function endOfText(pattern: string, start: number): number {
  plainText.lastIndex = start;
  const plain = plainText.exec(pattern)?.[0].length ?? 0;
  return Math.min(start + (plain || (pattern[start] === "\\" ? 2 : 1)), pattern.length);
}

const plainText = /[^,{}[\\]+/y;

function expandGroup(pattern: string, open: number): { texts: string[]; next: number } {
  const texts: string[] = [];
  let index = open;
  do {
    const alternative = expandUntil(pattern, index + 1, ",}");
    texts.push(...alternative.texts);
    index = alternative.next;
    if (index >= pattern.length) {
      throw new GlobSyntaxError(
        "this brace is never closed",
        open,
        'Close it with "}", or write "\\{" for a brace.',
      );
    }
  } while (pattern[index] === ",");
  return { texts, next: index + 1 };
}

function combine(heads: string[], tails: string[], pattern: string): string[] {
  if (heads.length * tails.length > maxAlternatives) {
    throw new ToolError(
      "invalid-input",
      `The pattern "${pattern}" stands for more than ${maxAlternatives} patterns`,
      {
        hint: "Use fewer braces, or several calls.",
      },
    );
  }
  return heads.flatMap((head) => tails.map((tail) => head + tail));
}
