import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { showStrayBytes, toSearchableText } from "./searchable-text.ts";

const plain = { ascii: true, carriageReturns: false, strayBytes: false };

describe("toSearchableText", () => {
  it.each<[string, Buffer, ReturnType<typeof toSearchableText>]>([
    ["ASCII", Buffer.from("a\nb"), { text: "a\nb", traits: plain, binary: false }],
    [
      "line ends with \\r",
      Buffer.from("a\r\n"),
      { text: "a\r\n", traits: { ...plain, carriageReturns: true }, binary: false },
    ],
    ["UTF-8", Buffer.from("é😀"), { text: "é😀", traits: { ...plain, ascii: false }, binary: false }],
    ["UTF-8 with a byte order mark", Buffer.from("\uFEFFa"), { text: "a", traits: plain, binary: false }],
    [
      "UTF-16 with a byte order mark",
      Buffer.from("\uFEFFaé", "utf16le"),
      { text: "aé", traits: { ...plain, ascii: false }, binary: false },
    ],
    [
      "big-endian UTF-16",
      Buffer.from("\uFEFFaé", "utf16le").swap16(),
      { text: "aé", traits: { ...plain, ascii: false }, binary: false },
    ],
    [
      "UTF-16 without a byte order mark",
      Buffer.from("ab", "utf16le"),
      { text: "a\0b\0", traits: plain, binary: true },
    ],
    ["NUL bytes", Buffer.from("a\0b"), { text: "a\0b", traits: plain, binary: true }],
    [
      "stray bytes",
      Buffer.from([0x61, 0xff, 0xc3, 0xa9, 0xc3]),
      { text: "a\uDCFFé\uDCC3", traits: { ...plain, ascii: false, strayBytes: true }, binary: false },
    ],
    ["nothing", Buffer.from(""), { text: "", traits: plain, binary: false }],
  ])("reads %s", (_, bytes, expected) => {
    expect(toSearchableText(bytes)).toEqual(expected);
  });

  it("loses no byte", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        fc.pre(!(bytes[0] === 0xff && bytes[1] === 0xfe) && !(bytes[0] === 0xfe && bytes[1] === 0xff));
        const { text } = toSearchableText(bytes);
        const back = Array.from(text, (character) => {
          const code = character.codePointAt(0)!;
          return code >= 0xdc80 && code <= 0xdcff ? [code - 0xdc00] : [...Buffer.from(character)];
        });
        expect(Uint8Array.from(back.flat())).toEqual(bytes);
      }),
    );
  });

  it("shows stray bytes as replacement characters", () => {
    expect(showStrayBytes(toSearchableText(Buffer.from([0x61, 0xff, 0x62])).text)).toBe("a\uFFFDb");
  });
});
