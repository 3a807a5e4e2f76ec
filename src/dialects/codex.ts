import { constants } from "node:os";
import type { AgentStatus } from "../contract/agents.ts";
import { ToolError } from "../contract/error.ts";
import type { ProcessOutput } from "../contract/process.ts";
import type { OutputLimits } from "../contract/tool.ts";
import { counted } from "../lib/counted.ts";
import { plainTerminalText } from "../lib/terminal-text.ts";
import type { ProcessStartData } from "../tools/process/start.ts";
import type { Dialect, DialectTool } from "./dialect.ts";
import { type Answer, rename } from "./rename.ts";
import { reshape } from "./reshape.ts";
import { oneInProgress, refuseUnconfined } from "./shared/inputs.ts";
import { answerPatch, remarksOf } from "./shared/outputs.ts";
import { quotedForShell } from "./shared/quoted-for-shell.ts";

const spawnAgent: DialectTool = reshape(["agent.spawn"], {
  name: "spawn_agent",
  summary:
    "Start another agent on a task of its own, which works beside you. It knows only what `message` says. Get its answer with agent.wait.",
  input: (z) =>
    z.strictObject({
      message: z.string().check(z.minLength(1), z.describe("What to do and answer, with all it must know.")),
      agent_type: z.optional(z.string().check(z.describe("Makes no difference."))),
      fork_context: z.optional(z.boolean().check(z.describe("Not granted."))),
      model: z.optional(z.string().check(z.describe("Yours if not given."))),
    }),
  means: ({ message, fork_context: isFork, model }) => {
    if (isFork) throw noFork();
    return ["agent.spawn", { task: message, model }];
  },
  fields: { task: "message" },
  answer: ({ data: { id } }) => inJson({ agent_id: id, nickname: null }),
});

const sendInput: DialectTool = reshape(["agent.send"], {
  name: "send_input",
  summary: "Tell an agent more while it works, or give it more to do after its answer.",
  input: (z) =>
    z.strictObject({
      target: z.string().check(z.minLength(1), z.describe("Its id.")),
      message: z.string().check(z.minLength(1)),
      interrupt: z.optional(
        z.boolean().check(z.describe("Makes no difference: it hears it after the step it is at.")),
      ),
    }),
  means: ({ target, message }) => ["agent.send", { agent: target, message }],
  fields: { agent: "target" },
  answer: ({ data }) => inJson({ agent_id: data.id, status: statusOf(data) }),
});

const [leastWaitMs, usualWaitMs, mostWaitMs] = [10_000, 30_000, 3_600_000];

const waitAgent: DialectTool = reshape(["agent.wait"], {
  name: "wait_agent",
  summary: "Wait until the first of some agents has answered, and see the answers of all that have.",
  input: (z) =>
    z.strictObject({
      targets: z.array(z.string()).check(z.minLength(1), z.describe("Their ids.")),
      timeout_ms: z.optional(
        z.number().check(z.describe("10000 to 3600000; 30000 if not given. Prefer long waits.")),
      ),
    }),
  means: ({ targets: [agent = "", ...more], timeout_ms: wanted = usualWaitMs }) => [
    "agent.wait",
    {
      agent,
      timeout_ms: Math.round(Math.min(Math.max(wanted, leastWaitMs), mostWaitMs)),
      ...(more.length > 0 && { more_agents: more }),
    },
  ],
  fields: { agent: "targets" },
  answer: ({ data: { others = [], ...first } }) => {
    const ended = [first, ...others].filter(({ state }) => state !== "running");
    const status = Object.fromEntries(ended.map((agent) => [agent.id, statusOf(agent)]));
    return inJson({ status, timed_out: ended.length === 0 });
  },
});

const closeAgent: DialectTool = rename("agent.close", {
  name: "close_agent",
  fields: { agent: "target" },
  answer: ({ data }) => inJson({ status: statusOf(data) }),
});

/** They are there in a room that has agents. */
export const agentTools: readonly DialectTool[] = [spawnAgent, sendInput, waitAgent, closeAgent];

function inJson(answer: object): Answer {
  return { text: JSON.stringify(answer), continuation: undefined };
}

