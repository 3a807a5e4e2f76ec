import { expect, it } from "vitest";
import { showPath } from "./show-path.ts";

it("quotes a name that would steer what shows it, and no other", () => {
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
