import fc from "fast-check";
import { expect, it } from "vitest";
import { OutputLog } from "./output-log.ts";
import { readLog } from "./read-log.ts";

it("returns the output since a cursor, both streams in order", () => {
  const log = logOf(["stdout", "one\n"], ["stderr", "two\n"], ["stdout", "three\n"]);
  const first = readLog(log, { cursor: 0, maxChars: 100 });
  log.append("stderr", "four\n");
  expect([first, readLog(log, { cursor: first.cursor, maxChars: 100 })]).toEqual([
    { text: "one\ntwo\nthree\n", from: 0, cursor: 14, lost: 0 },
    { text: "four\n", from: 14, cursor: 19, lost: 0 },
  ]);
});

it("returns a single stream", () => {
  const log = logOf(["stdout", "one\n"], ["stderr", "two\n"], ["stdout", "three\n"]);
  expect([
    readLog(log, { cursor: 0, stream: "stderr", maxChars: 100 }),
    readLog(log, { stream: "stdout", maxChars: 100 }),
  ]).toEqual([
    { text: "two\n", from: 0, cursor: 14, lost: 0 },
    { text: "one\nthree\n", from: 0, cursor: 14, lost: 0 },
  ]);
});

it("returns the latest output without a cursor, from the start of a line", () => {
  const log = logOf(["stdout", "first line\nsecond line\nthird line\n"]);
  expect(readLog(log, { maxChars: 20 })).toEqual({ text: "third line\n", from: 23, cursor: 34, lost: 0 });
});

it("cuts after a line or else after a word, and continues there", () => {
  const log = logOf(["stdout", "one two three four\nfive\n"]);
  expect(pagesOf(log, 10)).toEqual(["one two ", "three ", "four\nfive\n"]);
  expect(pagesOf(log, 21)).toEqual(["one two three four\n", "five\n"]);
});

it("never cuts inside a character, and moves a cursor inside one to the next", () => {
  const log = logOf(["stdout", "😀😀😀"]);
  expect(pagesOf(log, 3)).toEqual(["😀", "😀", "😀"]);
  expect(readLog(log, { cursor: 1, maxChars: 100 })).toEqual({ text: "😀😀", from: 1, cursor: 12, lost: 0 });
  expect(readLog(log, { maxChars: 3 }).text).toBe("😀");
});

it("reports how much is no longer in memory", () => {
  const log = new OutputLog(8_192);
  for (let line = 0; line < 10_000; line += 1) log.append(line % 2 ? "stdout" : "stderr", "0123456789\n");
  const held = Math.floor(8_192 / 11) * 11;
  expect([log.end, log.start]).toEqual([110_000, 110_000 - held]);
  expect(readLog(log, { cursor: 1_000, maxChars: 10_000 })).toEqual({
    text: "0123456789\n".repeat(held / 11),
    from: 110_000 - held,
    cursor: 110_000,
    lost: 110_000 - held - 1_000,
  });
});

it("holds a bounded number of chunks, however small they are", () => {
  const log = new OutputLog();
  for (let count = 0; count < 100_000; count += 1) log.append(count % 2 ? "stdout" : "stderr", "x");
  expect([...log.after(0)].length).toBe(16 * 1024);
});

it("returns the end of any output, however it arrives", () => {
  const anything = fc.array(
    fc.tuple(fc.constantFrom("stdout", "stderr"), fc.string({ unit: "grapheme", maxLength: 400 })),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(anything, (pieces) => {
      const log = new OutputLog(2_048);
      for (const [stream, text] of pieces) log.append(stream, text);
      const all = Buffer.from(pieces.map(([, text]) => text).join(""));
      const held = [...log.after(0)].map(({ text }) => text).join("");
      expect([log.end, held]).toEqual([all.length, all.toString("utf8", log.start)]);
      expect(Buffer.byteLength(held)).toBeGreaterThanOrEqual(Math.min(all.length, 1_000));
    }),
  );
});

it("moves a cursor beyond the end to the end", () => {
  const log = logOf(["stdout", "one\n"]);
  expect(readLog(log, { cursor: 99, maxChars: 100 })).toEqual({ text: "", from: 4, cursor: 4, lost: 0 });
});

it("notifies listeners until they unsubscribe", () => {
  const log = new OutputLog();
  const received: string[] = [];
  const leave = log.listen((stream, text) => received.push(`${stream} ${text}`));
  log.append("stdout", "one");
  leave();
  log.append("stdout", "two");
  expect(received).toEqual(["stdout one"]);
});

function logOf(...pieces: readonly (readonly ["stdout" | "stderr", string])[]): OutputLog {
  const log = new OutputLog();
  for (const [stream, text] of pieces) log.append(stream, text);
  return log;
}

function pagesOf(log: OutputLog, maxChars: number): string[] {
  const pages: string[] = [];
  for (let cursor = 0; cursor < log.end; ) {
    const page = readLog(log, { cursor, maxChars });
    pages.push(page.text);
    cursor = page.cursor;
  }
  return pages;
}
