/** @module-tag slow */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { FileInfo, LineRange } from "../../contract/environment.ts";
import { TimeSlice } from "../../lib/async/time-slice.ts";
import { MemoryEnvironment } from "../memory/memory-environment.ts";
import type { ByteSource } from "./line-index.ts";
import { layOut, sliceLines } from "./read-lines.ts";

/** Lines with their newlines, found by a simple reference implementation. */
function linesOf(text: string): string[] {
  return text === "" ? [] : text.split(/(?<=\n)/);
}

interface Answer {
  readonly text: string;
  readonly lines: number;
  readonly firstLine: number | undefined;
  readonly totalLines: number | undefined;
  readonly reachedEnd: boolean;
  readonly cutBytes: number;
}

function expectedAnswer(text: string, range: LineRange, bytesOf: (text: string) => Buffer): Answer {
  const lines = linesOf(text);
  const first = range.first > 0 ? range.first : Math.max(1, lines.length + range.first + 1);
  const taken: string[] = [];
  let bytes = 0;
  for (const line of lines.slice(first - 1, first - 1 + range.count)) {
    bytes += bytesOf(line).length;
    if (bytes > range.maxBytes) break;
    taken.push(line);
  }
  const known = { firstLine: lines[first - 1] === undefined ? undefined : first, totalLines: lines.length };
  const tooLong = lines[first - 1];
  if (taken.length > 0 || tooLong === undefined) {
    const reachedEnd = first - 1 + taken.length >= lines.length;
    return { ...known, text: taken.join(""), lines: taken.length, reachedEnd, cutBytes: 0 };
  }
  const content = tooLong.replace(/\n$/, "");
  let kept = 0;
  let keptBytes = 0;
  for (const character of content) {
    const size = bytesOf(character).length;
    if (keptBytes + size > range.maxBytes) break;
    kept += character.length;
    keptBytes += size;
  }
  const cutBytes = bytesOf(content).length - keptBytes;
  return { ...known, text: content.slice(0, kept), lines: 1, reachedEnd: first === lines.length, cutBytes };
}

const encodings = {
  "utf-8": (text: string) => Buffer.from(text),
  "utf-16le": (text: string) => Buffer.from(text, "utf16le"),
  "utf-16be": (text: string) => Buffer.from(text, "utf16le").swap16(),
};

// Long enough to span several scan chunks, with dense and sparse newlines.
const piece = fc.tuple(
  fc.constantFrom("x", "\n", "ä\n", "\r\n", "ਅ\u0a0a", "😀", "some words\n"),
  fc.constantFrom(1, 2, 7, 100, 20_000),
);
const content = fc
  .array(piece, { maxLength: 8 })
  .map((pieces) => pieces.map(([text, times]) => text.repeat(times)).join(""));
const number = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 200_000 }));
const range = fc.record({
  first: fc.tuple(number, fc.constantFrom(1, -1)).map(([line, sign]) => line * sign),
  count: number,
  maxBytes: fc.oneof(fc.integer({ min: 8, max: 60 }), fc.integer({ min: 8, max: 2_000_000 })),
});

it.each(Object.entries(encodings))("finds the lines of any %s text", async (encoding, bytesOf) => {
  await fc.assert(
    fc.asyncProperty(content, fc.array(range, { minLength: 1, maxLength: 4 }), async (text, ranges) => {
      const environment = new MemoryEnvironment({ files: { file: bytesOf(`\ufeff${text}`) } });
      for (const asked of ranges) {
        const slice = await environment.readLines("file", asked);
        const expected = expectedAnswer(text, asked, bytesOf);
        const answer: Answer = {
          text: Buffer.compare(slice.bytes, bytesOf(expected.text)) === 0 ? expected.text : "other bytes",
          lines: slice.lines,
          // Reported values must be correct; some may be missing by contract.
          firstLine: slice.firstLine ?? expected.firstLine,
          totalLines: slice.totalLines ?? expected.totalLines,
          reachedEnd: slice.reachedEnd,
          cutBytes: slice.cutBytes,
        };
        expect(answer).toEqual(expected);
        expect(slice.encoding).toBe(encoding === "utf-8" ? "utf-8-bom" : encoding);
      }
    }),
    { numRuns: 40 },
  );
});

it("finds lines beyond the first two gigabytes", async () => {
  const parts = new Map([
    [0, Buffer.from("first\n")],
    [2 ** 31, Buffer.from("\nthird line\n")],
  ]);
  // Zeros, except for the parts.
  const source: ByteSource = {
    size: 2 ** 31 + 100,
    read: (target, position) => {
      target.fill(0);
      for (const [at, part] of parts) {
        const isIn = at < position + target.length && at + part.length > position;
        if (isIn && at >= position)
          target.set(part.subarray(0, position + target.length - at), at - position);
        else if (isIn) target.set(part.subarray(position - at).subarray(0, target.length));
      }
      return target.length;
    },
  };
  const layout = layOut(source);
  const read = async (first: number) => {
    const range = { first, count: 1, maxBytes: 20 };
    const context = { timeSlice: new TimeSlice(), info: { kind: "file" } as FileInfo };
    const { bytes, info, ...slice } = await sliceLines(source, layout, range, context);
    return { ...slice, text: Buffer.from(bytes).toString() };
  };
  const known = { encoding: "binary", lines: 1, totalLines: 4, reachedEnd: false, cutBytes: 0 };
  const zeros = "\0".repeat(20);
  expect(await read(1)).toEqual({ ...known, firstLine: 1, text: "first\n", totalLines: undefined });
  expect(await read(3)).toEqual({ ...known, firstLine: 3, text: "third line\n" });
  expect(await read(2)).toEqual({ ...known, firstLine: 2, text: zeros, cutBytes: 2 ** 31 - 6 - 20 });
  expect(await read(-1)).toEqual({ ...known, firstLine: 4, text: zeros, cutBytes: 68, reachedEnd: true });
  expect(await read(5)).toEqual({ ...known, firstLine: undefined, text: "", lines: 0, reachedEnd: true });
});
