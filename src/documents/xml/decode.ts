import { asBuffer } from "../../lib/bytes/bytes.ts";

/** Decodes an XML file by its byte-order mark, else by its declaration, else as UTF-8. Never throws. */
export function decodeXml(bytes: Uint8Array): string {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return asBuffer(bytes).toString("utf8", 3);
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0))
    return decode(bytes, "utf-16le");
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c))
    return decode(bytes, "utf-16be");
  const declaration = asBuffer(bytes).toString("latin1", 0, Math.min(bytes.length, 200));
  const declared = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/
    .exec(declaration)?.[1]
    ?.toLowerCase();
  // A file that declares UTF-16 but does not contain it was converted without changing its declaration.
  if (declared === undefined || /^utf-?(?:8|16)/.test(declared)) return asBuffer(bytes).toString("utf8");
  return decode(bytes, declared);
}

function decode(bytes: Uint8Array, label: string): string {
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return asBuffer(bytes).toString("utf8");
  }
}

/** Decodes XML's five entities and numeric characters. Other entities stay, so that no document can grow. */
export function expandEntities(text: string): string {
  return text.includes("&") ? text.replace(reference, expand) : text;
}

const reference = /&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#[xX]([\da-fA-F]{1,6}));/g;

const five: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function expand(written: string, name?: string, decimal?: string, hexadecimal?: string): string {
  if (name !== undefined) return five[name]!;
  const code = decimal === undefined ? Number.parseInt(hexadecimal!, 16) : Number.parseInt(decimal, 10);
  // Such a number is not a character, or is half of one.
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return written;
  return String.fromCodePoint(code);
}
