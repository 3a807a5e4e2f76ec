export const characters: ReadonlyMap<string, string> = new Map([
  ["tab", "\t"],
  ["line", "\n"],
  ["softline", "\n"],
  ["page", "\n"],
  ["column", "\n"],
  ["emdash", "—"],
  ["endash", "–"],
  ["emspace", "\u2003"],
  ["enspace", "\u2002"],
  ["qmspace", "\u2005"],
  ["bullet", "•"],
  ["lquote", "‘"],
  ["rquote", "’"],
  ["ldblquote", "“"],
  ["rdblquote", "”"],
  ["zwj", "\u200d"],
  ["zwnj", "\u200c"],
  ["~", "\u00a0"],
  ["_", "\u2011"],
  ["\\", "\\"],
  ["{", "{"],
  ["}", "}"],
]);

/** What `\fcharset` of a font names, as TextDecoder does; undefined for the one of the document. */
export function charsetOfFont(number: number): string | undefined {
  return byFont[number];
}

/** What `\ansicpg` and `\cpg` name. */
export function charsetOfPage(page: number): string {
  return byPage[page] ?? (page >= 1250 && page <= 1258 ? `windows-${page}` : "windows-1252");
}

/** Of fonts that have pictures in place of letters. */
export const symbolCharset = "symbol";

const byFont: Readonly<Record<number, string>> = {
  2: symbolCharset,
  77: "macintosh",
  128: "shift_jis",
  129: "euc-kr",
  130: "euc-kr",
  134: "gbk",
  136: "big5",
  161: "windows-1253",
  162: "windows-1254",
  163: "windows-1258",
  177: "windows-1255",
  178: "windows-1256",
  186: "windows-1257",
  204: "windows-1251",
  222: "windows-874",
  238: "windows-1250",
};

const byPage: Readonly<Record<number, string>> = {
  866: "ibm866",
  874: "windows-874",
  932: "shift_jis",
  936: "gbk",
  949: "euc-kr",
  950: "big5",
  10000: "macintosh",
  20866: "koi8-r",
  65001: "utf-8",
};

const decoders = new Map<string, InstanceType<typeof TextDecoder>>();

/** Bytes, one a character, as the text that they are. */
export function decodeBytes(bytes: string, charset: string): string {
  if (!/[\x80-\xff]/.test(bytes)) return bytes;
  const decoder = decoders.get(charset) ?? new TextDecoder(charset);
  decoders.set(charset, decoder);
  return decoder.decode(Buffer.from(bytes, "latin1"));
}
