import * as z from "zod/mini";
import type { Tool } from "../../contract/tool.ts";
import { flag } from "../fields.ts";
import { calculate } from "./calculate/calculate.ts";
import { type ShownValue, shownDigits, showValue } from "./calculate/show-value.ts";

export type MathCalculateData = ShownValue;

const input = z.strictObject({
  expression: z
    .string()
    .check(
      z.describe(
        "+ - * / % mod ^ !, functions like sqrt(x), log(x, base), round(x, digits), constants pi, e.",
      ),
    ),
  strict: flag("Allow only + - * / ** ( ) and numbers."),
});

const dataSchema = {
  type: "object",
  properties: {
    value: { type: "string", description: "In decimal." },
    isExact: { type: "boolean", description: "False if it was rounded." },
    fraction: { type: "string", description: "The exact value when no decimal can express it." },
  },
  required: ["value", "isExact"],
};

export const mathCalculate: Tool<z.infer<typeof input>, MathCalculateData> = {
  name: "math.calculate",
  description: `Evaluate an arithmetic expression. Returns the exact value (=), or ${shownDigits.approximation} digits of an irrational one.`,
  risk: "read",
  hints: { structured: true, dataSchema },
  input,
  limits: { maxChars: 20_000, keep: "both" },
  accesses: () => [],

  async run({ expression, strict = false }) {
    const shown = showValue(calculate(expression, { isStrict: strict }));
    return { data: shown, text: describe(shown) };
  },
};

/** A longer fraction does not help a reader. */
const mostFractionCharacters = 60;

function describe({ value, isExact, fraction }: ShownValue): string {
  if (isExact) return `= ${value}`;
  if (fraction === undefined) return `≈ ${value}`;
  const exactly = fraction.length > mostFractionCharacters ? "" : `; exactly ${fraction}`;
  return `≈ ${value} (${shownDigits.fraction} digits${exactly})`;
}
