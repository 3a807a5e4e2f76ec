import { constants } from "node:os";
import type { AgentStatus } from "../contract/agents.ts";
import { ToolError } from "../contract/error.ts";
import type { ProcessOutput } from "../contract/process.ts";
import type { OutputLimits } from "../contract/tool.ts";
import { counted } from "../lib/text/format-quantity.ts";
import { toCommandLine } from "../lib/text/shell-quote.ts";
import { plainTerminalText } from "../lib/text/terminal-text.ts";
import { failureOf } from "../tools/process/describe-process.ts";
import type { Dialect } from "./dialect.ts";
import { type Answer, renameTool } from "./rename.ts";
import { reshapeTool } from "./reshape.ts";
import { oneInProgress, refuseUnconfined } from "./shared/inputs.ts";
import { answerPatch, notesOf } from "./shared/outputs.ts";

const spawnAgent = reshapeTool(["agent.spawn"], {
  name: "spawn_agent",
  description:
    "Start an agent that works on a separate task in parallel. It knows only what `message` says. Get its answer with agent.wait.",
  input: (z) =>
    z.strictObject({
      message: z.text("The task, with all the context it needs.", { min: 1 }),
      agent_type: z.optionalText("Ignored."),
      fork_context: z.optionalFlag("Not supported."),
      model: z.optionalText("Default: yours."),
    }),
  resolve: ({ message, fork_context: isFork, model }) => {
    if (isFork) throw noFork();
    return ["agent.spawn", { task: message, model }];
  },
  fields: { task: "message" },
  answer: ({ data: { id } }) => inJson({ agent_id: id, nickname: null }),
});

const sendInput = reshapeTool(["agent.send"], {
  name: "send_input",
  description: "Send a message to a running agent, or a new task to one that has answered.",
  input: (z) =>
    z.strictObject({
      target: z.text("ID of the agent.", { min: 1 }),
      message: z.string().check(z.minLength(1)),
      interrupt: z.optionalFlag("Ignored: messages arrive after the current step."),
    }),
  resolve: ({ target, message }) => ["agent.send", { agent: target, message }],
  fields: { agent: "target" },
  answer: ({ data }) => inJson({ agent_id: data.id, status: statusOf(data) }),
});

const [leastWaitMs, usualWaitMs, mostWaitMs] = [10_000, 30_000, 3_600_000];

const waitAgent = reshapeTool(["agent.wait"], {
  name: "wait_agent",
  description: "Wait until one of these agents has answered. Returns all answers so far.",
  input: (z) =>
    z.strictObject({
      targets: z.array(z.string()).check(z.minLength(1), z.describe("IDs of the agents.")),
      timeout_ms: z.optionalNumber("10000 to 3600000. Default: 30000. Prefer long waits."),
    }),
  resolve: ({ targets: [agent = "", ...more], timeout_ms: wanted = usualWaitMs }) => [
    "agent.wait",
    {
      agent,
      timeout_ms: Math.round(Math.min(Math.max(wanted, leastWaitMs), mostWaitMs)),
      more_agents: more.length > 0 ? more : undefined,
    },
  ],
  fields: { agent: "targets" },
  answer: ({ data: { others = [], ...first } }) => {
    const ended = [first, ...others].filter(({ state }) => state !== "running");
    const status = Object.fromEntries(ended.map((agent) => [agent.id, statusOf(agent)]));
    return inJson({ status, timed_out: ended.length === 0 });
  },
});

const closeAgent = renameTool("agent.close", {
  name: "close_agent",
  fields: { agent: "target" },
  answer: ({ data }) => inJson({ status: statusOf(data) }),
});

function inJson(answer: object): Answer {
  return { text: JSON.stringify(answer), continuation: undefined };
}

function statusOf({ state, output }: AgentStatus): unknown {
  if (state === "completed") return { completed: output };
  if (state === "failed") return { errored: output };
  return state === "closed" ? "shutdown" : "running";
}

function noFork(): ToolError {
  return new ToolError("unsupported", "`fork_context` is not supported", {
    hint: "Leave out `fork_context`, and put all the context into `message`.",
  });
}

const usualTokens = 10_000;
const charsPerToken = 4;

const execCommand = reshapeTool(["process.start"], {
  name: "exec_command",
  description:
    "Run a bash command in the workspace and return its output. If it is still running after `yield_time_ms`, it continues, and the " +
    "result has a session ID for process.input.",
  input: (z) =>
    z.strictObject({
      cmd: z.text("Command to run, e.g. rg -n TODO src", { min: 1 }),
      workdir: z.optionalText("Working directory. Default: the workspace."),
      tty: z.optionalFlag("Run in a terminal, which is required for input. Default: false."),
      yield_time_ms: z.optionalNumber("How long to wait, 250 to 30000. Default: 10000."),
      max_output_tokens: z.optionalNumber("Approximate maximum output. Default: 10000, the maximum."),
      shell: z.optionalText("Another shell, e.g. zsh. Default: bash."),
      login: z.optionalFlag("Ignored: startup files are not read."),
      sandbox_permissions: z.optional(
        z
          .enum(["use_default", "with_additional_permissions", "require_escalated"])
          .check(z.describe("Only use_default is supported. Approval is requested automatically.")),
      ),
      justification: z.optionalText("Purpose of the command, for the user."),
      prefix_rule: z.optional(z.array(z.string())),
    }),
  resolve: ({ cmd, workdir, tty, yield_time_ms: yieldMs = 10_000, shell, ...given }) => {
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
        terminal: tty || undefined,
        input: tty ? undefined : false,
      },
    ];
  },
  limits: limitsOf,
  answer: ({ data: { said, ...status } }) => ({
    text: show({ text: said, bytes: status.cursor, status }),
    isError: false,
  }),
});

