import type { Outline } from "../../contract/code.ts";
import { indentationLevel } from "./indentation-level.ts";
import { indentationAt } from "./lines.ts";
import type { Place } from "./snippet.ts";

/** Where new lines stand that begin where the line of `at` does, or with another indentation that is known. */
export function placeAt(
  text: string,
  { language }: Outline,
  at: number,
  indentation = indentationAt(text, at),
): Place {
  return { indentation, level: indentationLevel(text), hasDirectives: withDirectives.has(language) };
}

const withDirectives: ReadonlySet<string> = new Set([
  "c",
  "cpp",
  "c-sharp",
  "swift",
  "objc",
  "cuda",
  "arduino",
  "glsl",
]);
