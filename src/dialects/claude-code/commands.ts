import type { ProcessOutput, ProcessStatus } from "../../contract/process.ts";
import { plainTerminalText } from "../../lib/terminal-text.ts";
import type { ProcessStartData } from "../../tools/process/start.ts";
import type { ShellRunData } from "../../tools/shell/run.ts";
import type { Answer } from "../answer.ts";
import type { DialectTool } from "../dialect.ts";
import { rename } from "../rename.ts";
import { reshape } from "../reshape.ts";
import { refuseUnconfined } from "../shared/refuse-unconfined.ts";
import { remarksOf, saidBy } from "../shared/said-by.ts";

const foregroundMs = { usual: 120_000, most: 600_000 };
const backgroundMs = { usual: 1_800_000, most: 7_200_000 };

export const bash: DialectTool = reshape(["shell.run", "process.start"], {
  name: "Bash",
  summary:
    "Run a command with bash. Each begins in the workspace, without input: use `cd dir && ...`. To read, write, edit or find " +
    "files use the tools for that. Servers and watchers run in the background: see process.output.",
  input: (z) =>
    z
      .strictObject({
        command: z.string().check(z.minLength(1), z.describe("The command.")),
        timeout: z.optional(
          z
            .int()
            .check(
              z.minimum(1),
              z.maximum(backgroundMs.most),
              z.describe(
                "Milliseconds: 120000 if not given, at most 600000; in the background 1800000 and 7200000.",
              ),
            ),
        ),
        description: z.optional(z.string().check(z.describe("What it does, in five to ten words."))),
        run_in_background: z.optional(
          z.boolean().check(z.describe("Let it run on beside the calls; false if not given.")),
        ),
        dangerouslyDisableSandbox: z.optional(z.boolean().check(z.describe("Not granted."))),
      })
      .check(
        z.refine(
          ({ timeout = 1, run_in_background: isBackground }) =>
            isBackground === true || timeout <= foregroundMs.most,
          { error: "`timeout` is at most 600000, unless it runs in the background" },
        ),
      ),
  means: ({ command, timeout, description, ...given }) => {
    if (given.dangerouslyDisableSandbox) refuseUnconfined("`dangerouslyDisableSandbox`");
    return given.run_in_background
      ? [
          "process.start",
          { command, name: "bash_#", input: false, timeout_ms: timeout ?? backgroundMs.usual },
        ]
      : ["shell.run", { command, timeout_ms: timeout ?? foregroundMs.usual, description }];
  },
  fields: { timeout_ms: "timeout", background: "run_in_background" },
  limits: { maxChars: 30_000, keep: "both" },
  answer: ({ data }, { command }) =>
    "said" in data ? answerBackground(data) : answerCommand(data, remarkOn(command)),
});

/** What it said; when it failed, that first. */
function answerCommand(data: ShellRunData, remarks: readonly string[]): Answer {
  const { exitCode, signal } = data;
  const body = [saidBy(data), ...remarksOf(data), ...remarks].filter((part) => part !== "").join("\n");
  if (exitCode === 0) return body || "(Bash completed with no output)";
  const head = signal === null ? `Exit code ${exitCode}` : `Ended by ${signal}`;
  return { text: body === "" ? head : `${head}\n${body}`, isError: true };
}

/**
 * Claude Code keeps the directory that a command ends in; here each has a shell of its own, so that commands can run side by
 * side and none is changed by what another has set. Who goes somewhere to stay there is told.
 */
function remarkOn(command: string): readonly string[] {
  return /(?:^|[\n;&])\s*cd(?:\s[^\n;&|()]*)?$/.test(command.trimEnd())
    ? ["[The next command begins in the workspace again: cd dir && ...]"]
    : [];
}

function answerBackground(data: ProcessStartData): string {
  const { name, state, exitCode, said } = data;
  const head =
    state === "ended"
      ? `Command ended with exit code ${exitCode}. ID: ${name}`
      : `Command running in background with ID: ${name}`;
  return [head, plainTerminalText(said).trimEnd(), ...remarksOf(data)]
    .filter((part) => part !== "")
    .join("\n");
}

const bashOutput: DialectTool = reshape(["process.output"], {
  name: "BashOutput",
  summary: "See what a command in the background has said since you last looked, and whether it still runs.",
  input: (z) =>
    z.strictObject({
      bash_id: z.string().check(z.describe("Its ID.")),
      filter: z.optional(
        z.string().check(z.minLength(1), z.describe("Only lines that match; others are not shown later.")),
      ),
    }),
  means: ({ bash_id: name, filter }) => ["process.output", { name, cursor: "last" as const, line: filter }],
  limits: { maxChars: 30_000, keep: "both" },
  answer: ({ data }) => ({ text: answerOutput(data), continuation: undefined }),
});

function answerOutput({ text, status }: ProcessOutput): string {
  const said = plainTerminalText(text).replace(/\n$/, "");
  return [
    `<status>${stateOf(status)}</status>`,
    ...(status.exitCode === null ? [] : [`<exit_code>${status.exitCode}</exit_code>`]),
    ...(said === "" ? [] : [`<output>\n${said}\n</output>`]),
    ...remarksOf(status),
  ].join("\n");
}

function stateOf({ state, exitCode, signal }: ProcessStatus): string {
  if (state !== "ended") return "running";
  if (signal !== null) return "killed";
  return exitCode === 0 ? "completed" : "failed";
}

export const killShell: DialectTool = rename("process.stop", {
  name: "KillShell",
  summary: "Stop a command that runs in the background, and all it started.",
  fields: { name: "shell_id" },
  describe: { name: "Its ID." },
});

const taskStop: DialectTool = reshape(["process.stop", "agent.close"], {
  name: "TaskStop",
  summary: "Stop what runs in the background, and all it started.",
  input: (z) =>
    z
      .strictObject({
        task_id: z.optional(z.string().check(z.describe("Its ID."))),
        shell_id: z.optional(z.string().check(z.describe("The same, as it was called before."))),
      })
      .check(
        z.refine(({ task_id, shell_id }) => (task_id ?? shell_id) !== undefined, { error: "give `task_id`" }),
      ),
  means: ({ task_id, shell_id = "" }) => {
    const name = task_id ?? shell_id;
    return /^agent_\d+$/.test(name) ? ["agent.close", { agent: name }] : ["process.stop", { name }];
  },
});

export const backgroundTools: readonly DialectTool[] = [bashOutput, taskStop];
