import fc from "fast-check";
import { expect, it } from "vitest";
import { anyCodePoint } from "../../../test/support/any-code-point.ts";
import { printable, printableLine, showPath } from "./printable.ts";

it("leaves ordinary text of all scripts unchanged", () => {
  const text = "Grüße\t日本語 👩‍👩‍👧 ❤️ नमस्ते می‌خواهم\r\nEnde\n";
  expect(printable(text)).toBe(text);
});

it.each([
  ["colours", "\u001b[31mred", "<U+001B>[31mred"],
  ["a title or the clipboard (OSC 52)", "\u001b]52;c;Y2F0\u0007", "<U+001B>]52;c;Y2F0<U+0007>"],
  ["eight-bit control codes", "\u009b2J", "<U+009B>2J"],
  ["overwriting earlier output", "safe\rrm -rf /\b\b", "safe<U+000D>rm -rf /<U+0008><U+0008>"],
  ["bidirectional marks", "a\u202etxt.exe\u2066", "a<U+202E>txt.exe<U+2066>"],
  ["line breaks of some terminals only", "a\u2028b\u0085", "a<U+2028>b<U+0085>"],
  ["invisible characters", "r\u200bm\u{e0041}\ufeff", "r<U+200B>m<U+E0041><U+FEFF>"],
  ["blank letters", "a\u3164b\uffa0\u115f\u2800", "a<U+3164>b<U+FFA0><U+115F><U+2800>"],
  ["lone surrogates", "\ud800", "<U+D800>"],
])("shows %s", (_what, text, shown) => {
  expect(printable(text)).toBe(shown);
});

it("keeps to one line on request", () => {
  expect(printableLine("a\nb\r\n\tc")).toBe("a<U+000A>b<U+000D><U+000A><U+0009>c");
});

it("lets no terminal control character through", () => {
  const steering = /(?!\n|\t|\r\n)[\p{Cc}\p{Bidi_Control}]/u;
  fc.assert(
    fc.property(fc.string({ unit: anyCodePoint }), (text) => {
      expect(printable(text)).not.toMatch(steering);
    }),
  );
});

it("quotes a name with control characters, and no other", () => {
  const names = [
    "a b/ä.txt",
    "a\nb",
    "tab\t",
    "bell\u0007",
    'quote"',
    "a\u202etxt.ts",
    "a\u2028b",
    "a\u009b31m",
  ];
  expect(names.map(showPath)).toEqual([
    "a b/ä.txt",
    '"a\\nb"',
    '"tab\\t"',
    '"bell\\u0007"',
    'quote"',
    '"a\\u202etxt.ts"',
    '"a\\u2028b"',
    '"a\\u009b31m"',
  ]);
});
