import * as z from "zod/mini";
import type { ProcessOutput } from "../../contract/process.ts";
import type { Tool } from "../../contract/tool.ts";
import { amount, flag } from "../fields.ts";
import {
  continuationAfter,
  describeProcess,
  lastCursor,
  maxCharsField,
  nameField,
  showOutput,
} from "./describe-process.ts";

const input = z.strictObject({
  name: nameField,
  text: z.string().check(z.describe("Text to type: yes\\n")),
  end: flag("Close its input afterwards."),
  wait_ms: amount(0, 600_000, "Wait at most this long for its exit. Default: until it answers."),
  max_chars: maxCharsField("20000"),
  cursor: z.optional(lastCursor.check(z.describe("Include output not shown yet."))),
});

export const processInput: Tool<z.infer<typeof input>, ProcessOutput> = {
  name: "process.input",
  description:
    "Send input to a process and return its output. End lines with \\n; \\u0003 is Ctrl-C in a terminal.",
  risk: "execute",
  input,
  limits: { maxChars: 30_000, keep: "tail" },
  timeoutMs: 610_000,
  accesses: () => [],

  preview: async ({ name, text, end }) =>
    `Would send to ${name}: ${JSON.stringify(text)}${end ? ", then close its input" : ""}`,

  async run({ name, ...given }, { processes, signal, progress, output: emit, uncovered }) {
    uncovered("what a process does with its input");
    const { text, end, wait_ms: waitMs, max_chars: maxChars, cursor } = given;
    const output = await processes.input(
      name,
      { text, end, waitMs, maxChars, cursor },
      { signal, progress, output: emit },
    );
    return {
      data: output,
      text: [showOutput(output), describeProcess(output.status)].join("\n"),
      ...continuationAfter(output),
    };
  },
};
