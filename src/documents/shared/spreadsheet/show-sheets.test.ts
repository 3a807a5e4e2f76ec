import { expect, it } from "vitest";
import { Budget } from "../../budget.ts";
import { type Sheet, showSheets } from "./show-sheets.ts";

it("iterates the rows only a few times when remarks are slightly too long and the next row is long", () => {
  let looks = 0;
  const sheet: Sheet = {
    name: "S",
    isHidden: false,
    rows: () => {
      looks += 1;
      return ["a", "b", "c".repeat(50_000)].map((text, index) => ({
        number: index + 1,
        cells: [{ column: 1, text }],
      }));
    },
    remarks: () => ["r".repeat(20_000)],
  };
  const context = { budget: new Budget("x"), signal: new AbortController().signal, progress: () => {} };
  // Both rows have 20 038 characters, which is too many.
  const { parts, next } = showSheets([sheet], { maxChars: 20_037 }, "x", context);
  expect([parts[0]?.text.length, next, looks]).toEqual([20_028, "S!A2:", 2]);
});
