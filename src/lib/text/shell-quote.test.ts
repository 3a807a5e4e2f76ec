import { expect, it } from "vitest";
import { fromCommandLine, shellQuote, toCommandLine } from "./shell-quote.ts";

it("quotes words that a shell would read differently, and no others", () => {
  expect(toCommandLine(["git", "--format=%H", "a b", "", "it's", "$HOME", "~"])).toBe(
    "git --format=%H 'a b' '' 'it'\\''s' '$HOME' '~'",
  );
  expect(shellQuote("plain")).toBe("'plain'");
});

it("quotes a program name that a shell would read as an assignment or a job", () => {
  expect(toCommandLine(["a=b", "-c", "c=d"])).toBe("'a=b' -c c=d");
  expect(toCommandLine(["%1"])).toBe("'%1'");
});

it("splits its own output into the same words", () => {
  const words = ["a", "b c", "it's", '"', "\\", "", "x\ny"];
  expect(fromCommandLine(toCommandLine(words))).toEqual(words);
});
