import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rounds } from "../../../test/support/rounds.ts";
import type { OutputLimits } from "../../contract/tool.ts";
import { type Cut, characterStart, truncateText } from "./truncate.ts";

const notice = ({ chars, lines }: Cut) => `[${chars} characters, ${lines} lines left out]`;

describe("truncateText", () => {
  it("leaves a text of exactly the limit unchanged", () => {
    for (const keep of ["head", "tail", "both"] as const) {
      expect(truncateText("one\ntwo\n", { maxChars: 8, maxLines: 2, keep }, notice)).toEqual({
        text: "one\ntwo\n",
        cut: undefined,
      });
    }
  });

  it("keeps the beginning", () => {
    expect(truncateText("abcdefghij", { maxChars: 4, keep: "head" }, notice)).toEqual({
      text: "abcd\n[6 characters, 1 lines left out]",
      cut: { chars: 6, lines: 1 },
    });
  });

  it("keeps the end", () => {
    expect(truncateText("abcdefghij", { maxChars: 4, keep: "tail" }, notice)).toEqual({
      text: "[6 characters, 1 lines left out]\nghij",
      cut: { chars: 6, lines: 1 },
    });
  });

  it("keeps both ends, with the odd character at the beginning", () => {
    expect(truncateText("abcdefghij", { maxChars: 5, keep: "both" }, notice)).toEqual({
      text: "abc\n[5 characters, 1 lines left out]\nij",
      cut: { chars: 5, lines: 1 },
    });
  });

  it("cuts between two lines when that costs little", () => {
    const text = "0123456789\n".repeat(10);
    expect(truncateText(text, { maxChars: 46, keep: "both" }, notice)).toEqual({
      text: "0123456789\n0123456789\n[66 characters, 6 lines left out]\n0123456789\n0123456789\n",
      cut: { chars: 66, lines: 6 },
    });
  });

  it("cuts inside a line when its end is far away", () => {
    expect(truncateText(`a\n${"b".repeat(100)}`, { maxChars: 20, keep: "head" }, notice)).toEqual({
      text: `a\n${"b".repeat(18)}\n[82 characters, 1 lines left out]`,
      cut: { chars: 82, lines: 1 },
    });
  });

  it("cuts by lines after characters", () => {
    const text = "1\n2\n3\n4\n5\n6\n7\n8";
    const results = (["head", "tail", "both"] as const).map((keep) =>
      truncateText(text, { maxChars: 100, maxLines: 3, keep }, notice),
    );
    expect(results).toEqual([
      { text: "1\n2\n3\n[9 characters, 5 lines left out]", cut: { chars: 9, lines: 5 } },
      { text: "[10 characters, 5 lines left out]\n6\n7\n8", cut: { chars: 10, lines: 5 } },
      { text: "1\n2\n[10 characters, 5 lines left out]\n8", cut: { chars: 10, lines: 5 } },
    ]);
  });

  it("gives one end the lines that the other does not need", () => {
    const text = `${"x".repeat(100)}${"\ny".repeat(10)}`;
    expect(truncateText(text, { maxChars: 40, maxLines: 10, keep: "both" }, notice)).toEqual({
      text: `${"x".repeat(20)}\n[83 characters, 2 lines left out]\n${"y\n".repeat(8)}y`,
      cut: { chars: 83, lines: 2 },
    });
  });

  it("can keep nothing", () => {
    expect(truncateText("text", { maxChars: 0, keep: "both" }, notice)).toEqual({
      text: "[4 characters, 1 lines left out]",
      cut: { chars: 4, lines: 1 },
    });
  });

  it("never cuts a surrogate pair, a joined emoji, a flag, an accent or a CRLF", () => {
    for (const character of ["😀", "👩‍👩‍👧‍👦", "🇩🇪", "e\u0301", "\r\n"]) {
      const text = `ab${character.repeat(3)}yz`;
      for (let index = 3; index < 2 + character.length; index += 1)
        expect(characterStart(text, index)).toBe(2);
      const units = character.length;
      expect(truncateText(text, { maxChars: 2 + units + 1, keep: "head" }, () => "…").text).toBe(
        character === "\r\n" ? "ab\r\n…" : `ab${character}\n…`,
      );
      expect(truncateText(text, { maxChars: 2 + units + 1, keep: "tail" }, () => "…").text).toBe(
        `…\n${character}yz`,
      );
    }
  });

  it("stays within the limits, keeps text unchanged, and counts what it left out", () => {
    const texts = fc
      .array(
        fc.constantFrom(
          "a",
          "bc",
          "\n",
          "\r\n",
          "\r",
          "é",
          "e\u0301",
          "😀",
          "👩‍👩‍👧‍👦",
          "🇩🇪",
          "日本",
          "\u200d",
          " ",
        ),
        {
          maxLength: 200,
        },
      )
      .map((parts) => parts.join(""));
    const limits: fc.Arbitrary<OutputLimits> = fc.record(
      {
        maxChars: fc.nat(120),
        maxLines: fc.nat(30),
        keep: fc.constantFrom("head", "tail", "both"),
      },
      { requiredKeys: ["maxChars", "keep"] },
    );
    fc.assert(
      fc.property(texts, limits, (text, limit) => {
        const { maxChars, maxLines = Number.POSITIVE_INFINITY, keep } = limit;
        const result = truncateText(text, limit, () => "<cut>");
        if (text.length <= maxChars && lines(text) <= maxLines) {
          expect(result).toEqual({ text, cut: undefined });
          return;
        }
        const [before = "", after = ""] = result.text.split("<cut>");
        const tail = after.slice(1);
        const headEnd = text.length - tail.length - (result.cut?.chars ?? 0);
        const head = text.slice(0, headEnd);
        expect(before).toBe(head === "" || head.endsWith("\n") ? head : `${head}\n`);
        expect(after).toBe(tail === "" ? "" : `\n${tail}`);
        expect(text.endsWith(tail)).toBe(true);
        expect(head.length + tail.length).toBeLessThanOrEqual(maxChars);
        expect(lines(head) + lines(tail)).toBeLessThanOrEqual(maxLines);
        expect(result.cut?.lines).toBe(lines(text.slice(headEnd, text.length - tail.length)));
        if (keep === "head") expect(tail).toBe("");
        if (keep === "tail") expect(head).toBe("");
        const boundaries = new Set([...new Intl.Segmenter().segment(text)].map((part) => part.index));
        boundaries.add(text.length);
        expect(boundaries.has(headEnd)).toBe(true);
        expect(boundaries.has(text.length - tail.length)).toBe(true);
      }),
      { numRuns: rounds(400) },
    );
  });

  it("keeps joined characters whole even when they never end", () => {
    const text = `a${"\u0301😀\u200d".repeat(300)}`;
    for (let index = 0; index <= text.length; index += 1) {
      expect(text.slice(0, characterStart(text, index)).isWellFormed()).toBe(true);
    }
    for (let maxChars = 0; maxChars < 400; maxChars += 1) {
      expect(truncateText(text, { maxChars, keep: "both" }, () => "…").text.isWellFormed()).toBe(true);
    }
  });
});

function lines(text: string): number {
  return text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}
