import { expect, it } from "vitest";
import { markdownTable } from "./blocks.ts";

it("keeps every cell in its row and column", () => {
  const rows = [["Name", "Note"], ["a|b", " two\r\nlines\n"], ["only one"], ["", "x", "one more"]];
  expect(markdownTable(rows)).toBe(
    [
      "| Name | Note | |",
      "|---|---|---|",
      "| a\\|b | two<br>lines | |",
      "| only one | | |",
      "| | x | one more |",
    ].join("\n"),
  );
});