function statusOf({ state, output }: AgentStatus): unknown {
  if (state === "completed") return { completed: output };
  if (state === "failed") return { errored: output };
  return state === "closed" ? "shutdown" : "running";
}

function noFork(): ToolError {
  return new ToolError("unsupported", "An agent sees nothing of this conversation", {
    hint: "Leave out `fork_context`, and say all that it must know in `message`.",
  });
}

const usualTokens = 10_000;
const charsPerToken = 4;

const execCommand: DialectTool = reshape(["process.start"], {
  name: "exec_command",
  summary:
    "Run a command with bash in the workspace and see its output. What is still running after `yield_time_ms` goes on: " +
    "the answer then names a session ID for process.input.",
  input: (z) =>
    z.strictObject({
      cmd: z.string().check(z.minLength(1), z.describe("Command to run: rg -n TODO src")),
      workdir: z.optional(z.string().check(z.describe("Where it runs; the workspace if not given."))),
      tty: z.optional(
        z
          .boolean()
          .check(z.describe("Give it a terminal, which it needs to be given input; false if not given.")),
      ),
      yield_time_ms: z.optional(
        z.number().check(z.describe("How long to wait for it, 250 to 30000; 10000 if not given.")),
      ),
      max_output_tokens: z.optional(
        z.number().check(z.describe("About how much output to show, at most 10000; that if not given.")),
      ),
      shell: z.optional(z.string().check(z.describe("Another shell than bash: zsh, /bin/sh."))),
      login: z.optional(z.boolean().check(z.describe("Makes no difference: startup files are not read."))),
      sandbox_permissions: z.optional(
        z
          .enum(["use_default", "with_additional_permissions", "require_escalated"])
          .check(
            z.describe("Only use_default is granted: what a person has to allow is asked for by itself."),
          ),
      ),
      justification: z.optional(z.string().check(z.describe("What it is for, for the person."))),
      prefix_rule: z.optional(z.array(z.string())),
    }),
  means: ({ cmd, workdir, tty, yield_time_ms: yieldMs = 10_000, shell, ...given }) => {
    if (![undefined, "use_default"].includes(given.sandbox_permissions))
      refuseUnconfined("`sandbox_permissions`");
    return [
      "process.start",
      {
        command: inShell(shell, cmd),
        name: "#",
        cwd: workdir,
        wait_ms: between(yieldMs, 250, 30_000),
        max_chars: allHeld,
        ...(tty ? { terminal: true } : { input: false }),
      },
    ];
  },
  limits: limitsOf,
  answer: ({ data }) => answerProcess(data),
});

const writeStdin: DialectTool = reshape(["process.input", "process.output"], {
  name: "write_stdin",
  summary:
    "Type something for a session of process.start that has a terminal, and see what it says; without `chars` wait for " +
    "its output.",
  input: (z) =>
    z.strictObject({
      session_id: z.int().check(z.describe("As the answer named it.")),
      chars: z.optional(z.string().check(z.describe("As typed: y\\n. \\u0003 is Ctrl-C."))),
      yield_time_ms: z.optional(
        z
          .number()
          .check(
            z.describe(
              "How long to wait: 250 to 30000, 250 if not given; without `chars` 5000 to 300000, 5000 if not given.",
            ),
          ),
      ),
      max_output_tokens: z.optional(
        z.number().check(z.describe("About how much output to show, at most 10000; that if not given.")),
      ),
    }),
  means: ({ session_id: session, chars = "", yield_time_ms: yieldMs = 0 }) => {
    const shared = { name: String(session), max_chars: allHeld, cursor: "last" } as const;
    return chars === ""
      ? ["process.output", { ...shared, wait_ms: between(yieldMs, 5_000, 300_000) }]
      : ["process.input", { ...shared, text: chars, wait_ms: between(yieldMs, 250, 30_000) }];
  },
  limits: limitsOf,
  // There is nothing to ask for: each answer begins where the one before has ended.
  answer: ({ data }) => ({ text: answerOutput(data), continuation: undefined }),
});

