import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import type { LineRange, LineSlice } from "../../contract/environment.ts";
import { failure, failureOf, type OpenWorld } from "./world.ts";

interface Expected {
  readonly text: string;
  readonly lines: number;
  readonly firstLine: number | undefined;
  readonly totalLines: number | undefined;
  readonly reachedEnd: boolean;
  readonly cutBytes: number;
}

function asExpected({ bytes, lines, firstLine, totalLines, reachedEnd, cutBytes }: LineSlice): Expected {
  const text = Buffer.from(bytes).toString("latin1");
  return { text, lines, firstLine, totalLines, reachedEnd, cutBytes };
}

const four = "one\ntwo\nthree\nfour";
const whole: Expected = { text: four, lines: 4, firstLine: 1, totalLines: 4, reachedEnd: true, cutBytes: 0 };
const none: Expected = { ...whole, text: "", lines: 0, firstLine: undefined };

const slices: readonly (readonly [string, string, Partial<LineRange>, Expected])[] = [
  ["all lines", four, {}, whole],
  ["the last line closed", `${four}\n`, {}, { ...whole, text: `${four}\n` }],
  [
    "lines in the middle",
    four,
    { first: 2, count: 2 },
    { ...whole, text: "two\nthree\n", lines: 2, firstLine: 2, reachedEnd: false },
  ],
  ["the last", four, { first: 4 }, { ...whole, text: "four", lines: 1, firstLine: 4 }],
  ["beyond the end", four, { first: 5 }, none],
  ["far beyond the end", four, { first: 2 ** 40, count: 2 ** 40 }, none],
  ["the last two", four, { first: -2 }, { ...whole, text: "three\nfour", lines: 2, firstLine: 3 }],
  [
    "one before the last two",
    four,
    { first: -3, count: 1 },
    { ...whole, text: "two\n", lines: 1, firstLine: 2, reachedEnd: false },
  ],
  [
    "the last two, closed",
    `${four}\n`,
    { first: -2 },
    { ...whole, text: "three\nfour\n", lines: 2, firstLine: 3 },
  ],
  ["more lines from the end than exist", four, { first: -9 }, whole],
  ["an empty file", "", {}, { ...none, totalLines: 0 }],
  ["an empty file from the end", "", { first: -5 }, { ...none, totalLines: 0 }],
  ["a single newline", "\n", {}, { ...whole, text: "\n", lines: 1, totalLines: 1 }],
  ["empty lines", "\n\n\n", { first: 2 }, { ...whole, text: "\n\n", lines: 2, firstLine: 2, totalLines: 3 }],
  [
    "CRLF unchanged",
    "a\r\nb\r\n",
    { first: 2 },
    { ...whole, text: "b\r\n", lines: 1, firstLine: 2, totalLines: 2 },
  ],
  [
    "lone carriage returns as one line",
    "a\rb\rc",
    {},
    { ...whole, text: "a\rb\rc", lines: 1, totalLines: 1 },
  ],
  [
    "as many lines as fit",
    four,
    { maxBytes: 13 },
    { ...whole, text: "one\ntwo\n", lines: 2, reachedEnd: false },
  ],
  [
    "lines that just fit",
    four,
    { maxBytes: 14 },
    { ...whole, text: "one\ntwo\nthree\n", lines: 3, reachedEnd: false },
  ],
  [
    "a line that is too long, cut",
    "123456789\nb\n",
    { maxBytes: 4 },
    { ...whole, text: "1234", lines: 1, totalLines: 2, reachedEnd: false, cutBytes: 5 },
  ],
  [
    "a line too long only by its newline",
    "1234\nb",
    { maxBytes: 4 },
    { ...whole, text: "1234", lines: 1, totalLines: 2, reachedEnd: false },
  ],
  [
    "a last line that is too long",
    "a\n123456789",
    { first: 2, maxBytes: 4 },
    { ...whole, text: "1234", lines: 1, firstLine: 2, totalLines: 2, cutBytes: 5 },
  ],
];

