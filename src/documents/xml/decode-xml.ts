import { asBuffer } from "../../lib/as-buffer.ts";

/** The text of an XML file, by its byte-order mark, else by what it declares, else as UTF-8. Never fails. */
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
  // A declared UTF-16 that these bytes are not is a file that was converted without its declaration.
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
