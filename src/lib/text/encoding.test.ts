import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCodePoint } from "../../../test/support/any-code-point.ts";
import { byteOrderMarkLength, decodeText, detectEncoding } from "./encoding.ts";

const whole = { complete: true };
const beginning = { complete: false };

describe("detectEncoding", () => {
  it("uses the byte order mark", () => {
    const marks = ["efbbbf61", "fffe6100", "feff0061"].map((hex) => Buffer.from(hex, "hex"));
    expect(marks.map((head) => detectEncoding(head, whole))).toEqual(["utf-8-bom", "utf-16le", "utf-16be"]);
    expect(marks.map(byteOrderMarkLength)).toEqual([3, 2, 2]);
  });

  it("treats an empty file and plain text as UTF-8", () => {
    expect(detectEncoding(Buffer.alloc(0), whole)).toBe("utf-8");
    expect(detectEncoding(Buffer.from("Grüße, 世界 😀\n"), whole)).toBe("utf-8");
    expect(byteOrderMarkLength(Buffer.from("Grüße"))).toBe(0);
  });

  it("treats invalid UTF-8 as Latin-1", () => {
    expect(detectEncoding(Buffer.from("Grüße\n", "latin1"), whole)).toBe("latin1");
  });

  it("treats UTF-8 with a stray byte as UTF-8", () => {
    const mixed = Buffer.concat([Buffer.from("Grüße"), Buffer.of(0xe9)]);
    expect(detectEncoding(mixed, whole)).toBe("utf-8");
    expect(decodeText(mixed, "utf-8")).toEqual({ text: "Grüße\ufffd", encoding: "utf-8" });
  });

  it("accepts a character cut at the end of a partial read, and only there", () => {
    const cut = Buffer.from("Gruß").subarray(0, -1);
    expect([detectEncoding(cut, beginning), detectEncoding(cut, whole)]).toEqual(["utf-8", "latin1"]);
    const inside = Buffer.concat([cut, Buffer.from("!")]);
    expect(detectEncoding(inside, beginning)).toBe("latin1");
  });

  it("detects UTF-16 without a mark by the position of zero bytes", () => {
    const little = Buffer.from("plain words\r\n", "utf16le");
    expect(detectEncoding(little, whole)).toBe("utf-16le");
    expect(detectEncoding(Buffer.from(little).swap16(), whole)).toBe("utf-16be");
  });

  it("treats other zero bytes as binary", () => {
    expect(detectEncoding(Buffer.from("abc\0def"), whole)).toBe("binary");
    expect(detectEncoding(Buffer.from([0, 0, 0, 0]), whole)).toBe("binary");
    expect(detectEncoding(Buffer.from("\x7fELF\x02\x01\x01\0\0\0", "latin1"), whole)).toBe("binary");
  });
});

describe("decodeText", () => {
  it("decodes every encoding", () => {
    const text = "Grüße, 世界 😀\r\n";
    const decoded = [
      decodeText(Buffer.from(text), "utf-8"),
      decodeText(Buffer.from(text), "utf-8-bom"),
      decodeText(Buffer.from(text, "utf16le"), "utf-16le"),
      decodeText(Buffer.from(text, "utf16le").swap16(), "utf-16be"),
      decodeText(Buffer.from("Grüße", "latin1"), "latin1"),
    ];
    expect(decoded).toEqual([
      { text, encoding: "utf-8" },
      { text, encoding: "utf-8-bom" },
      { text, encoding: "utf-16le" },
      { text, encoding: "utf-16be" },
      { text: "Grüße", encoding: "latin1" },
    ]);
  });

  it("decodes as Latin-1 when the text turns out not to be UTF-8, and reports it", () => {
    expect(decodeText(Buffer.from([0x61, 0xff]), "utf-8")).toEqual({ text: "aÿ", encoding: "latin1" });
  });

  it("keeps a byte order mark inside the text", () => {
    expect(decodeText(Buffer.from("\ufeffa\ufeff"), "utf-8")).toEqual({
      text: "\ufeffa\ufeff",
      encoding: "utf-8",
    });
  });

  it("leaves out half a code unit at the end, and does not change the given bytes", () => {
    const bytes = Buffer.from([0x00, 0x61, 0x00]);
    expect(decodeText(bytes, "utf-16be")).toEqual({ text: "a", encoding: "utf-16be" });
    expect(bytes).toEqual(Buffer.from([0x00, 0x61, 0x00]));
  });

  it("decodes every encoded text back, and never fails on any bytes", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCodePoint }), (text) => {
        expect(decodeText(Buffer.from(text), "utf-8").text).toBe(text);
        expect(decodeText(Buffer.from(text, "utf16le"), "utf-16le").text).toBe(text);
        expect(decodeText(Buffer.from(text, "utf16le").swap16(), "utf-16be").text).toBe(text);
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array(), fc.boolean(), (bytes, complete) => {
        const encoding = detectEncoding(bytes, { complete });
        if (encoding !== "binary") expect(typeof decodeText(bytes, encoding).text).toBe("string");
      }),
    );
  });
});
