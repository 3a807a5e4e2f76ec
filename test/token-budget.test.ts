import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { countTokens, tokenPage, tokenTable, withTable } from "../scripts/token-table.ts";

const counts = await countTokens();

it("describes the built-in tools in few tokens", () => {
  const { listed, whole } = counts.find(({ dialect }) => dialect === "toolcrib")!;
  expect(listed.tokens).toBeLessThanOrEqual(2_500);
  expect(whole.tokens).toBeLessThanOrEqual(7_500);
});

it("publishes the cost of each dialect: node scripts/token-table.ts --write", () => {
  const page = readFileSync(tokenPage, "utf8");
  expect(page).toBe(withTable(page, tokenTable(counts)));
});
