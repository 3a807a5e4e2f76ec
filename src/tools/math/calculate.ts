import * as z from "zod/mini";
import type { Tool } from "../../contract/tool.ts";
import { calculate } from "../../text/calculate/calculate.ts";
import { type ShownValue, shownDigits, showValue } from "../../text/calculate/show-value.ts";

export interface MathCalculateInput {
  readonly expression: string;
  readonly strict?: boolean | undefined;
}

export type MathCalculateData = ShownValue;

/** Works out an arithmetic expression, exactly where that can be done. */
export const mathCalculate: Tool<MathCalculateInput, MathCalculateData> = {
  name: "math.calculate",
  summary:
    "Work out an arithmetic expression. Integers of any size, decimals and fractions are exact (=); roots, logarithms and " +
    `trigonometry are rounded to about ${shownDigits.approximation} digits (≈).`,
  risk: "read",
  hints: { structured: true },
  input: z.strictObject({
    expression: z
      .string()
      .check(
        z.describe(
          "+ - * / % mod ^ ** ! ( ), sqrt(x) log(x, base) round(x, digits) sin(x) min(…) …, pi e. `-7 % 3` is -1, `-7 mod 3` is 2.",
        ),
      ),
    strict: z.optional(
      z.boolean().check(z.describe("Only + - * / ** ^ and parentheses over numbers; no names, no calls.")),
    ),
  }),
  limits: { maxChars: 20_000, keep: "both" },
  accesses: () => [],

  async run({ expression, strict = false }) {
    const shown = showValue(calculate(expression, { isStrict: strict }));
    return { data: shown, text: describe(shown) };
  },
};

/** Longer ones tell a reader nothing. */
const mostFractionCharacters = 60;

function describe({ value, isExact, fraction }: ShownValue): string {
  if (isExact) return `= ${value}`;
  if (fraction === undefined) return `≈ ${value}`;
  const exactly = fraction.length > mostFractionCharacters ? "" : `; exactly ${fraction}`;
  return `≈ ${value} (${shownDigits.fraction} digits${exactly})`;
}
