import { posix } from "node:path";
import type { ErrorCode } from "../contract/error.ts";
import { counted } from "../lib/counted.ts";
import type { Dialect } from "./dialect.ts";
import { type DataOf, rename } from "./rename.ts";
import { reshape } from "./reshape.ts";
import { agentTools } from "./shared/agent-tools.ts";

/** Characters that are shown of an output. */
export const MAX_BASH_OUTPUT = 30_000;
export const MAX_READ_OUTPUT = 50_000;
export const BASH_TIMEOUT_SECS = 120;

/** What stands after the first characters of a text that was cut, on a line of its own. */
export function truncationNotice({
  total,
  shown,
}: {
  readonly total: number;
  readonly shown: number;
}): string {
  return `... (output truncated: ${total} total chars, showing first ${shown})`;
}

/** Of Omega: four tools with short names, and files that may lie anywhere. */
export const omegaDialect: Dialect = {
  name: "omega",
  ignoresCase: true,
  reach: ({ workspace, temporary, home }) => reachOfOmega(posix.dirname(workspace), temporary, home),
  failure: ({ code, message, hint, output }) => {
    const denied = refusals.has(code) ? `Permission denied: ${message.replace(/^Denied: /, "")}` : message;
    return [denied, wayOut(code, hint), output].filter((part) => part).join("\n");
  },
  tools: [
    reshape(["shell.run"], {
      name: "bash",
      summary:
        "Run a command with bash in the workspace: both outputs together, at most 120 seconds. It has a /tmp of its own.",
      input: (z) => z.strictObject({ command: z.string().check(z.describe("The bash command to run.")) }),
      means: ({ command }) => ["shell.run", { command, timeout_ms: BASH_TIMEOUT_SECS * 1000 }],
      limits: { maxChars: MAX_BASH_OUTPUT, keep: "head", notice: truncationNotice },
      answer: ({ data }) => ({ text: said(data), ...(data.exitCode === 0 ? {} : { isError: true }) }),
    }),
    reshape(["file.read"], {
      name: "read",
      summary: "Read a file as it is. It need not be in the workspace.",
      input: (z) =>
        z.strictObject({
          file_path: z.string().check(z.describe("Absolute, or relative to the workspace.")),
        }),
      means: ({ file_path: path }) => [
        "file.read",
        { path, limit: Number.MAX_SAFE_INTEGER, line_numbers: false },
      ],
      limits: { maxChars: MAX_READ_OUTPUT, keep: "head", notice: truncationNotice },
      answer: ({ data, ...shown }) => contentOf(data) ?? shown,
    }),
    rename("file.write", {
      name: "write",
      summary:
        "Create a file, with its directories, or replace a whole file. System directories are refused.",
      fields: { path: "file_path" },
      describe: { path: "Absolute, or relative to the workspace.", content: "The whole new content." },
      only: ["path", "content"],
    }),
    reshape(["edit.replace"], {
      name: "edit",
      summary: "Replace the first occurrence of a text in a file; the answer tells how many there were.",
      input: (z) =>
        z.strictObject({
          file_path: z.string().check(z.describe("Absolute, or relative to the workspace.")),
          old_string: z.string().check(z.minLength(1), z.describe("The text to replace, to the character.")),
          new_string: z.string().check(z.describe("The new text.")),
        }),
      means: ({ file_path: path, old_string: find, new_string: replace }) => [
        "edit.replace",
        { path, find, replace, exact: true, first: true },
      ],
      answer: ({ data }, { file_path: path }) => edited(data, path),
    }),
    ...agentTools,
  ],
};

/**
 * Reads anywhere; writes anywhere but where something is protected, unasked in what is Omega's and what is temporary. A
 * directory that holds the person's home is not Omega's, whatever workspace lies in it.
 */
export function reachOfOmega(
  dataDir: string,
  temporary: readonly string[],
  home: string,
): ReturnType<NonNullable<Dialect["reach"]>> {
  const isOmegas = dataDir !== "/" && !`${home}/`.startsWith(`${dataDir}/`);
  return {
    read: ["/"],
    write: [...(isOmegas ? [dataDir] : []), ...temporary],
    ask: ["/"],
    except: [posix.join(dataDir, "config.toml"), posix.join(dataDir, "data")],
  };
}

/** A command's time is fixed here, nothing runs in the background, and what is in a directory is for `bash` to tell. */
function wayOut(code: ErrorCode, hint: string | null): string | null {
  if (code === "timeout") return "Let it do less, or do it in parts.";
  return hint?.includes("file.list") ? "See what is in it with bash." : hint;
}

const refusals: ReadonlySet<ErrorCode> = new Set(["denied", "needs-approval", "outside-workspace"]);

function said({ stdout, stderr, together, exitCode, signal, remarks }: DataOf<"shell.run">): string {
  const output = together ?? stdout + stderr;
  const end = signal === null ? `exit code: ${exitCode}` : `ended by ${signal}`;
  const body = output === "" ? end : output;
  if (remarks.length === 0) return body;
  return [body.replace(/\n$/, ""), ...remarks.map((remark) => `[${remark}]`)].join("\n");
}

/** A text whole and unchanged; what is no text is shown as it usually is. */
function contentOf({ files: [file] }: DataOf<"file.read">) {
  if (file?.kind !== "text") return undefined;
  const { text, encoding, bytes, nextOffset, cutBytes } = file;
  const note = encoding.startsWith("utf-8") ? "" : `\n[encoding: ${encoding}]`;
  if (nextOffset === undefined && cutBytes === undefined) return { text: text + note };
  const missing = bytes - Buffer.byteLength(text);
  return { text, kept: { handle: undefined, note: "", gaps: [{ mark: "", bytes: missing }] } };
}

function edited({ files: [file] }: DataOf<"edit.replace">, path: string): string {
  const { occurrences = 1, notes = [] } = file ?? {};
  const which = occurrences === 1 ? "1 occurrence" : `the first of ${counted(occurrences, "occurrence")}`;
  return [`Edited ${path}: replaced ${which}.`, ...notes.map((note) => `(${note})`)].join("\n");
}