const writeStdin = reshapeTool(["process.input", "process.output"], {
  name: "write_stdin",
  description:
    "Write to the terminal of a running process.start session and return its output. Without `chars`, wait for output.",
  input: (z) =>
    z.strictObject({
      session_id: z.int().check(z.describe("Session ID from the result.")),
      chars: z.optionalText("Text to type, e.g. y\\n. \\u0003 is Ctrl-C."),
      yield_time_ms: z.optionalNumber(
        "How long to wait, 250 to 30000 (default 250). Without `chars`: 5000 to 300000 (default 5000).",
      ),
      max_output_tokens: z.optionalNumber("Approximate maximum output. Default: 10000, the maximum."),
    }),
  resolve: ({ session_id: session, chars = "", yield_time_ms: yieldMs = 0 }) => {
    const shared = { name: String(session), max_chars: allHeld, cursor: "last" } as const;
    return chars === ""
      ? ["process.output", { ...shared, wait_ms: between(yieldMs, 5_000, 300_000) }]
      : ["process.input", { ...shared, text: chars, wait_ms: between(yieldMs, 250, 30_000) }];
  },
  limits: limitsOf,
  // There is no continuation: each answer starts where the previous one ended.
  answer: ({ data: { text, from, cursor, lost, status } }) => ({
    text: show({ text, bytes: cursor - from + lost, status }),
    continuation: undefined,
    failed: failureOf(status),
    isError: false,
  }),
});

const applyPatch = renameTool("edit.patch", {
  name: "apply_patch",
  fields: { patch: "input" },
  limits: { maxChars: 10_000, keep: "both" },
  answer: (output) => `Success. Updated the following files:\n${answerPatch(output)}`,
});

const updatePlan = reshapeTool(["plan.update"], {
  name: "update_plan",
  description: "Update your plan. Send all steps each time, at most one in_progress.",
  input: (z) =>
    z.strictObject({
      explanation: z.optional(z.string()),
      plan: z
        .array(z.strictObject({ step: z.string(), status: z.enum(["pending", "in_progress", "completed"]) }))
        .check(oneInProgress(z), z.describe("All steps, in order.")),
    }),
  resolve: ({ plan, explanation }) => ["plan.update", { steps: plan, explanation }],
  answer: () => "Plan updated",
});

const showImage = reshapeTool(["file.read"], {
  name: "view_image",
  description: "View an image in the workspace: PNG, JPEG, GIF, WebP.",
  input: (z) =>
    z.strictObject({
      path: z.text("Image file."),
      detail: z.optional(
        z.enum(["high", "original"]).check(z.describe("Ignored: always the original size.")),
      ),
    }),
  resolve: ({ path }) => ["file.read", { path, limit: 1 }],
  answer: ({ data, text }, { path }): Answer => {
    if (data.files[0]?.kind === "image") return text;
    return { text: `${path} is not an image. Read it with a command.`, isError: true };
  },
});

/** This tool does not stand for `file.read`: a hint to read a file must not name it. */
const viewImage = { ...showImage, canonical: "view_image" };

export const codexDialect: Dialect = {
  name: "codex",
  tools: [
    execCommand,
    writeStdin,
    applyPatch,
    updatePlan,
    viewImage,
    // These are offered only where there are agents.
    spawnAgent,
    sendInput,
    waitAgent,
    closeAgent,
  ],
};

/** Space for the lines before the output. */
const headChars = 150;

/** More than a process buffers: `limits` truncates and stores the answer afterwards. */
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
  return toCommandLine([shell, "-c", command]);
}

function show({ text, bytes, status }: ShownOutput): string {
  const { state, exitCode, signal, durationMs, name } = status;
  const output = plainTerminalText(text);
  return [
    `Wall time: ${(durationMs / 1000).toFixed(4)} seconds`,
    state === "ended"
      ? `Process exited with code ${exitCode ?? codeOf(signal)}`
      : `Process running with session ID ${name}`,
    `Original token count: ${Math.ceil(bytes / charsPerToken)}`,
    "Output:",
    ...missingBefore({ text, bytes, status }),
    output,
    ...notesOf(status),
  ].join("\n");
}

/** Says how much is missing: only the last megabyte of a process is buffered, but its whole output is stored. */
function missingBefore({ text, bytes, status }: ShownOutput): readonly string[] {
  const missing = bytes - Buffer.byteLength(text);
  if (missing <= 0) return [];
  const stored = status.output === null ? "" : `; the whole output is stored as ${status.output}`;
  return [`[${counted(missing, "byte")} omitted before this${stored}]`];
}

interface ShownOutput {
  readonly text: string;
  readonly bytes: number;
  readonly status: ProcessOutput["status"];
}

/** Returns the exit code that shells report for a signal. */
function codeOf(signal: string | null): number {
  return signal === null ? -1 : 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
}
