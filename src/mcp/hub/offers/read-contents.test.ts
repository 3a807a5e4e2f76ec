import { expect, it } from "vitest";
import { readContents } from "./read-contents.ts";

it("leaves out a part that is too large, and keeps the parts after it", () => {
  const [large, small] = ["A".repeat(10_000_004), "AAAA"];
  const contents = [
    { uri: "x:large", blob: large },
    { uri: "x:small", blob: small },
  ];
  expect(readContents({ contents }, "x:all").contents).toEqual([
    { uri: "x:small", blob: small },
    { uri: "x:all", mimeType: "text/plain", text: "[1 invalid or too large: not shown]" },
  ]);
});