const applyPatch: DialectTool = rename("edit.patch", {
  name: "apply_patch",
  fields: { patch: "input" },
  limits: { maxChars: 10_000, keep: "both" },
  answer: (output) => `Success. Updated the following files:\n${answerPatch(output)}`,
});

const updatePlan: DialectTool = reshape(["plan.update"], {
  name: "update_plan",
  summary: "Keep the plan of your work: the whole list each time, at most one step in_progress.",
  input: (z) =>
    z.strictObject({
      explanation: z.optional(z.string()),
      plan: z
        .array(z.strictObject({ step: z.string(), status: z.enum(["pending", "in_progress", "completed"]) }))
        .check(oneInProgress(z), z.describe("All steps, in order.")),
    }),
  means: ({ plan, explanation }) => ["plan.update", { steps: plan, explanation }],
  answer: () => "Plan updated",
});

const showImage = reshape(["file.read"], {
  name: "view_image",
  summary: "Look at a picture of the workspace: PNG, JPEG, GIF, WebP.",
  input: (z) =>
    z.strictObject({
      path: z.string().check(z.describe("Its file.")),
      detail: z.optional(z.enum(["high", "original"]).check(z.describe("It is always shown as it is."))),
    }),
  means: ({ path }) => ["file.read", { path, limit: 1 }],
  answer: ({ data, text }, { path }): Answer => {
    if (data.files[0]?.kind === "image") return text;
    return { text: `${path} is no picture. Read it with a command.`, isError: true };
  },
});

/** Where we say that a file can be read, this is not what we mean. */
const viewImage: DialectTool = { ...showImage, canonical: "view_image" };

/** What OpenAI's codex of today offers its models. */
export const codexDialect: Dialect = {
  name: "codex",
  tools: [execCommand, writeStdin, applyPatch, updatePlan, viewImage, ...agentTools],
};

/** Of what stands before the output. */
const headChars = 150;

/** More than is ever held of what a process says; what is too much for an answer is kept. */
const allHeld = 1_000_000;

function limitsOf(given: { readonly max_output_tokens?: number | undefined }): OutputLimits {
  const tokens = between(given.max_output_tokens ?? usualTokens, 1, usualTokens);
  return { maxChars: Math.round(tokens) * charsPerToken + headChars, keep: "both" };
}

function between(wanted: number, least: number, most: number): number {
  return Math.round(Math.min(Math.max(wanted, least), most));
}

function inShell(shell: string | undefined, command: string): string {
  if (shell === undefined || /(?:^|\/)bash$/.test(shell)) return command;
  return `${quotedForShell(shell)} -c ${quotedForShell(command)}`;
}

function answerProcess({ said, ...status }: ProcessStartData): string {
  return show({ text: said, bytes: status.cursor, status });
}

function answerOutput({ text, from, cursor, lost, status }: ProcessOutput): string {
  return show({ text, bytes: cursor - from + lost, status });
}

/** How long it has run, how it ended or where it goes on, how much it said, and that. */
function show({ text, bytes, status }: Said): string {
  const { state, exitCode, signal, durationMs, name } = status;
  const said = plainTerminalText(text);
  return [
    `Wall time: ${(durationMs / 1000).toFixed(4)} seconds`,
    state === "ended"
      ? `Process exited with code ${exitCode ?? codeOf(signal)}`
      : `Process running with session ID ${name}`,
    `Original token count: ${Math.ceil(bytes / charsPerToken)}`,
    "Output:",
    ...missingBefore({ text, bytes, status }),
    said,
    ...remarksOf(status),
  ].join("\n");
}

/** A process is held to its last megabyte; all that it said is kept elsewhere. */
function missingBefore({ text, bytes, status }: Said): readonly string[] {
  const missing = bytes - Buffer.byteLength(text);
  if (missing <= 0) return [];
  const kept = status.output === null ? "" : `; all of it is kept as ${status.output}`;
  return [`[${counted(missing, "byte")} came before this${kept}]`];
}

interface Said {
  readonly text: string;
  readonly bytes: number;
  readonly status: ProcessOutput["status"];
}

/** As shells tell it. */
function codeOf(signal: string | null): number {
  return signal === null ? -1 : 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
}
