import type { AgentStatus } from "../contract/agents.ts";
import type { ProcessOutput, ProcessStatus } from "../contract/process.ts";
import type { ToolOutput } from "../contract/tool.ts";
import { plainTerminalText } from "../lib/text/terminal-text.ts";
import type { ProcessStartData } from "../tools/process/start.ts";
import type { ShellRunData } from "../tools/shell/run.ts";
import { edit, glob, grep, notebookEdit, read, write } from "./claude-code/files.ts";
import type { Dialect } from "./dialect.ts";
import { type Answer, renameTool } from "./rename.ts";
import { reshapeTool } from "./reshape.ts";
import { oneInProgress, refuseUnconfined } from "./shared/inputs.ts";
import { notesOf, outputOf } from "./shared/outputs.ts";

const foregroundMs = 120_000;
const backgroundMs = { usual: 1_800_000, most: 7_200_000 };

const bash = reshapeTool(["shell.run", "process.start"], {
  name: "Bash",
  description:
    "Run a bash command. Each command starts in the workspace, without input: use `cd dir && ...`. To read, write, edit or find " +
    "files use the dedicated tools. Run servers and watchers in the background: see process.output.",
  input: (z) =>
    z.strictObject({
      command: z.text("The command.", { min: 1 }),
      timeout: z.optionalInt(
        "Milliseconds. Default: 120000, at most 600000; in the background 1800000, at most 7200000.",
        { min: 1 },
      ),
      description: z.optionalText("What it does, in 5-10 words."),
      run_in_background: z.optionalFlag("Run it in the background. Default: false."),
      dangerouslyDisableSandbox: z.optionalFlag("Not supported."),
    }),
  resolve: ({ command, timeout, description, ...given }) => {
    if (given.dangerouslyDisableSandbox) refuseUnconfined("`dangerouslyDisableSandbox`");
    return given.run_in_background
      ? [
          "process.start",
          {
            command,
            name: "bash_#",
            input: false,
            timeout_ms: Math.min(timeout ?? backgroundMs.usual, backgroundMs.most),
          },
        ]
      : ["shell.run", { command, timeout_ms: timeout ?? foregroundMs, description }];
  },
  fields: { timeout_ms: "timeout", background: "run_in_background" },
  limits: { maxChars: 30_000, keep: "both" },
  answer: ({ data }, { command }) =>
    "said" in data ? answerBackground(data) : answerCommand(data, directoryNote(command)),
});

function answerCommand(data: ShellRunData, remarks: readonly string[]): string {
  const { exitCode, signal } = data;
  const body = [outputOf(data), ...notesOf(data), ...remarks].filter((part) => part !== "").join("\n");
  if (exitCode === 0) return body || "(Bash completed with no output)";
  const head = signal === null ? `Exit code ${exitCode}` : `Ended by ${signal}`;
  return body === "" ? head : `${head}\n${body}`;
}

/**
 * Unlike in Claude Code, each command gets its own shell, so that commands can run in parallel. A command that ends
 * with `cd` gets a note that the directory does not persist.
 */
