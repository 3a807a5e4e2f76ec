/** The words of a name, in small letters: "parseHTTPToken" has "parse", "http" and "token". */
export function nameWords(name: string): readonly string[] {
  const parts = name.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{M}]+|\p{Lu}|\p{N}+/gu) ?? [];
  return parts.map((part) => part.toLowerCase());
}

/** The terms under which a symbol of this name is found: the last of its words, the last two, and so on. */
export function nameTerms(name: string): readonly string[] {
  const words = nameWords(name).slice(-maxWords);
  return words.map((_, index) => nameTerm(words.slice(index)));
}

/** The term for which symbols with these last words are listed. */
export function nameTerm(words: readonly string[]): string {
  return `~${words.slice(-maxWords).join("")}`;
}

/** Whether a name has these words, or ends with them. */
export function endsWithWords(name: string, words: readonly string[]): boolean {
  return nameTerms(name).includes(nameTerm(words));
}

const maxWords = 8;
