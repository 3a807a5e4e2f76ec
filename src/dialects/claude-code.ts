import type { AgentStatus } from "../contract/agents.ts";
import type { ProcessOutput, ProcessStatus } from "../contract/process.ts";
import type { ToolOutput } from "../contract/tool.ts";
import { plainTerminalText } from "../lib/text/terminal-text.ts";
import type { ProcessStartData } from "../tools/process/start.ts";
import type { ShellRunData } from "../tools/shell/run.ts";
import { edit, glob, grep, notebookEdit, read, write } from "./claude-code/files.ts";
import type { Dialect } from "./dialect.ts";
import { type Answer, rename } from "./rename.ts";
import { reshape } from "./reshape.ts";
import { oneInProgress, refuseUnconfined } from "./shared/inputs.ts";
import { notesOf, outputOf } from "./shared/outputs.ts";

const foregroundMs = { usual: 120_000, most: 600_000 };
const backgroundMs = { usual: 1_800_000, most: 7_200_000 };

const bash = reshape(["shell.run", "process.start"], {
  name: "Bash",
  summary:
    "Run a command with bash. Each begins in the workspace, without input: use `cd dir && ...`. To read, write, edit or find " +
    "files use the tools for that. Servers and watchers run in the background: see process.output.",
  input: (z) =>
    z
      .strictObject({
        command: z.text("The command.", { min: 1 }),
        timeout: z.optionalInt(
          "Milliseconds: 120000 if not given, at most 600000; in the background 1800000 and 7200000.",
          { min: 1, max: backgroundMs.most },
        ),
        description: z.optionalText("What it does, in five to ten words."),
        run_in_background: z.optionalFlag("Let it run on beside the calls; false if not given."),
        dangerouslyDisableSandbox: z.optionalFlag("Not granted."),
      })
      .check(
        z.refine(
          ({ timeout = 1, run_in_background: isBackground }) =>
            isBackground === true || timeout <= foregroundMs.most,
          { error: "`timeout` is at most 600000, unless it runs in the background" },
        ),
      ),
  resolve: ({ command, timeout, description, ...given }) => {
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
    "said" in data ? answerBackground(data) : answerCommand(data, directoryNote(command)),
});

function answerCommand(data: ShellRunData, remarks: readonly string[]): Answer {
  const { exitCode, signal } = data;
  const body = [outputOf(data), ...notesOf(data), ...remarks].filter((part) => part !== "").join("\n");
  if (exitCode === 0) return body || "(Bash completed with no output)";
  const head = signal === null ? `Exit code ${exitCode}` : `Ended by ${signal}`;
  return { text: body === "" ? head : `${head}\n${body}`, isError: true };
}

/**
 * Claude Code keeps the directory in which a command ends. Here each command gets its own shell, so that commands can run in
 * parallel. A command that ends with `cd` gets a note that the directory does not persist.
 */
function directoryNote(command: string): readonly string[] {
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
  return [head, plainTerminalText(said).trimEnd(), ...notesOf(data)].filter((part) => part !== "").join("\n");
}

const bashOutput = reshape(["process.output"], {
  name: "BashOutput",
  summary: "See what a command in the background has said since you last looked, and whether it still runs.",
  input: (z) =>
    z.strictObject({
      bash_id: z.text("Its ID."),
      filter: z.optionalText("Only lines that match; others are not shown later.", { min: 1 }),
    }),
  resolve: ({ bash_id: name, filter }) => ["process.output", { name, cursor: "last" as const, line: filter }],
  limits: { maxChars: 30_000, keep: "both" },
  answer: ({ data }) => ({ text: answerOutput(data), continuation: undefined }),
});

function answerOutput({ text, status }: ProcessOutput): string {
  const output = plainTerminalText(text).replace(/\n$/, "");
  return [
    `<status>${stateOf(status)}</status>`,
    ...(status.exitCode === null ? [] : [`<exit_code>${status.exitCode}</exit_code>`]),
    ...(output === "" ? [] : [`<output>\n${output}\n</output>`]),
    ...notesOf(status),
  ].join("\n");
}

function stateOf({ state, exitCode, signal }: ProcessStatus): string {
  if (state !== "ended") return "running";
  if (signal !== null) return "killed";
  return exitCode === 0 ? "completed" : "failed";
}

const killShell = rename("process.stop", {
  name: "KillShell",
  summary: "Stop a command that runs in the background, and all it started.",
  fields: { name: "shell_id" },
  describe: { name: "Its ID." },
});

const taskStop = reshape(["process.stop", "agent.close"], {
  name: "TaskStop",
  summary: "Stop what runs in the background, and all it started.",
  input: (z) =>
    z
      .strictObject({
        task_id: z.optionalText("Its ID."),
        shell_id: z.optionalText("The same, as it was called before."),
      })
      .check(
        z.refine(({ task_id, shell_id }) => (task_id ?? shell_id) !== undefined, { error: "give `task_id`" }),
      ),
  resolve: ({ task_id, shell_id = "" }) => {
    const name = task_id ?? shell_id;
    return /^agent_\d+$/.test(name) ? ["agent.close", { agent: name }] : ["process.stop", { name }];
  },
});

const todoWrite = reshape(["plan.update"], {
  name: "TodoWrite",
  summary:
    "Keep a list of what is to be done, for work of several steps: the whole list each time, one in_progress, each " +
    "completed as soon as it is done.",
  input: (z) =>
    z.strictObject({
      todos: z
        .array(
          z.strictObject({
            content: z.text("What to do: Run the tests", { min: 1 }),
            status: z.enum(["pending", "in_progress", "completed"]),
            activeForm: z.text("While it is done: Running the tests", { min: 1 }),
          }),
        )
        .check(oneInProgress(z), z.describe("The whole list.")),
    }),
  resolve: ({ todos }) => [
    "plan.update",
    {
      steps: todos.map(({ content, status, activeForm }) => ({
        step: content,
        status,
        activity: activeForm,
      })),
    },
  ],
  answer: () => "The todo list is updated. Go on with the current task.",
});

const webFetch = reshape(["web.fetch"], {
  name: "WebFetch",
  summary:
    "Fetch a web page as Markdown, or another file by its URL. The page itself is the answer. To find pages use web.search.",
  input: (z) =>
    z.strictObject({
      url: z.text("https://..."),
      prompt: z.text("What you look for in it."),
      offset: z.optionalInt("Where to read on, as the last answer told.", { min: 0 }),
    }),
  resolve: ({ url, offset = 0 }) => ["web.fetch", { url, ...(offset > 0 && { part: `from ${offset + 1}` }) }],
  limits: { maxChars: 100_000, keep: "head" },
  answer: ({ data, text, continuation }) => {
    const next = data.kind === "page" ? /^from (\d+)$/.exec(data.next ?? "")?.[1] : undefined;
    return {
      text,
      continuation: next === undefined ? continuation : `The page goes on: give offset ${Number(next) - 1}.`,
    };
  },
});

const webSearch = reshape(["web.search"], {
  name: "WebSearch",
  summary: "Search the web: title, URL and snippet of each page found. To read one use web.fetch.",
  input: (z) =>
    z.strictObject({
      query: z.text("What to look for.", { min: 2 }),
      allowed_domains: z.optional(z.array(z.string()).check(z.describe("Only pages of these."))),
      blocked_domains: z.optional(z.array(z.string()).check(z.describe("No pages of these."))),
    }),
  resolve: ({ query, allowed_domains, blocked_domains }) => [
    "web.search",
    {
      query,
      only_domains: allowed_domains?.map(domainOf),
      without_domains: blocked_domains?.map(domainOf),
    },
  ],
  fields: { only_domains: "allowed_domains", without_domains: "blocked_domains" },
});

/** Models sometimes give a URL for a domain. */
function domainOf(site: string): string {
  return site.replace(/^https?:\/\//, "").replace(/\/.*$/, "");
}

const mostWaitMs = { foreground: 3_600_000, output: 600_000 };

const agent = reshape(["agent.spawn"], {
  name: "Agent",
  summary:
    "Start another agent on a task of its own. It knows only what `prompt` says. Start several in one reply to have them work side by side.",
  input: (z) =>
    z.strictObject({
      description: z.text("The task in three to five words."),
      prompt: z.text("What to do and answer, with all it must know.", { min: 1 }),
      subagent_type: z.optionalText("Makes no difference."),
      model: z.optionalText("provider/name; yours if not given."),
      run_in_background: z.optionalFlag("False: wait for its answer. True if not given."),
    }),
  resolve: ({ prompt, model, run_in_background: isBeside = true }) => [
    "agent.spawn",
    { task: prompt, model, ...(!isBeside && { wait_ms: mostWaitMs.foreground }) },
  ],
  fields: { task: "prompt" },
  answer: answerAgent,
});

const taskOutput = reshape(["agent.wait"], {
  name: "TaskOutput",
  summary: "Get an agent's answer.",
  input: (z) =>
    z.strictObject({
      task_id: z.text("The agent's ID.", { min: 1 }),
      block: z.optionalFlag("False: do not wait for it. True if not given."),
      timeout: z.optionalInt("Milliseconds; 600000 if not given.", { min: 1, max: mostWaitMs.output }),
    }),
  resolve: ({ task_id, block = true, timeout = mostWaitMs.output }) => [
    "agent.wait",
    { agent: task_id, timeout_ms: block ? timeout : 1 },
  ],
  fields: { agent: "task_id", timeout_ms: "timeout" },
  answer: answerAgent,
});

const sendMessage = reshape(["agent.send"], {
  name: "SendMessage",
  summary: "Tell an agent more while it works, or give it more to do after its answer.",
  input: (z) =>
    z.strictObject({
      to: z.text("The agent's ID.", { min: 1 }),
      message: z.string().check(z.minLength(1)),
      summary: z.optionalText("The message in a few words."),
    }),
  resolve: ({ to, message }) => ["agent.send", { agent: to, message }],
  fields: { agent: "to" },
  answer: answerAgent,
});

function answerAgent({ data, text }: ToolOutput<AgentStatus>): Answer {
  const waysOn = "Get its answer with TaskOutput; tell it more with SendMessage; end it with TaskStop.";
  return { text, continuation: data.state === "running" ? waysOn : undefined };
}

/** The tools of Anthropic's Claude Code. */
export const claudeCodeDialect: Dialect = {
  name: "claude-code",
  tools: [
    read,
    write,
    edit,
    bash,
    bashOutput,
    taskStop,
    grep,
    glob,
    notebookEdit,
    todoWrite,
    webFetch,
    webSearch,
    // Offered only where there are agents; TaskStop ends one.
    agent,
    taskOutput,
    sendMessage,
  ],
  // Models still call tools that Claude Code has removed.
  aliases: [killShell],
};
