import { describe, expect, it } from "vitest";
import type { SeenPart } from "../../contract/tool.ts";
import { driftOf } from "./drift.ts";

const numbers = Array.from({ length: 20 }, (_, index) => `${index + 1}`);

describe("the drift of a file since it was seen", () => {
  it("shows the changed lines, with one line of context", () => {
    const now = numbers.with(2, "three").toSpliced(10, 2).toSpliced(15, 0, "new", "newer");
    expect(drift([whole(numbers)], now)).toEqual({
      at: "lines 3, 11 and 16-17",
      diff: [
        "@@ -2,3 +2,3 @@\n 2\n-3\n+three\n 4",
        "@@ -10,4 +10,2 @@\n 10\n-11\n-12\n 13",
        "@@ -17,2 +15,4 @@\n 17\n+new\n+newer\n 18",
      ].join("\n"),
    });
  });

  it("is empty when all seen lines still exist, anywhere", () => {
    const parts = [part(3, numbers.slice(2, 5)), part(10, numbers.slice(9, 12))];
    expect([
      drift([whole(numbers)], numbers),
      drift(parts, ["0", "½", ...numbers]),
      drift(parts, numbers.with(7, "eight")),
      drift([], numbers),
    ]).toEqual([undefined, undefined, undefined, undefined]);
  });

  it("locates a part that moved and changed by its remaining neighbours", () => {
    const now = ["0", "½", ...numbers.with(3, "four").with(10, "eleven")];
    expect(drift([part(3, numbers.slice(2, 6)), part(10, numbers.slice(9, 12))], now)).toEqual({
      at: "lines 6 and 13",
      diff: "@@ -5,3 +5,3 @@\n 3\n-4\n+four\n 5\n@@ -12,3 +12,3 @@\n 10\n-11\n+eleven\n 12",
    });
  });

  it("locates a part without remaining lines by its line number", () => {
    expect(drift([part(3, ["x", "y"])], numbers)).toEqual({
      at: "lines 3-4",
      diff: "@@ -2,4 +2,4 @@\n 2\n-x\n-y\n+3\n+4\n 5",
    });
  });

  it("shows line endings when only they changed", () => {
    const seen: SeenPart = { bytes: Buffer.from("a\r\nb\nc"), lines: "all" };
    expect(driftOf([seen], Buffer.from("a\nb\nc\n"))?.diff).toBe(
      "@@ -1,2 +1,2 @@\n-a<U+000D><U+000A>\n+a<U+000A>\n b\n@@ -2,2 +2,2 @@\n b\n-c <no line end>\n+c<U+000A>",
    );
  });

  it("supports every encoding, and ignores a byte-order mark", () => {
    const seen: SeenPart = { bytes: Buffer.from("Grüße\nĊ\n", "utf16le"), lines: "all" };
    const file = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le");
    expect([driftOf([seen], file("Grüße\nĊ\n")), driftOf([seen], file("Grüße\nČ\n"))]).toEqual([
      undefined,
      { at: "line 2", diff: "@@ -1,2 +1,2 @@\n Grüße\n-Ċ\n+Č" },
    ]);
  });

  it("is cut when it is long", () => {
    const now = Array.from({ length: 300 }, (_, index) => `other ${index}`);
    const lines = drift([whole(numbers)], now)!.diff.split("\n");
    expect([lines.length, lines.at(-1)]).toEqual([61, "… 261 more lines of difference"]);
  });
});

function drift(seen: readonly SeenPart[], now: readonly string[]) {
  return driftOf(seen, bytesOf(now));
}

function whole(lines: readonly string[]): SeenPart {
  return { bytes: bytesOf(lines), lines: "all" };
}

function part(first: number, lines: readonly string[]): SeenPart {
  return { bytes: bytesOf(lines), lines: { first, count: lines.length } };
}

function bytesOf(lines: readonly string[]): Uint8Array {
  return Buffer.from(lines.map((line) => `${line}\n`).join(""));
}