export function testLines(open: OpenWorld): void {
  for (const [name, content, range, expected] of slices) {
    it(`reads by lines: ${name}`, async () => {
      await using world = await open({ files: { file: content } });
      const asked = { first: 1, count: 100, maxBytes: 1000, ...range };
      const slice = await world.environment.readLines("file", asked);
      expect(asExpected(slice)).toEqual(expected);
      expect(slice.info).toEqual(await world.environment.info("file"));
    });
  }

  it("omits the byte-order mark and reports the encoding", async () => {
    const utf16 = (text: string) => Buffer.from(text, "utf16le");
    const files = {
      "utf-8": Buffer.from("grün\n"),
      "utf-8-bom": Buffer.from("\ufeffgrün\n"),
      "utf-16le": Buffer.concat([Buffer.from([0xff, 0xfe]), utf16("grün\n")]),
      "utf-16be": Buffer.concat([Buffer.from([0xfe, 0xff]), utf16("grün\n").swap16()]),
      latin1: Buffer.from("grün\n", "latin1"),
      binary: Buffer.from([1, 0, 2, 0, 0, 3, 10]),
      mark: Buffer.from("\ufeff"),
    };
    await using world = await open({ files });
    const found: Record<string, unknown> = {};
    for (const name of Object.keys(files)) {
      const slice = await world.environment.readLines(name, { first: 1, count: 9, maxBytes: 100 });
      found[name] = [slice.encoding, slice.lines, slice.totalLines, Buffer.from(slice.bytes).toString("hex")];
    }
    expect(found).toEqual({
      "utf-8": ["utf-8", 1, 1, Buffer.from("grün\n").toString("hex")],
      "utf-8-bom": ["utf-8-bom", 1, 1, Buffer.from("grün\n").toString("hex")],
      "utf-16le": ["utf-16le", 1, 1, utf16("grün\n").toString("hex")],
      "utf-16be": ["utf-16be", 1, 1, utf16("grün\n").swap16().toString("hex")],
      latin1: ["latin1", 1, 1, Buffer.from("grün\n", "latin1").toString("hex")],
      binary: ["binary", 1, 1, "0100020000030a"],
      mark: ["utf-8-bom", 0, 0, ""],
    });
  });

  it("finds UTF-16 lines by whole units", async () => {
    // U+0A00 and U+000A have the same bytes. Only U+000A ends a line, and only on a whole unit.
    const text = "\u0a05\u0a0a\nਅ\u000a\u0a00x";
    const littleEndian = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
    await using world = await open({
      files: { little: littleEndian, big: Buffer.from(littleEndian).swap16() },
    });
    for (const [name, decode] of [
      ["little", (bytes: Uint8Array) => Buffer.from(bytes).toString("utf16le")],
      ["big", (bytes: Uint8Array) => Buffer.from(bytes).swap16().toString("utf16le")],
    ] as const) {
      const read = async (first: number) => {
        const slice = await world.environment.readLines(name, { first, count: 1, maxBytes: 100 });
        return [decode(slice.bytes), slice.firstLine, slice.totalLines];
      };
      expect(await Promise.all([1, 2, 3, -1].map(read))).toEqual([
        ["\u0a05\u0a0a\n", 1, 3],
        ["ਅ\n", 2, 3],
        ["\u0a00x", 3, 3],
        ["\u0a00x", 3, 3],
      ]);
    }
  });

  it("cuts a long line at a whole character", async () => {
    const emoji = "😀";
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(emoji.repeat(3), "utf16le")]);
    await using world = await open({ files: { utf8: `${emoji.repeat(3)}\nend`, utf16 } });
    const cut = async (name: string, maxBytes: number, encoding: "utf8" | "utf16le") => {
      const slice = await world.environment.readLines(name, { first: 1, count: 1, maxBytes });
      return [Buffer.from(slice.bytes).toString(encoding), slice.cutBytes];
    };
    expect(await cut("utf8", 4, "utf8")).toEqual([emoji, 8]);
    expect(await cut("utf8", 7, "utf8")).toEqual([emoji, 8]);
    expect(await cut("utf8", 8, "utf8")).toEqual([emoji.repeat(2), 4]);
    expect(await cut("utf16", 5, "utf16le")).toEqual([emoji, 8]);
    expect(await cut("utf16", 7, "utf16le")).toEqual([emoji, 8]);
  });

  it("reads a file of many chunks from any line and caches its length", async () => {
    const line = (number: number) => `line ${number} ${"x".repeat(number % 97)}\n`;
    const all = Array.from({ length: 20_000 }, (_, index) => line(index + 1));
    await using world = await open({ files: { file: all.join("") } });
    // A file that was just written is not cached, because a change in the same clock tick would be invisible.
    await setTimeout(100);
    const read = async (first: number, count: number) => {
      return asExpected(await world.environment.readLines("file", { first, count, maxBytes: 10_000_000 }));
    };
    const expected = (first: number, count: number) => ({
      text: all.slice(first - 1, first - 1 + count).join(""),
      lines: count,
      firstLine: first,
      totalLines: undefined,
      reachedEnd: false,
      cutBytes: 0,
    });
    expect(await read(10_000, 50)).toEqual(expected(10_000, 50));
    expect(await read(2500, 7)).toEqual(expected(2500, 7));
    expect(await read(-50, 10)).toEqual({ ...expected(19_951, 10), firstLine: undefined });
    expect(await read(19_991, 10)).toEqual({ ...expected(19_991, 10), totalLines: 20_000, reachedEnd: true });
    expect(await read(-50, 10)).toEqual({ ...expected(19_951, 10), totalLines: 20_000 });
    expect(await read(1, 20_000)).toEqual({ ...expected(1, 20_000), totalLines: 20_000, reachedEnd: true });
    expect(await read(20_001, 1)).toEqual({ ...none, totalLines: 20_000 });
  });

  it("cuts one very long line and finds the next", async () => {
    await using world = await open({ files: { file: `start\n${"y".repeat(3_000_000)}\nend` } });
    const read = async (first: number) => {
      return asExpected(await world.environment.readLines("file", { first, count: 1, maxBytes: 5 }));
    };
    expect(await read(2)).toEqual({
      text: "yyyyy",
      lines: 1,
      firstLine: 2,
      totalLines: 3,
      reachedEnd: false,
      cutBytes: 2_999_995,
    });
    expect(await read(3)).toEqual({ ...whole, text: "end", lines: 1, firstLine: 3, totalLines: 3 });
  });

  it("refuses invalid line numbers and limits", async () => {
    await using world = await open({ files: { file: four } });
    const read = (range: Partial<LineRange>) =>
      failureOf(world.environment.readLines("file", { first: 1, count: 1, maxBytes: 10, ...range }));
    const noLine = "Count lines from 1, or from the end with negative numbers.";
    expect(await read({ first: 0 })).toEqual(failure("invalid-input", "There is no line 0", noLine));
    expect(await read({ first: 1.5 })).toEqual(failure("invalid-input", "There is no line 1.5", noLine));
    expect(await read({ count: 0 })).toEqual(
      failure("invalid-input", "0 lines cannot be read", "Ask for at least one line."),
    );
    expect(await read({ maxBytes: Number.NaN })).toEqual(
      failure("invalid-input", "The limit of NaN bytes is invalid", "Allow at least one byte."),
    );
  });
}
