/**
 * Text as it is meant. Only the five entities of XML and characters by number are expanded; a name that a document
 * declares itself stays as it is written, so that no document can grow while it is read.
 */
export function expandEntities(text: string): string {
  return text.includes("&") ? text.replace(reference, expand) : text;
}

const reference = /&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#[xX]([\da-fA-F]{1,6}));/g;

const five: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function expand(written: string, name?: string, decimal?: string, hexadecimal?: string): string {
  if (name !== undefined) return five[name]!;
  const code = decimal === undefined ? Number.parseInt(hexadecimal!, 16) : Number.parseInt(decimal, 10);
  // No character at all, or half of one.
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return written;
  return String.fromCodePoint(code);
}
