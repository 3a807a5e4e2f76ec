import type { Dialect } from "./dialect.ts";
import { renameTool } from "./rename.ts";
import { reshapeTool } from "./reshape.ts";
import { agentTools } from "./shared/agent-tools.ts";
import { continuationOf, failureInSeconds, showFiles } from "./shared/outputs.ts";

export const rustantDialect: Dialect = {
  name: "rustant",
  asksBeforeCommands: true,
  failure: failureInSeconds,
  tools: [
    reshapeTool(["file.read"], {
      name: "file_read",
      description: "Read a file, or some of its lines.",
      input: (z) =>
        z
          .strictObject({
            path: z.text("File, relative to the workspace or absolute."),
            start_line: z.optionalInt("First line, starting at 1.", { min: 1 }),
            end_line: z.optionalInt("Last line, inclusive.", { min: 1 }),
          })
          .check(
            z.refine(({ start_line = 1, end_line = start_line }) => end_line >= start_line, {
              error: "`end_line` comes before `start_line`",
            }),
          ),
      resolve: ({ path, start_line = 1, end_line }) => [
        "file.read",
        { path, offset: start_line, limit: end_line === undefined ? undefined : end_line - start_line + 1 },
      ],
      answer: ({ data, text }) => ({ text, ...continuationOf(data, (line) => `start_line ${line}`) }),
    }),
    renameTool("file.list", {
      name: "file_list",
      description: "List the files and folders of a directory. Skips files in .gitignore.",
      fields: { no_ignore: "include_ignored" },
      only: ["path", "no_ignore"],
      require: ["path"],
      defaults: { depth: 1, hidden: true },
      describe: {
        path: "Directory to list; `.` is the workspace.",
        no_ignore: "Also list files in .gitignore.",
      },
      answer: ({ data, text }) =>
        data.limited ? { text, continuation: "To find more files use search.glob." } : text,
    }),
    reshapeTool(["search.glob"], {
      name: "file_search",
      description: "Find files by name: a glob, or a part of the name. Skips files in .gitignore.",
      input: (z) =>
        z.strictObject({
          pattern: z.text('Glob ("*.rs", "src/**/mod.rs") or part of a name.', { min: 1 }),
          path: z.optionalText("Directory to start in. Default: the workspace."),
        }),
      resolve: ({ pattern, path }) => [
        "search.glob",
        { pattern: globOf(pattern), path, sort: "path" as const, hidden: true },
      ],
      answer: ({ data }, { pattern }) => showFiles(data, pattern),
    }),
    renameTool("file.write", {
      name: "file_write",
      description:
        "Create or replace a whole file, at most 10 MB. To change a part use edit.smart or edit.diff.",
      only: ["path", "content"],
    }),
    renameTool("edit.diff", {
      name: "file_patch",
      description:
        "Apply a unified diff to an existing file. Line numbers are hints; context lines must match.",
      only: ["path", "diff"],
      fields: { diff: "patch" },
      require: ["path"],
      describe: {
        path: "File to patch.",
        diff: "Hunks: `@@`, then lines that start with a space, - or +.",
      },
    }),
    renameTool("git.status", {
      name: "git_status",
      description: "Show staged, changed and untracked files of the git working tree.",
      only: ["path"],
      describe: { path: "Repository. Default: the workspace." },
    }),
    reshapeTool(["git.diff"], {
      name: "git_diff",
      description: "Show changes as a diff: in the working tree, staged, or against a commit.",
      input: (z) =>
        z.strictObject({
          path: z.optionalText("Repository. Default: the workspace."),
          staged: z.optionalFlag("Only staged changes."),
          commit: z.optionalText("Compare against this commit."),
        }),
      resolve: ({ path, staged, commit: revision }) => [
        "git.diff",
        { staged, revision, paths: path === undefined ? undefined : [path] },
      ],
      fields: { revision: "commit" },
    }),
    renameTool("git.commit", {
      name: "git_commit",
      description: "Commit staged changes.",
      only: ["message", "path"],
      require: ["message"],
      describe: { path: "Repository. Default: the workspace." },
    }),
    reshapeTool(["shell.run"], {
      name: "shell_exec",
      description: "Run a shell command in the workspace.",
      input: (z) =>
        z.strictObject({
          command: z.text("The command.", { min: 1 }),
          timeout_secs: z.optionalInt("Time limit in seconds. Default: 60.", { min: 1 }),
        }),
      fields: { timeout_ms: "timeout_secs" },
      resolve: ({ command, timeout_secs = 60 }) => [
        "shell.run",
        { command, timeout_ms: timeout_secs * 1000 },
      ],
    }),
    renameTool("text.echo", {
      name: "echo",
      description: "Echo a text, for example to think.",
      only: ["text"],
    }),
    renameTool("time.now", {
      name: "datetime",
      description: "Get the current date, time and time zone.",
      only: [],
      defaults: { zone: "local" },
    }),
    renameTool("math.calculate", {
      name: "calculator",
      description: "Evaluate a mathematical expression.",
      only: ["expression"],
      describe: { expression: "For example sqrt(144) + 3 * 7." },
    }),
    renameTool("web.search", {
      name: "web_search",
      description: "Search the web. To read a page use web.fetch.",
      fields: { limit: "max_results" },
      only: ["query", "limit"],
    }),
    renameTool("web.fetch", {
      name: "web_fetch",
      description: "Fetch a URL. HTML is converted to readable text.",
      only: ["url"],
      defaults: { max_chars: 200_000 },
      limits: { maxChars: 50_000, keep: "head" },
    }),
    renameTool("document.read", {
      name: "document_read",
      description: "Read a document: PDF, DOCX, XLSX, PPTX, ODT, EPUB, RTF, CSV, HTML, notebooks, images.",
      only: ["path"],
      defaults: { max_chars: 1_000_000 },
      limits: { maxChars: 50_000, keep: "head" },
      describe: { path: "The document." },
    }),
    renameTool("edit.smart", {
      name: "smart_edit",
      description: "Edit a location described in any way. Sets a checkpoint first and returns the diff.",
      only: ["path", "location", "operation", "content"],
      describe: {
        location: 'Text in the file, "line 42", "lines 10-20", a symbol, or a description.',
        content: "The new text. Ignored by delete.",
      },
      answer: ({ data: { files, checkpoint } }) =>
        [
          files.map(({ diff }) => diff.trimEnd()).join("\n"),
          ...files.flatMap(({ notes }) => notes.map((note) => `(${note})`)),
          ...(checkpoint === undefined ? [] : [`[Checkpoint ${checkpoint} was set first.]`]),
        ].join("\n"),
    }),
    renameTool("code.search", {
      name: "codebase_search",
      description: "Find code in the whole project by name or behavior.",
      fields: { kind: "filter" },
      only: ["query", "kind", "language"],
      describe: { kind: "Only this kind, e.g. function, struct, class." },
      answer: ({ data, text }) => (data.results.length > 0 ? text : text.replace(/\bkind\b/, "filter")),
    }),
    ...agentTools,
  ],
};

/** A pattern without glob characters is a part of the name. */
function globOf(pattern: string): string {
  if (/[*?[{]/.test(pattern)) return pattern;
  return pattern.includes("/") ? `**/*${pattern}*` : `*${pattern}*`;
}
