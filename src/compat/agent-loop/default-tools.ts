import { ToolError } from "../../contract/error.ts";
import { calculate } from "../../tools/math/calculate/calculate.ts";
import { showValue } from "../../tools/math/calculate/show-value.ts";
import { BaseTool } from "./tools.ts";

/** The tools of the first loop: `calculate` and `get_current_time`. They need no room. */
export function getDefaultTools(): readonly BaseTool[] {
  return [new CalculateTool(), new GetCurrentTimeTool()];
}

class CalculateTool extends BaseTool {
  readonly name = "calculate";
  readonly description = "Work out an expression of + - * / ** and parentheses over numbers.";
  readonly parameters = {
    type: "object",
    properties: { expression: { type: "string", description: "For example (2+3)*4." } },
    required: ["expression"],
    additionalProperties: false,
  };
  override readonly risk = "read";

  override handler({ expression }: Readonly<Record<string, unknown>>): string {
    if (typeof expression === "string") return showValue(calculate(expression, { isStrict: true })).value;
    throw new ToolError("invalid-input", "`expression` is missing", { hint: "For example (2+3)*4." });
  }
}

class GetCurrentTimeTool extends BaseTool {
  readonly name = "get_current_time";
  readonly description = "The current time in UTC, ISO-8601.";
  readonly parameters = { type: "object", properties: {}, additionalProperties: false };
  override readonly risk = "read";

  override handler(): string {
    return new Date().toISOString().replace("Z", "+00:00");
  }
}
