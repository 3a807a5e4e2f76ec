import { ToolError } from "../contract/error.ts";
import { planStatuses } from "../contract/tool.ts";
import { plainTerminalText } from "../lib/text/terminal-text.ts";
import type { ProcessStartData } from "../tools/process/start.ts";
import type { ShellRunData } from "../tools/shell/run.ts";
import type { Dialect } from "./dialect.ts";
import {
  glob,
  grepSearch,
  listDirectory,
  readFile,
  readManyFiles,
  replace,
  writeFile,
} from "./gemini-cli/files.ts";
import { renameTool } from "./rename.ts";
import { reshapeTool } from "./reshape.ts";
import { agentTools } from "./shared/agent-tools.ts";
import { oneInProgress } from "./shared/inputs.ts";
import { notesOf, outputOf } from "./shared/outputs.ts";

const runShellCommand = reshapeTool(["shell.run", "process.start"], {
  name: "run_shell_command",
  description:
    "Run a command with `bash -c`, without input. It is stopped after 5 minutes without output, or 10 minutes in total. Run servers " +
    "and watchers with is_background, not with &: see process.output.",
  input: (z) =>
    z.strictObject({
      command: z.text("The command.", { min: 1 }),
      description: z.optionalText("What it does, for the user."),
      dir_path: z.optionalText("Working directory. Default: the workspace."),
      is_background: z.optionalFlag("Run it in the background. Default: false."),
      delay_ms: z.optionalInt("How long to watch a background command first.", { min: 0 }),
    }),
  resolve: ({ command, description, dir_path: cwd, is_background: isBackground, delay_ms: wait_ms }) =>
    isBackground
      ? ["process.start", { command, name: "#", cwd, input: false, wait_ms }]
      : ["shell.run", { command, cwd, description, timeout_ms: 600_000, quiet_timeout_ms: 300_000 }],
  fields: { background: "is_background" },
  limits: { maxChars: 40_000, keep: "both" },
  answer: ({ data }) => ({
    text: "said" in data ? answerBackground(data) : answerCommand(data),
    isError: false,
  }),
});

function answerCommand(data: ShellRunData): string {
  const { exitCode, signal } = data;
  return [
    `Output: ${outputOf(data) || "(empty)"}`,
    ...(exitCode === null || exitCode === 0 ? [] : [`Exit Code: ${exitCode}`]),
    ...(signal === null ? [] : [`Signal: ${signal}`]),
    ...notesOf(data),
  ].join("\n");
}

function answerBackground(data: ProcessStartData): string {
  const { name, state, exitCode, said } = data;
  const output = plainTerminalText(said).trimEnd();
  return [
    state === "ended"
      ? `Command ended in the background (ID: ${name}), exit code ${exitCode}.`
      : `Command moved to background (ID: ${name}).`,
    ...(output === "" ? [] : [`Output: ${output}`]),
    ...notesOf(data),
  ].join("\n");
}

const listBackgroundProcesses = renameTool("process.list", {
  name: "list_background_processes",
  description: "List background commands and their states.",
});

const readBackgroundOutput = reshapeTool(["process.output"], {
  name: "read_background_output",
  description: "Get the latest output of a background command.",
  input: (z) =>
    z.strictObject({
      pid: z.int().check(z.describe("Its ID.")),
      lines: z.optionalInt("Number of last lines. Default: 100.", { min: 1 }),
      delay_ms: z.optionalInt("How long to wait first.", { min: 0 }),
    }),
  resolve: ({ pid, delay_ms: wait_ms }) => [
    "process.output",
    { name: String(pid), wait_ms, max_chars: 64_000 },
  ],
  limits: { maxChars: 40_000, keep: "tail" },
  answer: ({ data: { text, status } }, { lines = 100 }) => {
    const all = plainTerminalText(text).replace(/\n$/, "").split("\n");
    const state = status.state === "ended" ? `ended with exit code ${status.exitCode}` : "runs";
    const shown = all.slice(-lines).join("\n") || "Log is empty.";
    const parts = [`[${status.name} ${state}]`, shown, ...notesOf(status)];
    return { text: parts.join("\n"), continuation: undefined };
  },
});

const googleWebSearch = renameTool("web.search", { name: "google_web_search", only: ["query"] });

const webFetch = reshapeTool(["web.fetch"], {
  name: "web_fetch",
  description:
    "Fetch the pages or files at the URLs in the prompt (at most 20) as Markdown. Returns the pages themselves. To find pages use web.search.",
  input: (z) => z.strictObject({ prompt: z.text("The URLs (https://...) and what you are looking for.") }),
  resolve: ({ prompt }) => {
    const [url, ...others] = urlsIn(prompt);
    return ["web.fetch", { url, more_urls: others.length > 0 ? others : undefined }];
  },
  limits: { maxChars: 100_000, keep: "head" },
});

const maxUrls = 20;

function urlsIn(prompt: string): readonly [string, ...string[]] {
  const written = prompt.match(/https?:\/\/[^\s<>"'`]+/g) ?? [];
  const [url, ...others] = new Set(written.map((each) => asFile(withoutEnd(each))));
  if (url === undefined)
    throw new ToolError("invalid-input", "The prompt contains no URL", {
      hint: "Include the full URL: https://example.com/page",
    });
  if (others.length >= maxUrls)
    throw new ToolError("invalid-input", `The prompt contains ${others.length + 1} URLs`, {
      hint: `Fetch at most ${maxUrls} at once.`,
    });
  return [url, ...others];
}

/** Replaces the address of a file on GitHub, which gives an HTML page, with the address of the file itself. */
function asFile(url: string): string {
  return url.replace(
    /^https:\/\/github\.com\/([^/]+\/[^/]+)\/blob\//,
    "https://raw.githubusercontent.com/$1/",
  );
}

/** Strips punctuation that ends a sentence, and a bracket that was opened before the URL. */
function withoutEnd(url: string): string {
  const plain = url.replace(/[.,;:!?]+$/, "");
  return plain.endsWith(")") && !plain.includes("(") ? withoutEnd(plain.slice(0, -1)) : plain;
}

const writeTodos = reshapeTool(["plan.update"], {
  name: "write_todos",
  description:
    "Maintain a todo list for work with several steps. Send the whole list each time, with one item in_progress.",
  input: (z) =>
    z.strictObject({
      todos: z
        .array(
          z.strictObject({ description: z.text("What to do.", { min: 1 }), status: z.enum(planStatuses) }),
        )
        .check(oneInProgress(z), z.describe("The whole list. It replaces the previous one.")),
    }),
  resolve: ({ todos }) => [
    "plan.update",
    { steps: todos.map(({ description, status }) => ({ step: description, status })) },
  ],
  answer: ({ data: { steps } }) =>
    steps.length === 0
      ? "The todo list is cleared."
      : [
          "The todo list is now:",
          ...steps.map(({ step, status }, index) => `${index + 1}. [${status}] ${step}`),
        ].join("\n"),
});

export const geminiCliDialect: Dialect = {
  name: "gemini-cli",
  tools: [
    readFile,
    readManyFiles,
    writeFile,
    replace,
    runShellCommand,
    listBackgroundProcesses,
    readBackgroundOutput,
    grepSearch,
    glob,
    listDirectory,
    googleWebSearch,
    webFetch,
    writeTodos,
    ...agentTools,
  ],
};
