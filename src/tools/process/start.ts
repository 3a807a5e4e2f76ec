import * as z from "zod/mini";
import { ToolError } from "../../contract/error.ts";
import type { ProcessRequest, ProcessStatus } from "../../contract/process.ts";
import type { Tool } from "../../contract/tool.ts";
import { flag, integer, string } from "../fields.ts";
import { commandAccess } from "../shell/command-access.ts";
import { surroundingsOf } from "../shell/describe-run.ts";
import { describeProcess, maxCharsField, showOutput } from "./describe-process.ts";

export interface ProcessStartData extends ProcessStatus {
  /** Its output so far; the end of it if it is long. */
  readonly said: string;
}

const maxTimeoutMs = 600_000;
const longestMs = 24 * 3_600_000;

const input = z.strictObject({
  command: z.string().check(z.minLength(1), z.describe("npm run dev")),
  name: string('To speak of it later: "web".'),
  cwd: z.optional(z.string()),
  env: z.optional(z.record(z.string(), z.string())),
  terminal: flag("Give it a terminal."),
  input: flag("False: nothing to read."),
  ready: z.optional(
    z
      .strictObject({
        port: z.optional(z.int().check(z.minimum(1), z.maximum(65535))),
        line: z.optional(z.string().check(z.minLength(1), z.describe("A line it says matches."))),
        url: string("A GET is answered."),
      })
      .check(z.describe("All must come true.")),
  ),
  ready_timeout_ms: integer(1, maxTimeoutMs, "Default 60000."),
  wait_ms: integer(0, maxTimeoutMs, "Instead of `ready`: for its end, at most this long."),
  timeout_ms: integer(1, longestMs, "Ends it after this long."),
  max_chars: maxCharsField("4000"),
});

export type ProcessStartInput = z.infer<typeof input>;

/** Starts a background process. */
export const processStart: Tool<ProcessStartInput, ProcessStartData> = {
  name: "process.start",
  summary:
    "Start a server, watcher or REPL that goes on running; `ready` waits until it serves. See process.output, process.input, process.stop.",
  risk: "execute",
  input,
  limits: { maxChars: 10_000, keep: "tail" },
  timeoutMs: maxTimeoutMs + 10_000,
  accesses: (input) => [commandAccess(input)],

  async run(input, { processes, signal, progress, output: hear, uncovered }) {
    const isFirst = (await processes.list()).length === 0;
    const { max_chars: maxChars = usualSaidChars } = input;
    const request = requestOf(input);
    let status: ProcessStatus | undefined;
    try {
      status = await processes.start(request, { signal, progress, output: hear });
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
    return { data: { ...output.status, said: output.text }, text };
  },
};

const usualSaidChars = 4_000;

function requestOf(given: ProcessStartInput): ProcessRequest {
  const { ready_timeout_ms: readyTimeoutMs, wait_ms: waitMs, timeout_ms: timeoutMs, ...input } = given;
  const { command, name, cwd, env, terminal, ready } = input;
  if (waitMs !== undefined && ready !== undefined)
    throw new ToolError("invalid-input", "It is waited for until it is ready, or until it has ended", {
      hint: "Leave out `ready` or `wait_ms`.",
    });
  return {
    command,
    name,
    cwd,
    env,
    terminal,
    ...(input.input === false ? { input: "none" } : {}),
    ready,
    readyTimeoutMs,
    waitMs,
    timeoutMs,
  };
}

const laterChanges = "what a process changes after the call that started it";