function directoryNote(command: string): readonly string[] {
  return /(?:^|[\n;&])\s*cd(?:\s[^\n;&|()]*)?$/.test(command.trimEnd())
    ? ["[The next command starts in the workspace again: use cd dir && ...]"]
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

const bashOutput = reshapeTool(["process.output"], {
  name: "BashOutput",
  description: "Get the new output of a background command, and whether it is still running.",
  input: (z) =>
    z.strictObject({
      bash_id: z.text("Its ID."),
      filter: z.optionalText("Regular expression. Lines that do not match are dropped.", { min: 1 }),
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

const killShell = renameTool("process.stop", {
  name: "KillShell",
  description: "Stop a background command and everything it started.",
  fields: { name: "shell_id" },
  describe: { name: "Its ID." },
});

const taskStop = reshapeTool(["process.stop", "agent.close"], {
  name: "TaskStop",
  description: "Stop a background command or agent and everything it started.",
  input: (z) =>
    z
      .strictObject({
        task_id: z.optionalText("Its ID."),
        shell_id: z.optionalText("Old name of `task_id`."),
      })
      .check(
        z.refine(({ task_id, shell_id }) => (task_id ?? shell_id) !== undefined, { error: "give `task_id`" }),
      ),
  resolve: ({ task_id, shell_id = "" }) => {
    const name = task_id ?? shell_id;
    return /^agent_\d+$/.test(name) ? ["agent.close", { agent: name }] : ["process.stop", { name }];
  },
});

const todoWrite = reshapeTool(["plan.update"], {
  name: "TodoWrite",
  description:
    "Maintain a todo list for work with several steps. Send the whole list each time, with one item in_progress; mark each item " +
    "completed as soon as it is done.",
  input: (z) =>
    z.strictObject({
      todos: z
        .array(
          z.strictObject({
            content: z.text("What to do, e.g. Run the tests", { min: 1 }),
            status: z.enum(["pending", "in_progress", "completed"]),
            activeForm: z.text("Present form, e.g. Running the tests", { min: 1 }),
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
  answer: () => "The todo list is updated. Continue with the current task.",
});

const webFetch = reshapeTool(["web.fetch"], {
  name: "WebFetch",
  description:
    "Fetch a web page as Markdown, or another file by its URL. Returns the page itself. To find pages use web.search.",
  input: (z) =>
    z.strictObject({
      url: z.text("https://..."),
      prompt: z.text("What you are looking for."),
      offset: z.optionalInt("Where to continue, from the last result.", { min: 0 }),
    }),
  resolve: ({ url, offset = 0 }) => [
    "web.fetch",
    { url, part: offset > 0 ? `from ${offset + 1}` : undefined },
  ],
  limits: { maxChars: 100_000, keep: "head" },
  answer: ({ data, text, continuation }) => {
    const next = data.kind === "page" ? /^from (\d+)$/.exec(data.next ?? "")?.[1] : undefined;
    return {
      text,
      continuation: next === undefined ? continuation : `The page continues at offset ${Number(next) - 1}.`,
    };
  },
});

const webSearch = reshapeTool(["web.search"], {
  name: "WebSearch",
  description: "Search the web. Returns the title, URL and snippet of each page. To read one use web.fetch.",
  input: (z) =>
    z.strictObject({
      query: z.text("Search query.", { min: 2 }),
      allowed_domains: z.optional(z.array(z.string()).check(z.describe("Only results from these."))),
      blocked_domains: z.optional(z.array(z.string()).check(z.describe("No results from these."))),
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

const agent = reshapeTool(["agent.spawn"], {
  name: "Agent",
  description:
    "Start an agent on a separate task. It knows only what `prompt` says. To run several in parallel, start them in one reply.",
  input: (z) =>
    z.strictObject({
      description: z.text("The task in 3-5 words."),
      prompt: z.text("The task, with all the context it needs.", { min: 1 }),
      subagent_type: z.optionalText("Ignored."),
      model: z.optionalText("provider/name. Default: yours."),
      run_in_background: z.optionalFlag("False waits for its answer. Default: true."),
    }),
  resolve: ({ prompt, model, run_in_background: isBackground = true }) => [
    "agent.spawn",
    { task: prompt, model, wait_ms: isBackground ? undefined : mostWaitMs.foreground },
  ],
  fields: { task: "prompt" },
  answer: answerAgent,
});

const taskOutput = reshapeTool(["agent.wait"], {
  name: "TaskOutput",
  description: "Get the answer of an agent.",
  input: (z) =>
    z.strictObject({
      task_id: z.text("ID of the agent.", { min: 1 }),
      block: z.optionalFlag("Wait for the answer. Default: true."),
      timeout: z.optionalInt("Milliseconds. Default: 600000.", { min: 1 }),
    }),
  resolve: ({ task_id, block = true, timeout = mostWaitMs.output }) => [
    "agent.wait",
    { agent: task_id, timeout_ms: block ? timeout : 1 },
  ],
  fields: { agent: "task_id", timeout_ms: "timeout" },
  answer: answerAgent,
});

const sendMessage = reshapeTool(["agent.send"], {
  name: "SendMessage",
  description: "Send a message to a running agent, or a new task to one that has answered.",
  input: (z) =>
    z.strictObject({
      to: z.text("ID of the agent.", { min: 1 }),
      message: z.string().check(z.minLength(1)),
      summary: z.optionalText("The message in a few words."),
    }),
  resolve: ({ to, message }) => ["agent.send", { agent: to, message }],
  fields: { agent: "to" },
  answer: answerAgent,
});

function answerAgent({ data, text }: ToolOutput<AgentStatus>): Answer {
  const hint =
    "Get its answer with TaskOutput, send it a message with SendMessage, or stop it with TaskStop.";
  return { text, continuation: data.state === "running" ? hint : undefined };
}

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
    // These are offered only where there are agents. TaskStop ends an agent.
    agent,
    taskOutput,
    sendMessage,
  ],
  // Models still call tools that Claude Code has removed.
  aliases: [killShell],
};
