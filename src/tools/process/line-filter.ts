import { ToolError } from "../../contract/error.ts";
import { translateRegex } from "../../lib/rust-regex/rust-regex.ts";
import { OutOfTime, withinTime } from "../../lib/time-bound.ts";

/** Leaves the lines of a text that match. Throws `invalid-input` for what is no expression. */
export function lineFilter(pattern: string): (text: string) => string {
  const regex = translateRegex(pattern);
  if (regex.untranslatable !== undefined) throw cannotBe(regex.untranslatable);
  const expression = regex.compile({ ascii: false, carriageReturns: true, strayBytes: false });
  const matches = (line: string) => {
    expression.lastIndex = 0;
    return expression.test(line);
  };
  return (text) => {
    try {
      return withinTime(maxMs, () =>
        text
          .split(/(?<=\n)/)
          .filter(matches)
          .join(""),
      );
    } catch (error) {
      throw error instanceof OutOfTime ? cannotBe("it takes too long") : error;
    }
  };
}

const maxMs = 1000;

function cannotBe(reason: string): ToolError {
  return new ToolError("unsupported", `Lines cannot be looked for by this expression: ${reason}`, {
    hint: "Use a simpler one, or leave it out.",
  });
}
