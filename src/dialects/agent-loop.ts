import { counted } from "../lib/text/format-quantity.ts";
import { showPath } from "../lib/text/printable.ts";
import type { Dialect } from "./dialect.ts";
import { type Answer, type DataOf, renameTool } from "./rename.ts";
import { reshapeTool } from "./reshape.ts";
import { agentTools } from "./shared/agent-tools.ts";
import { continuationOf, failureLines, showFiles, showMatches } from "./shared/outputs.ts";

/** The four parts of a description in agent_loop, in its order. */
interface Description {
  readonly summary: string;
  readonly principle: string;
  readonly usage: string;
  readonly faultTolerance: string;
}

function described({ summary, principle, usage, faultTolerance }: Description): string {
  return `${summary}\nPrinciple: ${principle}\nUsage: ${usage}\nFault tolerance: ${faultTolerance}`;
}

export const calculateDescription: string = described({
  summary: "Evaluate an arithmetic expression of numbers, + - * / ** and parentheses.",
  principle: "It is parsed, never run as code.",
  usage: "Give the whole expression, for example (2+3)*4.",
  faultTolerance: "Names, calls and anything else are refused, with the position.",
});

export const timeDescription: string = described({
  summary: "Get the current UTC time in ISO 8601 format.",
  principle: "The clock of this machine, with six digits of a second and +00:00.",
  usage: "Call it without arguments.",
  faultTolerance: "It needs no network.",
});

/** Gives the fraction of a second six digits, as in Python. */
export function withMicroseconds(iso: string): string {
  return iso.replace(/\.\d{3}(?=[Z+-])/, "$&000");
}

