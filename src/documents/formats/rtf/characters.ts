export const characters: ReadonlyMap<string, string> = new Map([
  ["tab", "\t"],
  ["line", "\n"],
  ["page", "\n"],
  ["column", "\n"],
  ["emdash", "—"],
  ["endash", "–"],
  ["emspace", "\u2003"],
  ["enspace", "\u2002"],
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

/** The encoding of fonts that show symbols instead of letters. */
export const symbolCharset = "symbol";

/** Returns the encoding that `\fcharset` names; undefined for the document's encoding. */
export function charsetOfFont(number: number): string | undefined {
  if (number === 2) return symbolCharset;
  const page = pagesOfFonts[number];
  return page === undefined ? undefined : charsetOfPage(page);
}

/** Returns the encoding that `\ansicpg` and `\cpg` name. */
export function charsetOfPage(page: number): string {
  return namedPages[page] ?? (page >= 1250 && page <= 1258 ? `windows-${page}` : "windows-1252");
}

const pagesOfFonts: Readonly<Record<number, number>> = {
  ...{ 77: 10_000, 128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258 },
  ...{ 177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250 },
};

const namedPages: Readonly<Record<number, string>> = {
  ...{ 866: "ibm866", 874: "windows-874", 932: "shift_jis", 936: "gbk", 949: "euc-kr", 950: "big5" },
  ...{ 10000: "macintosh", 20866: "koi8-r", 65001: "utf-8" },
};

const decoders = new Map<string, InstanceType<typeof TextDecoder>>();

/** Decodes a string that has one character for each byte. */
export function decodeBytes(bytes: string, charset: string): string {
  if (!/[\x80-\xff]/.test(bytes)) return bytes;
  const decoder = decoders.get(charset) ?? new TextDecoder(charset);
  decoders.set(charset, decoder);
  return decoder.decode(Buffer.from(bytes, "latin1"));
}
