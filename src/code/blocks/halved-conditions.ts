import type { SyntaxFault } from "../../contract/code.ts";
import { inOrder, type Splice, spliced } from "./block-change.ts";

/**
 * Changes that take one part of `#if … #else … #endif` and leave the other, or bring only one: the grammar does not mind,
 * but what follows would come under another condition. They are given as faults of the changed text.
 */
export function halvedConditions(
  text: string,
  language: string,
  splices: readonly Splice[],
): readonly SyntaxFault[] {
  if (!withConditions.has(language) || !directive.test(text)) return [];
  const after = spliced(text, splices);
  const faults: SyntaxFault[] = [];
  let shift = 0;
  for (const splice of inOrder(splices)) {
    const at = splice.start + shift;
    shift += splice.text.length - (splice.end - splice.start);
    const [old, now] = [
      linesAround(text, splice.start, splice.end),
      linesAround(after, at, at + splice.text.length),
    ];
    const [taken, given] = [openParts(old), openParts(now)];
    if (taken === given) continue;
    const line = after.slice(0, at).split("\n").length;
    const message =
      taken === ""
        ? `\`${given}\` has no other part`
        : `\`${taken}\`, whose other part stays, would become ${given === "" ? "nothing" : `\`${given}\``}`;
    faults.push({ line, column: 1, start: at, end: at, message });
  }
  // What had no other part before may get it.
  return openParts(after).length < openParts(text).length ? [] : faults;
}

const withConditions: ReadonlySet<string> = new Set(
  "c cpp objective-c cuda arduino glsl hlsl c-sharp swift".split(" "),
);

const directive =
  /^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|elseif|else|endif|region|endregion)\b/m;
const directives = new RegExp(directive, "gm");

/** The whole lines: a directive may change in its middle. */
function linesAround(text: string, start: number, end: number): string {
  const lineEnd = text.indexOf("\n", end);
  return text.slice(text.lastIndexOf("\n", start - 1) + 1, lineEnd === -1 ? undefined : lineEnd);
}

/** The directives of a text that belong to others outside of it. */
function openParts(text: string): string {
  const open: string[] = [];
  for (const [, word = ""] of text.matchAll(directives)) {
    const begin = open.findLastIndex((other) => /^(?:if|region)/.test(other));
    if (begin !== -1 && word.startsWith("end")) open.length = begin;
    else open.push(word);
  }
  return open.map((word) => `#${word}`).join(" ");
}