/** The tools of `agent_loop`: a starter set (v2), and file tools with paths relative to `cwd` (v3). */
export const agentLoopDialect: Dialect = {
  name: "agent-loop",
  sets: {
    v2: ["calculate", "get_current_time"],
    v3: ["read", "write", "edit", "grep", "find", "ls"],
  },
  failure: (failure) => `Tool execution error: ${failureLines(failure)}`,
  tools: [
    renameTool("math.calculate", {
      name: "calculate",
      description: calculateDescription,
      only: ["expression"],
      defaults: { strict: true },
      describe: { expression: "For example (2+3)*4." },
      answer: ({ data }) => data.value,
    }),
    renameTool("time.now", {
      name: "get_current_time",
      description: timeDescription,
      only: [],
      answer: ({ data }) => withMicroseconds(data.iso),
    }),
    reshapeTool(["file.read"], {
      name: "read",
      description: described({
        summary: "Read a text file (at most 2000 lines or 50 KiB per call) or view an image.",
        principle: "Whole lines, without line numbers.",
        usage: "Read a file before you edit it. Read large files in parts, with offset and limit.",
        faultTolerance: "A cut answer gives the offset to continue with. Other binary files are refused.",
      }),
      input: (z) =>
        z.strictObject({
          path: z.text("File to read."),
          cwd: z.optionalText(cwdDescription),
          offset: z.optionalInt("First line, starting at 1.", { min: 1 }),
          limit: z.optionalInt("Number of lines.", { min: 1 }),
          max_lines: z.optionalInt("Maximum number of lines. Default: 2000.", { min: 1 }),
          max_bytes: z.optionalInt("Maximum number of bytes. Default: 51200.", { min: 1 }),
        }),
      resolve: ({ path, cwd, offset, limit, max_lines = 2000, max_bytes = 51_200 }) => [
        "file.read",
        {
          path: from(cwd, path),
          offset,
          limit: Math.min(limit ?? max_lines, max_lines),
          max_bytes,
          line_numbers: false,
        },
      ],
      limits: { maxChars: 1_100_000, keep: "head" },
      answer: ({ data, text }) => {
        const [file] = data.files;
        const whole = file?.kind === "text" && file.lines > 0 ? file.text.replaceAll("\r\n", "\n") : text;
        return { text: whole, ...continuationOf(data, (line) => `offset ${line}`) };
      },
    }),
    reshapeTool(["file.write"], {
      name: "write",
      description: described({
        summary: "Create a file, with its folders, or replace it.",
        principle: "The file gets exactly this content, all of it or nothing.",
        usage: "For new files and complete rewrites. To change a part use edit.replace.",
        faultTolerance: "If it fails, the old file is unchanged.",
      }),
      input: (z) =>
        z.strictObject({
          path: z.text("File to write."),
          content: z.text("The complete content."),
          cwd: z.optionalText(cwdDescription),
        }),
      resolve: ({ path, cwd, content }) => ["file.write", { path: below(cwd, path), content }],
    }),
    reshapeTool(["edit.replace"], {
      name: "edit",
      description: described({
        summary: "Replace text in a file.",
        principle: "The text must occur exactly once. Nothing else changes.",
        usage: "Copy old_text from the file, with enough context to be unique.",
        faultTolerance:
          "Small differences in whitespace are accepted. If it fails, the file is unchanged and the error says where similar text is.",
      }),
      input: (z) =>
        z.strictObject({
          path: z.text("File to edit."),
          old_text: z.text("Text to replace, exactly as in the file.", { min: 1 }),
          new_text: z.text("The new text."),
          cwd: z.optionalText(cwdDescription),
        }),
      resolve: ({ path, cwd, old_text, new_text }) => [
        "edit.replace",
        { path: below(cwd, path), find: old_text, replace: new_text },
      ],
      answer: ({ text }) => `1 replacement. ${text}`,
    }),
    reshapeTool(["search.grep"], {
      name: "grep",
      description: described({
        summary: "Search files with a regular expression.",
        principle: "ripgrep's syntax, line by line. Answers with path:line:text.",
        usage: "Search a file or folder. For file names use search.glob.",
        faultTolerance:
          "Skips binary files and files in .gitignore. Says when there are more matches than limit.",
      }),
      input: (z) =>
        z.strictObject({
          pattern: z.text("Regular expression."),
          path: z.text("File or folder to search."),
          cwd: z.optionalText(cwdDescription),
          limit: z.optionalInt("Maximum number of matches. Default: 100.", { min: 1 }),
          context: z.optionalInt("Lines of context around each match.", { min: 0 }),
        }),
      resolve: ({ path, cwd, ...wanted }) => [
        "search.grep",
        { ...wanted, path: from(cwd, path), hidden: true },
      ],
      limits: { maxChars: 51_200, keep: "head" },
      answer: (output) => showMatches(output, { hint: "raise `limit`, or narrow `pattern` or `path`" }),
    }),
    reshapeTool(["search.glob"], {
      name: "find",
      description: described({
        summary: "Find up to 1000 files by a glob.",
        principle: "Answers with paths, sorted. A glob without a slash matches at any depth.",
        usage: '"*.ts" or "src/**/*.json". For text in files use search.grep.',
        faultTolerance: "Skips files in .gitignore. Says when there are more files.",
      }),
      input: (z) =>
        z.strictObject({
          pattern: z.text("Glob; without a slash it matches at any depth.", { min: 1 }),
          path: z.text("Folder to search."),
          cwd: z.optionalText(cwdDescription),
        }),
      resolve: ({ pattern, path, cwd }) => [
        "search.glob",
        { pattern, path: below(cwd, path), sort: "path" as const, limit: 1000, hidden: true },
      ],
      limits: { maxChars: 51_200, keep: "head" },
      answer: ({ data }, { pattern }) => showFiles(data, pattern),
    }),
    reshapeTool(["file.list"], {
      name: "ls",
      description: described({
        summary: "List up to 500 entries of a folder.",
        principle: "Answers with names, sorted, also hidden and ignored ones. Folders end with /.",
        usage: "Without path it lists cwd. For deeper folders use search.glob.",
        faultTolerance: "Says how many more entries there are.",
      }),
      input: (z) =>
        z.strictObject({
          path: z.optionalText("Folder to list. Default: `cwd`."),
          cwd: z.optionalText(cwdDescription),
        }),
      resolve: ({ path = ".", cwd }) => [
        "file.list",
        { path: below(cwd, path), depth: 1, limit: 500, hidden: true, no_ignore: true },
      ],
      limits: { maxChars: 51_200, keep: "head" },
      answer: ({ data }) => showEntries(data.root),
    }),
    ...agentTools,
  ],
};

const cwdDescription = "Folder that paths are relative to. Default: the workspace.";

/** Returns a path in `cwd`, or the handle of a stored output unchanged. */
function from(cwd: string | undefined, path: string): string {
  return isHandle.test(path) ? path : below(cwd, path);
}

const isHandle = /^out_[0-9a-z]{12,32}$/;

function below(cwd: string | undefined, path: string): string {
  if (cwd === undefined || cwd === "" || path.startsWith("/")) return path;
  if (path === "." || path === "") return cwd;
  return `${cwd}${cwd.endsWith("/") ? "" : "/"}${path}`;
}

function showEntries({ entries = [], beyondLimit }: DataOf<"file.list">["root"]): Answer {
  const lines = entries.map(({ kind, name }) => `${showPath(name)}${kind === "directory" ? "/" : ""}`);
  const text = lines.join("\n") || "[The directory is empty.]";
  const more = `${counted(beyondLimit, "more name")}. List a subfolder, or find files by name.`;
  return { text, ...(beyondLimit > 0 && { continuation: more }) };
}
