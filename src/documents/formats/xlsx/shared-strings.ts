import { expandEntities } from "../../xml/decode.ts";

/** The shared texts of a workbook, to which cells refer by number. They are decoded on demand. */
export class SharedStrings {
  readonly #xml: string;
  readonly #starts: number[] = [];
  readonly #prefix: string;
  readonly #known: string[] = [];

  constructor(xml: string) {
    this.#xml = xml;
    this.#prefix = prefixOf(xml, "sst");
    const begin = `<${this.#prefix}si`;
    for (let at = xml.indexOf(begin); at >= 0; at = xml.indexOf(begin, at + begin.length)) {
      const after = xml.charCodeAt(at + begin.length);
      if (isEndOfName(after)) this.#starts.push(at);
    }
  }

  get(number: number): string | undefined {
    const known = this.#known[number];
    const start = this.#starts[number];
    if (known !== undefined || start === undefined) return known;
    const end = this.#starts[number + 1] ?? this.#xml.length;
    const text = textsIn(this.#xml.slice(start, end), this.#prefix);
    this.#known[number] = text;
    return text;
  }
}

/** Returns the prefix of element names, which is usually empty: "x:" for `<x:sst>`. */
export function prefixOf(xml: string, root: string): string {
  return new RegExp(`<([\\w.-]+:)?${root}[\\s>/]`).exec(xml.slice(0, 4096))?.[1] ?? "";
}

/** Returns the text in a piece of XML, without the pronunciation of East Asian words. */
export function textsIn(xml: string, prefix: string): string {
  const begin = `<${prefix}t`;
  const written = withoutPronunciation(xml, prefix);
  let text = "";
  for (let at = written.indexOf(begin); at >= 0; at = written.indexOf(begin, at + 1)) {
    if (!isEndOfName(written.charCodeAt(at + begin.length))) continue;
    const open = written.indexOf(">", at);
    if (open < 0) break;
    if (written.charCodeAt(open - 1) === slash) continue;
    const close = written.indexOf("<", open);
    text += written.slice(open + 1, close < 0 ? written.length : close);
  }
  return expandControls(expandEntities(text));
}

function withoutPronunciation(xml: string, prefix: string): string {
  const begin = `<${prefix}rPh`;
  const end = `</${prefix}rPh>`;
  let at = xml.indexOf(begin);
  if (at < 0) return xml;
  let text = "";
  let from = 0;
  while (at >= 0) {
    text += xml.slice(from, at);
    const close = xml.indexOf(end, at);
    if (close < 0) return text;
    from = close + end.length;
    at = xml.indexOf(begin, from);
  }
  return text + xml.slice(from);
}

/** Decodes characters that XML cannot contain, written as "_x000D_". */
export function expandControls(text: string): string {
  if (!text.includes("_x")) return text;
  return text.replaceAll(/_x([\da-fA-F]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

const slash = 0x2f;

/** Whether the character is a blank, ">" or "/". */
export function isEndOfName(code: number): boolean {
  return code === 0x3e || code === slash || code <= 0x20;
}
