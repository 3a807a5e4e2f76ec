import { expect, it } from "vitest";
import { showPath } from "./show-path.ts";

it("quotes a name with control characters, and no other", () => {
  const names = ["a b/ä.txt", "a\nb", "tab\t", "bell\u0007", 'quote"'];
  expect(names.map(showPath)).toEqual(["a b/ä.txt", '"a\\nb"', '"tab\\t"', '"bell\\u0007"', 'quote"']);
});
