import * as z from "zod/mini";
import { ToolError } from "../../contract/error.ts";
import type { ProcessOutput } from "../../contract/process.ts";
import type { Tool } from "../../contract/tool.ts";
import { amount } from "../fields.ts";
import { surroundingsOf } from "../shell/describe-run.ts";
import { continuationAfter, describeProcess, failureOf, nameField, showOutput } from "./describe-process.ts";

const usualTimeoutMs = 60_000;
const maxTimeoutMs = 600_000;

const input = z.strictObject({
  name: nameField,
  until: z.optional(
    z.enum(["exit", "ready", "output"]).check(z.describe("Default exit, or output with `line`.")),
  ),
  line: z.optional(z.string().check(z.minLength(1), z.describe("Regex of an output line: [0-9]+ passed"))),
  cursor: z.optional(z.int().check(z.minimum(0), z.describe("Only output after this cursor."))),
  timeout_ms: amount(1, maxTimeoutMs, "Default 60000."),
});

export const processWait: Tool<z.infer<typeof input>, ProcessOutput> = {
  name: "process.wait",
  description: "Wait until a process exits, is ready, or prints output.",
  risk: "read",
  input,
  limits: { maxChars: 30_000, keep: "tail" },
  timeoutMs: maxTimeoutMs + 10_000,
  accesses: () => [],

  async run({ name, line, cursor, ...input }, { processes, signal, progress, output: emit }) {
    const { until = line === undefined ? "exit" : "output", timeout_ms: timeoutMs = usualTimeoutMs } = input;
    if (until !== "output" && line !== undefined)
      throw new ToolError("invalid-input", `\`line\` cannot be combined with until "${until}"`, {
        hint: 'Leave out `line`, or wait until "output".',
      });
    await processes.wait(name, { until, line, cursor, timeoutMs }, { signal, progress, output: emit });
    const output = await processes.output(name, { cursor, maxChars });
    return {
      data: output,
      text: [showOutput(output), describeProcess(output.status), ...surroundingsOf(output.status)].join("\n"),
      failed: until === "exit" ? failureOf(output.status) : undefined,
      ...continuationAfter(output),
    };
  },
};

const maxChars = 10_000;
