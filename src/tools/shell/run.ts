import * as z from "zod/mini";
import type { SandboxLevel } from "../../contract/call.ts";
import { ToolError } from "../../contract/error.ts";
import type { ProcessStatus } from "../../contract/process.ts";
import type { OutputLimits, Tool, ToolContext, ToolOutput } from "../../contract/tool.ts";
import { amount, flag, string } from "../fields.ts";
import { commandAccess } from "./command-access.ts";
import { describeExit, describeRun, maxTimeoutMs, outOfTime, usualTimeoutMs } from "./describe-run.ts";
import { type CommandRun, runCommand } from "./run-command.ts";

export interface ShellRunData {
  /** The exit code; null when a signal ended the command, or while it runs in the background. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly durationMs: number;
  readonly timedOut: false;
  /** The output without control sequences. Of long output, both ends. */
  readonly stdout: string;
  readonly stderr: string;
  /** Both streams in order of arrival, if both were used. */
  readonly together?: string;
  /** The number of bytes in neither `stdout` nor `stderr`. */
  readonly cut: { readonly bytes: number } | null;
  /** The handle of the stored output, when not all of it was shown. */
  readonly output: string | null;
  readonly sandbox: SandboxLevel;
  /** The folder of the shell, for a session; `attach` is the command with which a user joins it. */
  readonly cwd?: string;
  readonly attach?: string;
  readonly process?: ProcessStatus;
  readonly remarks: readonly string[];
}

const limits: OutputLimits = { maxChars: 30_000, maxLines: 256, keep: "both" };

const input = z.strictObject({
  command: z.string().check(z.minLength(1), z.describe("npm test 2>&1 | tail -40")),
  timeout_ms: amount(1, maxTimeoutMs, "Default 120000."),
  quiet_timeout_ms: amount(1, maxTimeoutMs, "Stop it after this long without output."),
  cwd: z.optional(z.string()),
  env: z.optional(z.record(z.string(), z.string())),
  description: string("Shown to the user, a few words."),
  background: flag("Keep it running, like process.start."),
  session: string("Name of a persistent shell."),
});

export type ShellRunInput = z.infer<typeof input>;

export const shellRun: Tool<ShellRunInput, ShellRunData> = {
  name: "shell.run",
  description:
    "Run a bash command in the workspace and return its output and exit code. It has no standard input; for servers use process.start. A `session` keeps its directory and variables between calls.",
  risk: "execute",
  input,
  limits,
  timeoutMs: maxTimeoutMs + 10_000,
  patienceMs: ({ timeout_ms: timeoutMs = usualTimeoutMs }) => timeoutMs,
  accesses: (input) => [commandAccess(input)],

  async run(input, context) {
    if (input.background) return runInBackground(input, context);
    const { timeout_ms: timeoutMs = usualTimeoutMs } = input;
    const quietTimeoutMs = input.quiet_timeout_ms;
    const run = await runCommand({ ...input, timeoutMs, quietTimeoutMs, limits }, context);
    if (run.timedOut) throw outOfTime(run, { timeoutMs, quietTimeoutMs });
    return { data: dataOf(run), text: describeRun(run), kept: run.kept, failed: describeExit(run) };
  },
};

async function runInBackground(
  { command, cwd, env, session }: ShellRunInput,
  context: ToolContext,
): Promise<ToolOutput<ShellRunData>> {
  if (session !== undefined)
    throw new ToolError("invalid-input", "`background` cannot be combined with `session`", {
      hint: "Leave out one of them; in a session, `command &` runs as long as its shell.",
    });
  const { processStart } = await import("../process/start.ts");
  const { data, ...output } = await processStart.run({ command, cwd, env }, context);
  const { said, ...process } = data;
  return {
    ...output,
    data: {
      exitCode: process.exitCode,
      signal: process.signal,
      durationMs: process.durationMs,
      timedOut: false,
      stdout: said,
      stderr: "",
      cut: null,
      output: null,
      sandbox: process.sandbox,
      process,
      remarks: process.remarks,
    },
  };
}

function dataOf(run: CommandRun): ShellRunData {
  const { exitCode, signal, durationMs, shown, kept, sandbox, cwd, attach, remarks } = run;
  const bytes = shown.gaps.reduce((sum, gap) => sum + gap.bytes, 0);
  return {
    exitCode,
    signal,
    durationMs,
    timedOut: false,
    stdout: shown.stdout,
    stderr: shown.stderr,
    together: shown.stdout === "" || shown.stderr === "" ? undefined : shown.unmarked,
    cut: bytes === 0 ? null : { bytes },
    output: kept?.handle ?? null,
    sandbox,
    cwd,
    attach,
    remarks,
  };
}
