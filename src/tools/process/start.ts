import * as z from "zod/mini";
import { ToolError } from "../../contract/error.ts";
import type { ProcessRequest, ProcessStatus } from "../../contract/process.ts";
import type { Tool } from "../../contract/tool.ts";
import { amount, flag, string } from "../fields.ts";
import { commandAccess } from "../shell/command-access.ts";
import { surroundingsOf } from "../shell/describe-run.ts";
import { describeProcess, failureOf, maxCharsField, showOutput } from "./describe-process.ts";

export interface ProcessStartData extends ProcessStatus {
  /** The output of the process so far; only the end if it is long. */
  readonly said: string;
}

const maxTimeoutMs = 600_000;
const longestMs = 24 * 3_600_000;

const input = z.strictObject({
  command: z.string().check(z.minLength(1), z.describe("npm run dev")),
  name: string('Name for later calls: "web".'),
  cwd: z.optional(z.string()),
  env: z.optional(z.record(z.string(), z.string())),
  terminal: flag("Run it in a terminal."),
  input: flag("false: no standard input."),
  ready: z.optional(
    z
      .strictObject({
        port: z.optional(z.int().check(z.minimum(1), z.maximum(65535))),
        line: z.optional(z.string().check(z.minLength(1), z.describe("Regex that an output line matches."))),
        url: string("URL that answers GET."),
      })
      .check(z.describe("Wait until all of these hold.")),
  ),
  ready_timeout_ms: amount(1, maxTimeoutMs, "Default 60000."),
  wait_ms: amount(0, maxTimeoutMs, "Instead of `ready`: wait at most this long for its exit."),
  timeout_ms: amount(1, longestMs, "Stop it after this time."),
  max_chars: maxCharsField("4000"),
});

export type ProcessStartInput = z.infer<typeof input>;

export const processStart: Tool<ProcessStartInput, ProcessStartData> = {
  name: "process.start",
  description:
    "Start a server, watcher or REPL that keeps running; `ready` waits until it is up. Then use process.output, process.input and process.stop.",
  risk: "execute",
  input,
  limits: { maxChars: 10_000, keep: "tail" },
  timeoutMs: maxTimeoutMs + 10_000,
  accesses: (input) => [commandAccess(input)],

  async run(input, { processes, signal, progress, output: emit, uncovered }) {
    const isFirst = (await processes.list()).length === 0;
    const { max_chars: maxChars = usualOutputChars } = input;
    const request = requestOf(input);
    let status: ProcessStatus | undefined;
    try {
      status = await processes.start(request, { signal, progress, output: emit });
    } finally {
      if (input.wait_ms === undefined || status?.state !== "ended") uncovered(laterChanges);
    }
    const output = await processes.output(status.name, { maxChars });
    const text = [
      describeProcess(output.status),
      ...(output.text === "" ? [] : [showOutput(output)]),
      ...surroundingsOf(output.status),
      ...(isFirst && output.status.state !== "ended" ? [`[Undo does not cover ${laterChanges}.]`] : []),
    ].join("\n");
    return { data: { ...output.status, said: output.text }, text, failed: failureOf(output.status) };
  },
};

const usualOutputChars = 4_000;

function requestOf(given: ProcessStartInput): ProcessRequest {
  const { ready_timeout_ms: readyTimeoutMs, wait_ms: waitMs, timeout_ms: timeoutMs, ...input } = given;
  const { command, name, cwd, env, terminal, ready } = input;
  if (waitMs !== undefined && ready !== undefined)
    throw new ToolError("invalid-input", "`ready` and `wait_ms` cannot be combined", {
      hint: "Leave out `ready` or `wait_ms`.",
    });
  return {
    command,
    name,
    cwd,
    env,
    terminal,
    input: input.input === false ? "none" : undefined,
    ready,
    readyTimeoutMs,
    waitMs,
    timeoutMs,
  };
}

const laterChanges = "what a process changes after the call that started it";
