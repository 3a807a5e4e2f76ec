import type { Snippet } from "./snippet.ts";

/** What separates the elements of a list. */
export type Separator = "," | ";";

/** The separator that follows an element on its line. */
export function separatorAfter(
  text: string,
  end: number,
): { readonly mark: Separator; readonly end: number } | undefined {
  const found = /^[ \t]*(,|;;?)/.exec(text.slice(end, end + 200));
  return found ? { mark: found[1]![0] as Separator, end: end + found[0].length } : undefined;
}

/** The same, also if the grammar counts it to the element. */
export function ownSeparator(
  text: string,
  start: number,
  end: number,
): { readonly mark: Separator; readonly end: number } | undefined {
  const last = text[end - 1];
  const isOwn = end - start > 1 && (last === "," || last === ";");
  return isOwn ? { mark: last, end } : separatorAfter(text, end);
}

/** A block with braces needs no semicolon. */
export function isClosed({ lines }: Snippet, mark: Separator): boolean {
  return mark === ";" && /[;}]$/.test(lines.at(-1)!);
}

/** The blanks that follow a separator elsewhere in the text. */
export function blanksAfter(text: string, mark: Separator): string {
  return new RegExp(`${mark}([ \\t]*)\\S`).exec(text)?.[1] ?? " ";
}

/** A snippet without the separator that stands there already. */
export function withoutSeparator(
  snippet: Snippet,
  separator: { readonly mark: Separator } | undefined,
): Snippet {
  const last = snippet.lines.at(-1)!;
  if (separator === undefined || !last.endsWith(separator.mark) || last.trim() === separator.mark)
    return snippet;
  return { ...snippet, lines: [...snippet.lines.slice(0, -1), last.slice(0, -1).trimEnd()] };
}

/** Where the line of an element ends that is followed by nothing but its separator and a comment; undefined if more is. */
export function elementLineEnd(text: string, end: number): number | undefined {
  const from = separatorAfter(text, end)?.end ?? end;
  const rest = /^[^\n]*/.exec(text.slice(from))![0].replace(/\r$/, "");
  return rest.trim() === "" || isComment(rest.trim()) ? from + rest.length : undefined;
}

/** No language begins something else so right behind a whole declaration, but for the attributes of Rust. */
function isComment(rest: string): boolean {
  return /^(?:\/\/|--(?!>)|#(?![![])|%|;;|\/\*(?:(?!\*\/).)*\*\/$|<!--(?:(?!-->).)*-->$|\(\*(?:(?!\*\)).)*\*\)$)/.test(
    rest,
  );
}
