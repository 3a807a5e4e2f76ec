/** What is asked for: words to rank by, or text and expressions to find exactly. */
export type SearchQuery =
  | { readonly way: "words"; readonly words: string }
  | { readonly way: "literal" | "regex"; readonly pattern: string; readonly ignoreCase: boolean };

/** `"quoted"` is text, `/slashes/` or `/slashes/i` are an expression, all else is words. */
export function readQuery(query: string): SearchQuery {
  const plain = query.trim();
  const quoted = /^"(.+)"$/s.exec(plain)?.[1];
  if (quoted !== undefined) return { way: "literal", pattern: quoted, ignoreCase: false };
  const [, expression, flags] = /^\/(.+)\/(i?)$/s.exec(plain) ?? [];
  if (expression !== undefined) return { way: "regex", pattern: expression, ignoreCase: flags === "i" };
  return { way: "words", words: plain };
}
