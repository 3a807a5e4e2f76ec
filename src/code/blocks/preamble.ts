/** Where what has to stand first in a block ends: attributes and doc comments of its inside, directives, docstrings. */
export function endOfPreamble(
  text: string,
  language: string,
  inside: { readonly start: number; readonly end: number },
): number {
  const within = text.slice(inside.start, inside.end);
  const found = preambles.get(language)?.exec(within);
  return inside.start + (found?.[0].length ?? 0);
}

const directive = /^(?:\s*(["'])use [a-z ]+\1;?[ \t]*(?=\r?\n|$))+/;
const docstring =
  /^\s*[rRuUbB]?(?:"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')[ \t]*(?=\r?\n|$)/;

const preambles: ReadonlyMap<string, RegExp> = new Map([
  ["python", docstring],
  ["rust", /^(?:\s*(?:\/\/![^\n]*|#!\[[^\]]*\]))+/],
  ["javascript", directive],
  ["typescript", directive],
  ["tsx", directive],
]);
