import fc from "fast-check";

/** A file: lines, the end of each line, and the encoding. */
export interface Document {
  readonly encoding: Encoding;
  readonly lines: readonly Line[];
}

export interface Line {
  readonly text: string;
  /** Only the last line may have none. */
  readonly end: LineEnd;
}

export type LineEnd = "" | "\n" | "\r\n" | "\r";

interface Encoding {
  readonly name: string;
  /** Characters that it can encode beyond ASCII; U+FFFD is a byte that is not a character. */
  readonly words: readonly string[];
  /** Lines that make the encoding obvious. */
  readonly evidence: readonly string[];
  readonly mark: string;
  encode(text: string): Buffer;
}

const composed = "caf\u00e9";
const decomposed = "cafe\u0301";
const everywhere = [composed, decomposed, "“quoted”", "it’s", "a – b", "\u00a0", "日本語", "😀", "a\u2028b"];

export const utf8: Encoding = {
  name: "UTF-8",
  words: everywhere,
  evidence: [],
  mark: "",
  encode: (text) => Buffer.from(text),
};

const utf16: Encoding = {
  ...utf8,
  name: "UTF-16",
  mark: "\ufeff",
  encode: (text) => Buffer.from(text, "utf16le"),
};

const encodings: readonly Encoding[] = [
  utf8,
  { ...utf8, name: "UTF-8 with a byte-order mark", mark: "\ufeff" },
  utf16,
  { ...utf16, name: "UTF-16, high byte first", encode: (text) => Buffer.from(text, "utf16le").swap16() },
  {
    name: "Latin-1",
    words: [composed, "ÄÖÜ", "naïve"],
    evidence: ["élan"],
    mark: "",
    encode: (text) => Buffer.from(text, "latin1"),
  },
  {
    ...utf8,
    name: "UTF-8 with stray bytes",
    evidence: ["stray \ufffd", "ééééééééé"],
    encode: (text) =>
      Buffer.concat(
        text.split(/(\ufffd)/).map((part) => (part === "\ufffd" ? Buffer.of(0xff) : Buffer.from(part))),
      ),
  },
];

export function bytesOf({ encoding, lines }: Document): Buffer {
  return encoding.encode(encoding.mark + lines.map(({ text, end }) => text + end).join(""));
}

/** Text that has a meaning elsewhere: in patterns, in strings, in patches. */
const words = [
  "value",
  "return",
  "x1",
  "$&",
  "$1",
  "$$",
  "\\",
  "\\n",
  "\\1",
  "{",
  "}",
  '"a"',
  "'b'",
  "@@",
  "***",
  "*** End Patch",
  "*** End of File",
  "--- a",
  "+++ b",
  "-",
  "+",
  "```",
  "...",
  "# 12 |",
  "\t",
  "  ",
];

/** Text of one line; `tag` makes it unique. */
function lineText({ words: foreign }: Encoding, tag: string): fc.Arbitrary<string> {
  const word = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...words) }, fc.constantFrom(...foreign));
  return fc
    .tuple(
      fc.constantFrom("", "", "  ", "    ", "\t"),
      fc.array(word, { maxLength: 3 }),
      fc.constantFrom("", "", "", " ", "\t"),
    )
    .map(([indentation, parts, blanks]) => `${indentation}${[...parts, tag].join(" ")}${blanks}`);
}

/** The change of a line: the lines inserted before it, and its replacement. */
interface Step {
  readonly inserted: readonly string[];
  readonly becomes: "itself" | readonly string[];
}

/** A document and its changes. No two lines are equal. */
export interface Revision {
  readonly document: Document;
  readonly steps: readonly Step[];
  /** Lines added after the last line. */
  readonly appended: readonly string[];
}

export type LineEnds = readonly [LineEnd, ...LineEnd[]];

export const oneLineEnd: fc.Arbitrary<LineEnds> = fc.constantFrom<LineEnds[]>(["\n"], ["\r\n"], ["\r"]);

/** Mixtures in which a lone carriage return does not end a line. */
export const lineFeeds: fc.Arbitrary<LineEnds> = fc.oneof(oneLineEnd, fc.constant(["\n", "\r\n"]));

const lineEnds = fc.oneof(lineFeeds, fc.constant<LineEnds>(["\n", "\r\n", "\r"]));

export interface DocumentOptions {
  readonly ends?: fc.Arbitrary<LineEnds>;
  readonly minLines?: number;
  readonly maxLines?: number;
}

export function documents(options: DocumentOptions = {}): fc.Arbitrary<Document> {
  const { ends = lineEnds, minLines = 1, maxLines = 12 } = options;
  return fc
    .tuple(fc.constantFrom(...encodings), ends, fc.integer({ min: minLines, max: maxLines }), fc.boolean())
    .chain(([encoding, allowedEnds, count, isClosed]) =>
      fc
        .tuple(...Array.from({ length: count }, (_, index) => documentLine(encoding, allowedEnds, index)))
        .map((lines) => {
          const evidence = encoding.evidence.map((text) => ({ text, end: allowedEnds[0] }));
          const all: Line[] = [...evidence, ...lines];
          const last = all.at(-1)!;
          // Where line feeds end the lines, a carriage return at the very end belongs to the last line.
          const isData = last.end === "\r" && all.some(({ end }) => end.endsWith("\n"));
          return { encoding, lines: isClosed && !isData ? all : [...all.slice(0, -1), { ...last, end: "" }] };
        }),
    );
}

function documentLine(encoding: Encoding, ends: LineEnds, index: number): fc.Arbitrary<Line> {
  return fc.record({ text: lineText(encoding, `#${index};`), end: fc.constantFrom(...ends) });
}

export function revisions(options: DocumentOptions = {}): fc.Arbitrary<Revision> {
  return documents(options)
    .chain((document) =>
      fc.record({
        document: fc.constant(document),
        steps: fc.tuple(...document.lines.map((_, index) => step(document, index))),
        appended: newLines(document.encoding, "end", 1, 6),
      }),
    )
    .filter(
      ({ steps, appended }) =>
        appended.length > 0 ||
        steps.some(({ inserted, becomes }) => inserted.length > 0 || becomes !== "itself"),
    );
}

function step({ encoding, lines }: Document, index: number): fc.Arbitrary<Step> {
  if (index < encoding.evidence.length && lines.length > 0)
    return fc.constant({ inserted: [], becomes: "itself" });
  return fc.record({
    inserted: newLines(encoding, `${index}i`, 1, 6),
    becomes: fc.oneof(
      { weight: 5, arbitrary: fc.constant("itself" as const) },
      newLines(encoding, `${index}r`, 0, 0),
    ),
  });
}

function newLines(
  encoding: Encoding,
  tag: string,
  minLength: number,
  noneWeight: number,
): fc.Arbitrary<readonly string[]> {
  const some = fc
    .integer({ min: minLength, max: 3 })
    .chain((count) =>
      fc.tuple(...Array.from({ length: count }, (_, index) => lineText(encoding, `#new${tag}${index};`))),
    );
  return noneWeight === 0 ? some : fc.oneof({ weight: noneWeight, arbitrary: fc.constant([]) }, some);
}
