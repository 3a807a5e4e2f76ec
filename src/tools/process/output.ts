import * as z from "zod/mini";
import { ToolError } from "../../contract/error.ts";
import type { ProcessOutput } from "../../contract/process.ts";
import type { Tool } from "../../contract/tool.ts";
import { translateRegex } from "../../lib/rust-regex/rust-regex.ts";
import { OutOfTime, withinTime } from "../../lib/time-bound.ts";
import { amount } from "../fields.ts";
import { surroundingsOf } from "../shell/describe-run.ts";
import {
  describeProcess,
  lastCursor,
  maxCharsField,
  nameField,
  showOutput,
  untilEnded,
} from "./describe-process.ts";

const input = z.strictObject({
  name: nameField,
  cursor: z.optional(
    z
      .union([z.int().check(z.minimum(0)), lastCursor])
      .check(z.describe('Cursor, or "last" for output not shown yet.')),
  ),
  stream: z.optional(z.enum(["stdout", "stderr"]).check(z.describe("Default both."))),
  line: z.optional(z.string().check(z.minLength(1), z.describe("Regex of lines to return."))),
  wait_ms: amount(0, 600_000, "Wait at most this long for its exit."),
  max_chars: maxCharsField("20000"),
});

export const processOutput: Tool<z.infer<typeof input>, ProcessOutput> = {
  name: "process.output",
  description:
    "Read the output of a process. Pass `cursor` from the previous result to get only newer output.",
  risk: "read",
  input,
  limits: { maxChars: 30_000, keep: "tail" },
  timeoutMs: 610_000,
  accesses: () => [],

  async run({ name, cursor, stream, line, wait_ms: waitMs, max_chars: maxChars = usualChars }, context) {
    const wanted = line === undefined ? undefined : lineFilter(line);
    if (waitMs !== undefined) await untilEnded(name, waitMs, context);
    const whole = await context.processes.output(name, { cursor, stream, maxChars });
    const output = wanted === undefined ? whole : { ...whole, text: wanted(whole.text) };
    return {
      data: output,
      text: [showOutput(output), describeProcess(output.status), ...surroundingsOf(output.status)].join("\n"),
      continuation: continuationAfter(output, cursor),
    };
  },
};

const usualChars = 20_000;

function continuationAfter(
  { from, cursor, status }: ProcessOutput,
  asked: number | "last" | undefined,
): string {
  const next = `cursor ${cursor}`;
  if (cursor < status.cursor) return `More output follows: continue with ${next}.`;
  const before = asked === undefined && from > 0 ? ` Earlier output starts at cursor 0.` : "";
  return status.state === "ended" ? `End of output.${before}` : `Read newer output with ${next}.${before}`;
}

/** Returns a filter that keeps the lines that match. Throws `invalid-input` for an invalid expression. */
function lineFilter(pattern: string): (text: string) => string {
  const regex = translateRegex(pattern);
  if (regex.untranslatable !== undefined) throw unsupportedLine(regex.untranslatable);
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
      throw error instanceof OutOfTime ? unsupportedLine("it takes too long") : error;
    }
  };
}

const maxMs = 1000;

function unsupportedLine(reason: string): ToolError {
  return new ToolError("unsupported", `\`line\` does not support this expression: ${reason}`, {
    hint: "Use a simpler expression, or leave out `line`.",
  });
}
