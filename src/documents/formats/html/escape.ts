/**
 * Text that means the same when it is read as Markdown. Only what would be read as something else gets a backslash: a
 * bracket alone, or the line in snake_case, would not.
 */
export function escapeText(text: string, { isLineStart }: { readonly isLineStart: boolean }): string {
  let escaped = mayBeSpecial.test(text) ? text.replace(specials, escapeSpecial) : text;
  if (isLineStart) escaped = escapeLineStart(escaped);
  return escaped;
}

const mayBeSpecial = /[\\`*_<&~]|\]\(/;

/** A backslash before punctuation; what begins code, emphasis, an element, an entity, what is struck out, a link. */
const specials =
  /\\(?=[!-/:-@[-`{-~])|`|\*(?!\s)|(?<=\S)\*|(?<![\p{L}\p{N}])_(?!\s)|(?<=\S)_(?![\p{L}\p{N}_])|<(?=[a-zA-Z/!?])|&(?=#?\w+;)|~(?=~)|(?<=~)~|\](?=\()/gu;

function escapeSpecial(found: string): string {
  return `\\${found}`;
}

/** What makes a heading, a quotation, an item, a rule, a code block or a definition of a link. */
function escapeLineStart(text: string): string {
  const code = text.charCodeAt(0);
  // Nearly all lines begin with a letter.
  if ((code >= 0x41 && code <= 0x5a) || code >= 0x61) return text.startsWith("~~~") ? `\\${text}` : text;
  if (/^(?:#{1,6}(?:\s|$)|>|[-+*](?:\s|$)|(?:-\s*){3,}$|={2,}\s*$|\[[^\]]+\]:)/.test(text))
    return `\\${text}`;
  return text.replace(/^(\d{1,9})([.)])(?=\s|$)/, "$1\\$2");
}
