import { byteOrderMarkLength, detectUtf16, isMostlyUtf8 } from "./encoding.ts";

/** Text from the web, and its character set as browsers name it. */
export interface DecodedPage {
  readonly text: string;
  readonly charset: string;
}

/**
 * Decodes as browsers do: by the byte-order mark, the server's header, the declaration in the first 1024 bytes, else as
 * UTF-8 if valid, else as windows-1252. Drops an incomplete character at the end.
 */
export function decodePage(bytes: Uint8Array, mediaType = ""): DecodedPage {
  const mark = byteOrderMarkLength(bytes);
  if (mark > 0) return decodeAs(mark === 3 ? "utf-8" : bytes[0] === 0xff ? "utf-16le" : "utf-16be", bytes);
  const head = Buffer.from(bytes.subarray(0, 1024)).toString("latin1");
  const declared =
    known(charsetOf(mediaType)) ?? known(charsetInMarkup(head)) ?? detectUtf16(bytes.subarray(0, 1024));
  if (declared !== undefined && declared !== "utf-8") return decodeAs(declared, bytes);
  if (declared === undefined) return asValidUtf8(bytes) ?? decodeAs("windows-1252", bytes);
  const page = decodeAs("utf-8", bytes);
  return isMostlyUtf8(page.text) ? page : decodeAs("windows-1252", bytes);
}

function decodeAs(charset: string, bytes: Uint8Array): DecodedPage {
  return { text: new TextDecoder(charset).decode(bytes, { stream: true }), charset };
}

/** Finds the character set in a media type such as "text/html; charset=utf-8". */
function charsetOf(mediaType: string): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(mediaType)?.[1];
}

function charsetInMarkup(head: string): string | undefined {
  const declared = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"']+)/i.exec(head)?.[1];
  const named = head.replaceAll(/<!--.*?(?:-->|$)/gs, "");
  const charset = declared ?? /<meta\s[^>]*?\bcharset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(named)?.[1];
  // The declaration was readable, so the text is not UTF-16.
  return charset !== undefined && /^utf-?16/i.test(charset) ? "utf-8" : charset;
}

/** Returns the browsers' name of a character set; undefined when it is unknown. */
function known(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

function asValidUtf8(bytes: Uint8Array): DecodedPage | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return { text, charset: "utf-8" };
  } catch {
    return undefined;
  }
}
