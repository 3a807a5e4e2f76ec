import { expect, it } from "vitest";
import { schemaFaults, toolFixture } from "../../../test/support/tool-fixture.ts";
import { mathCalculate } from "./calculate.ts";

it("returns the value, and the fraction of an infinite decimal", async () => {
  await using tools = toolFixture();
  const answers = await Promise.all(
    ["2^3^2", "1/3", "sqrt(2)", "1/3^99"].map((expression) => tools.run(mathCalculate, { expression })),
  );
  expect(answers).toEqual([
    { data: { value: "512", isExact: true, fraction: undefined }, text: "= 512" },
    {
      data: { value: "0.33333333333333333333", isExact: false, fraction: "1/3" },
      text: "≈ 0.33333333333333333333 (20 digits; exactly 1/3)",
    },
    { data: { value: "1.4142135623731", isExact: false, fraction: undefined }, text: "≈ 1.4142135623731" },
    {
      data: {
        value: "5.8209756524478985128e-48",
        isExact: false,
        fraction: `1/${3n ** 99n}`,
      },
      text: `≈ 5.8209756524478985128e-48 (20 digits; exactly 1/${3n ** 99n})`,
    },
  ]);
});

it("refuses names and calls in strict mode", async () => {
  await using tools = toolFixture();
  expect((await tools.run(mathCalculate, { expression: "(2+3)*4", strict: true })).text).toBe("= 20");
  expect(await tools.refusal(mathCalculate, { expression: "sqrt(4)", strict: true })).toEqual({
    code: "invalid-input",
    message: '"sqrt" is not allowed in strict mode, at character 1',
    hint: "Use numbers, + - * / ** and parentheses only.",
  });
});

it("accesses nothing and refuses unknown arguments", () => {
  expect(mathCalculate.accesses({ expression: "1" })).toEqual([]);
  expect(schemaFaults(mathCalculate, { expression: 1, precision: 2 })).toEqual([
    "expression: Invalid input",
    ": Invalid input",
  ]);
});
