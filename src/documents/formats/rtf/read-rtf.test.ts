import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { failureOf, readBytes } from "../../../../test/support/documents/read-bytes.ts";
import { allText, sampleBytes } from "../../../../test/support/documents/samples.ts";

describe("RTF", () => {
  it.each([
    ["the character set of the document", "\\ansicpg1251 \\'cf\\'f0\\'e8\\'e2\\'e5\\'f2", "Привет"],
    [
      "the character set of a font",
      "{\\fonttbl{\\f1\\fcharset161 Times;}}\\f1 \\'e1\\'e2{\\f0 \\'e4}",
      "αβä",
    ],
    ["multi-byte characters", "{\\fonttbl{\\f1\\fcharset128 Gothic;}}\\f1 \\'93\\'fa\\'96\\'7b", "日本"],
    ["unescaped bytes", "gr\xfc\xdfe", "grüße"],
    [
      "characters of symbol fonts",
      "{\\fonttbl{\\f1\\fcharset2 Symbol;}}a {\\f1 b\\'b7} {\\f1\\u-3999 ?}",
      "a β• α",
    ],
    ["Unicode without its fallback text", "\\u8364 ?\\uc2\\u8364 \\'80x\\uc0\\u8364 .", "€€€."],
    ["surrogate pairs", "\\u-10179 ?\\u-8704 ?", "😀"],
    [
      "control words for characters",
      "\\ldblquote a\\rdblquote\\~b\\_c\\-d\\emdash\\{\\}\\\\",
      "“a”\u00a0b\u2011cd—{}\\",
    ],
  ])("reads %s", async (_, body, text) => {
    expect(await textOf(body)).toBe(text);
  });

  it("skips non-text groups, known or not, and binary data with any content", async () => {
    const body =
      "a{\\*\\unknown b{c}}{\\colortbl;\\red0;}{\\xe d}{\\upr{e}{\\*\\ud f}}{\\*\\pict}{\\bin5 }}{{\\}g";
    expect(await textOf(body)).toBe("ae![]g");
  });

  it("shows tables, the text of nested tables, and the text after them", async () => {
    const body =
      "\\trowd\\cellx1\\cellx2\\pard\\intbl a\\cell b\\par c\\cell\\row" +
      "\\trowd\\pard\\intbl d\\cell\\pard\\intbl\\itap2 x\\nestcell y\\nestcell{\\*\\nesttableprops\\trowd\\nestrow}{\\nonesttables\\par}" +
      "\\pard\\intbl\\itap1 e\\cell\\row\\pard after\\par";
    expect(await textOf(body)).toBe("| a | b<br>c |\n|---|---|\n| d | x<br>y<br>e |\n\nafter");
  });

  it("takes headings from styles and paragraphs, and list markers from the text", async () => {
    const styles = "{\\stylesheet{\\s1\\outlinelevel1 One;}{\\s2\\sbasedon1 Two;}{\\s3 heading 3;}}";
    const body = `${styles}\\pard\\s2 by base\\par\\pard\\s3 by name\\par\\pard\\outlinelevel0 by itself\\par\\pard{\\listtext 4.\\tab}\\ilvl1 item\\par\\pard{\\pntext\\'b7\\tab}dot\\par`;
    expect(await textOf(body)).toBe("## by base\n\n### by name\n\n# by itself\n\n  4. item\n- dot");
  });

  it("shows fields, and changes as accepted", async () => {
    const body =
      'see {\\field{\\*\\fldinst HYPERLINK "https://example.org"}{\\fldrslt {\\ul here}}}{\\deleted gone}{\\revised new}';
    const { parts, notes } = await readBytes("x.rtf", rtf(body));
    expect([parts, notes]).toEqual([
      [{ anchor: "", text: "see [here](https://example.org)new" }],
      ["has 2 tracked changes, shown as accepted"],
    ]);
  });

  it("reports when it is cut off, and shows the rest", async () => {
    const { parts, notes } = await readBytes("x.rtf", "{\\rtf1 half {\\b of a");
    expect([parts, notes]).toEqual([
      [{ anchor: "", text: "half of a" }],
      ["the file is incomplete: its end is missing"],
    ]);
  });

  it("is refused when nested too deeply", async () => {
    expect(await failureOf(readBytes("x.rtf", rtf("{".repeat(1_000_000))))).toEqual([
      "too-large",
      "x.rtf is too large to read: it is nested deeper than 512",
    ]);
  });

  it("is refused when one long row would widen many", async () => {
    const table = `${"\\intbl a\\cell ".repeat(10_000)}\\row${"\\intbl a\\cell\\row ".repeat(10_000)}`;
    expect(await failureOf(readBytes("x.rtf", rtf(table)))).toEqual([
      "too-large",
      "x.rtf is too large to read: it has more than 50000000 pieces",
    ]);
  });

  it("is read or refused with any content", async () => {
    const piece = fc.constantFrom(
      ..."{ } \\ \\par \\cell \\row \\nestcell \\nestrow \\u55357 \\'e4 \\'zz \\bin9999999999 \\*".split(" "),
      ..."\\footnote \\annotation \\field \\fldinst \\fldrslt \\pict \\info \\title \\header \\upr \\ud \\f1".split(
        " ",
      ),
      ..."\\fonttbl \\stylesheet \\listtext \\shptxt \\uc9 \\constructor \\itap9 \\pard word \xe4".split(" "),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 60 }), async (pieces) => {
        expect((await readBytes("x.rtf", rtf(pieces.join(" ")))).format).toBe("rtf");
      }),
    );
  });

  it("is read or refused when a real file is cut at any byte", { tags: "slow" }, async () => {
    const whole = sampleBytes("report.rtf");
    for (let length = 100; length < whole.length; length += 211)
      expect((await readBytes("x.rtf", whole.subarray(0, length))).format).toBe("rtf");
  });
});

function rtf(body: string): Buffer {
  return Buffer.from(`{\\rtf1\\ansi ${body}}`, "latin1");
}

async function textOf(body: string): Promise<string> {
  return allText(await readBytes("x.rtf", rtf(body)));
}
