import fc from "fast-check";
import type { EditRequest } from "../../src/edit/edit-request.ts";
import { anyCodePoint } from "../support/any-code-point.ts";
import { path } from "./attempt.ts";
import type { HunkLine } from "./modification.ts";
import { asClosedReplace, asDiff, asPatch, asReplace, diffLines, patchLines } from "./render.ts";

/** A file, and a call for an earlier version of it, with mistakes in most of its lines. */
export interface Slip {
  readonly file: Buffer;
  readonly request: EditRequest;
  /** The lines of the call. */
  readonly hunk: readonly HunkLine[];
}

const parts = [
  ...'alpha beta value return x ( { } - + @@ *** # ; \\ \\n \\" " \' ``` ... … “q” "q" it’s it\'s – é e\u0301'.split(
    " ",
  ),
  ...[
    "  ",
    "\t",
    " ",
    "\u00a0",
    "\u200b",
    "\ufeff",
    "\ufffd",
    "\uf7ff",
    "😀",
    "\r",
    "\0",
    "\u2028",
    "*** End Patch",
    "1 | ",
    "2\t",
  ],
];

const texts = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...parts) },
      fc.string({ maxLength: 2, unit: anyCodePoint }),
    ),
    {
      maxLength: 4,
    },
  )
  .map((line) => line.join("").replaceAll("\n", ""));

/** The changes to a line on its way through a model. */
const changes: readonly ((line: string, other: string) => string)[] = [
  ...Array.from({ length: 6 }, () => (line: string) => line),
  (line) => line.trim(),
  (line) => `${line} `,
  (line) => `  ${line}`,
  (line) => `\t${line}`,
  (line) => line.replace(/[“”]/g, '"'),
  (line) => line.normalize("NFD"),
  (line) => line.replaceAll("\\", "\\\\"),
  (line) => line.replaceAll('"', '\\"'),
  (line) => `1 | ${line}`,
  (line) => line.slice(1),
  (_, other) => other,
];

const encoders: readonly ((text: string) => Buffer)[] = [
  (text) => Buffer.from(text),
  (text) => Buffer.from(`\ufeff${text}`),
  (text) => Buffer.from(`\ufeff${text}`, "utf16le"),
  (text) => Buffer.from(text, "latin1"),
  (text) => Buffer.concat([Buffer.from(text), Buffer.of(0xff, 0xc3)]),
];

const renderings: readonly ((lines: readonly HunkLine[]) => EditRequest)[] = [
  (lines) => asReplace(path, [{ start: 0, lines }]),
  (lines) => asClosedReplace(path, [{ start: 0, lines }]),
  (lines) => asPatch(patchLines(path, [{ start: 0, lines }])),
  (lines) => asDiff(diffLines(path, [{ start: 0, lines }])),
  (lines) =>
    asDiff([
      "--- a/file.txt",
      "+++ b/file.txt",
      "@@ -1 +1 @@",
      ...lines.map(({ sign, text }) => sign + text),
    ]),
];

export const slips: fc.Arbitrary<Slip> = fc
  .record({
    lines: fc.array(fc.tuple(texts, fc.constantFrom("\n", "\n", "\n", "\r\n", "\r")), {
      minLength: 1,
      maxLength: 8,
    }),
    isOpen: fc.boolean(),
    encode: fc.constantFrom(...encoders),
    start: fc.nat({ max: 7 }),
    steps: fc.array(
      fc.record({
        sign: fc.constantFrom<HunkLine["sign"][]>(" ", " ", "-", "+"),
        change: fc.constantFrom(...changes),
        other: texts,
      }),
      { minLength: 1, maxLength: 6 },
    ),
    render: fc.constantFrom(...renderings),
  })
  .map(({ lines, isOpen, encode, start, steps, render }) => {
    const file = lines
      .map(([text, end], index) => (isOpen && index === lines.length - 1 ? text : text + end))
      .join("");
    let line = start % lines.length;
    const hunk = steps.map(({ sign, change, other }) => {
      if (sign === "+") return { sign, text: other };
      const text = change(lines[line]?.[0] ?? "", other);
      line += 1;
      return { sign, text };
    });
    return { file: encode(file), request: render(hunk), hunk };
  });
