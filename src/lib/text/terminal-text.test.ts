import { expect, it } from "vitest";
import { plainTerminalText } from "./terminal-text.ts";

const cases: readonly (readonly [what: string, text: string, plain: string])[] = [
  ["leaves plain text alone", "a\tb \r\nc äöü 👩‍💻\n", "a\tb \nc äöü 👩‍💻\n"],
  ["removes colours", "\u001b[1;31mred\u001b[0m \u009b32mgreen\u009bm", "red green"],
  ["removes clipboard sequences", "a\u001b]52;c;c2VjcmV0\u0007b\u001b]52;c;eA==\u001b\\c", "abc"],
  ["keeps the text of a link", "\u001b]8;;https://x\u001b\\here\u001b]8;;\u001b\\", "here"],
  ["hides nothing after an unterminated string", "\u001b]0;title\nnext", "0;title\nnext"],
  ["hides nothing after a truncated sequence", "a\u001b[", "a"],
  ["keeps the last state of a progress bar", "10%\r50%\r100%\ndone\n", "100%\ndone\n"],
  ["keeps text that a shorter state does not cover", "abcdef\rXY", "XYcdef"],
  ["clears the rest of a line on request", "abcdef\rXY\u001b[K", "XY"],
  ["clears the whole line on request", "abcdef\u001b[2K\rXY", "XY"],
  ["follows backspaces", "|\b/\b-\bok and N\bNA\bA", "ok and NA"],
  ["removes cursor movements", "a\u001b[2Ab\u001b[10;1Hc\u001b7d\u001b(Be", "abcde"],
  ["shows other control characters", "a\0b\u0007c\u007f", "a␀b␇c␡"],
  ["counts a surrogate pair as one character", "👍👍\rx", "x👍"],
  ["treats several carriage returns before a line feed as one line end", "a\r\r\nb", "a\nb"],
];

it.each(cases)("%s", (_, text, plain) => {
  expect(plainTerminalText(text)).toBe(plain);
});

it("takes time linear in the text", { tags: "slow" }, () => {
  const hostile = [
    "\u001b]",
    "\u001b[",
    "\u001b[1;",
    "\r",
    "\b",
    "\u001bP",
    "x\r\u001b[2K",
    "\u009d",
    "\u0090x",
    "\b\r",
    "x\u001b[2K",
    "x\u001b[K",
  ];
  for (const piece of hostile) plainTerminalText(piece.repeat(200_000));
});
