import { posix } from "node:path";
import type { TextEncoding } from "../contract/environment.ts";
import type { ErrorCode } from "../contract/error.ts";
import type { ToolContext } from "../contract/tool.ts";
import { isLostWrite } from "../lib/lost-write.ts";
import { utf16Units } from "../lib/text/encoding.ts";
import { counted } from "../lib/text/format-quantity.ts";
import type { Dialect, Failure } from "./dialect.ts";
import { type DataOf, renameTool } from "./rename.ts";
import { reshapeTool } from "./reshape.ts";
import { agentTools } from "./shared/agent-tools.ts";
import { failureLines } from "./shared/outputs.ts";

export const MAX_BASH_OUTPUT = 30_000;
export const MAX_READ_OUTPUT = 50_000;
export const BASH_TIMEOUT_SECS = 120;

export function truncationNotice(cut: { readonly total: number; readonly shown: number }): string {
  return `... (output truncated: ${cut.total} total chars, showing first ${cut.shown})`;
}

/** The tools of Omega: four with short names, for files anywhere on the machine. */
export const omegaDialect: Dialect = {
  name: "omega",
  ignoresCase: true,
  extraRoots: ({ workspace, temporary, home }) =>
    extraRootsOfOmega(posix.dirname(workspace), temporary, home),
  failure: ({ code, message, hint, output, details }) => {
    const denied = refusals.has(code) ? `Permission denied: ${message.replace(/^Denied: /, "")}` : message;
    return failureLines({ message: denied, hint: hintFor({ code, hint, details }), output });
  },
  tools: [
    reshapeTool(["shell.run"], {
      name: "bash",
      description:
        "Run a bash command in the workspace, for at most 120 seconds. Returns stdout and stderr together.",
      input: (z) => z.strictObject({ command: z.text("The bash command to run.") }),
      resolve: ({ command }) => ["shell.run", { command, timeout_ms: BASH_TIMEOUT_SECS * 1000 }],
      limits: { maxChars: MAX_BASH_OUTPUT, keep: "head", notice: truncationNotice },
      answer: ({ data, failed }) => ({
        text: commandOutput(data),
        failed: failed ?? data.remarks.find(isLostWrite),
      }),
    }),
    renameTool("file.read", {
      name: "read",
      description: "Read a file unchanged. It may be outside the workspace.",
      fields: { path: "file_path" },
      describe: { path: "Path, absolute or relative to the workspace." },
      only: ["path"],
      require: ["path"],
      defaults: { limit: Number.MAX_SAFE_INTEGER, line_numbers: false },
      limits: { maxChars: MAX_READ_OUTPUT, keep: "head", notice: truncationNotice },
      answer: async ({ data, ...shown }, _given, context) => (await contentOf(data, context)) ?? shown,
    }),
    renameTool("file.write", {
      name: "write",
      description: "Create a file, with its directories, or replace a whole file. Not in system directories.",
      fields: { path: "file_path" },
      describe: {
        path: "Path, absolute or relative to the workspace.",
        content: "The complete new content.",
      },
      only: ["path", "content"],
    }),
    reshapeTool(["edit.replace"], {
      name: "edit",
      description: "Replace the first occurrence of a text in a file. Reports how many there were.",
      input: (z) =>
        z.strictObject({
          file_path: z.text("Path, absolute or relative to the workspace."),
          old_string: z.text("Text to replace, exactly as in the file.", { min: 1 }),
          new_string: z.text("The new text."),
        }),
      resolve: ({ file_path: path, old_string: find, new_string: replace }) => [
        "edit.replace",
        { path, find, replace, exact: true, first: true },
      ],
      answer: ({ data }, { file_path: path }) => edited(data, path),
    }),
    ...agentTools,
  ],
};

/**
 * Allows reading anywhere, and writing without approval in Omega's data directory and in temporary directories, anywhere
 * else with approval. A directory that contains the user's home never counts as Omega's.
 */
export function extraRootsOfOmega(
  dataDir: string,
  temporary: readonly string[],
  home: string,
): ReturnType<NonNullable<Dialect["extraRoots"]>> {
  const contains = (path: string) => `${path}/`.startsWith(`${dataDir}/`);
  const isOmegas = dataDir !== "/" && !contains(home);
  // In the real temporary directory, sockets of other programs would let commands leave the sandbox.
  const isForCommands = isOmegas && !["/tmp", "/var/tmp", ...temporary].some(contains);
  return {
    read: ["/"],
    visible: ["/"],
    write: [...(isOmegas ? [dataDir] : []), ...temporary],
    ask: ["/"],
    except: [posix.join(dataDir, "config.toml"), posix.join(dataDir, "data")],
    commands: isForCommands ? [dataDir] : [],
    temporary: [...new Set(["/tmp", "/var/tmp", ...temporary])],
  };
}

/** Replaces hints that name options and tools which Omega does not have: timeouts, background commands, listings. */
function hintFor({ code, hint, details }: Pick<Failure, "code" | "hint" | "details">): string | null {
  if (code === "timeout") return "Do less in one command, or split it.";
  return details?.kind === "read-directory" ? "List it with bash." : hint;
}

const refusals: ReadonlySet<ErrorCode> = new Set(["denied", "needs-approval", "outside-workspace"]);

function commandOutput({ stdout, stderr, together, exitCode, signal, remarks }: DataOf<"shell.run">): string {
  const output = together ?? stdout + stderr;
  const end = signal === null ? `exit code: ${exitCode}` : `ended by ${signal}`;
  const body = output === "" ? end : output;
  if (remarks.length === 0) return body;
  return [body.replace(/\n$/, ""), ...remarks.map((remark) => `[${remark}]`)].join("\n");
}

/** Returns the text of a file unchanged; undefined for anything else, which keeps the default output. */
async function contentOf({ files: [file] }: DataOf<"file.read">, context: ToolContext) {
  if (file?.kind !== "text") return undefined;
  const { path, text, encoding, bytes, nextOffset, cutBytes } = file;
  const note = encoding.startsWith("utf-8") ? "" : `\n[encoding: ${encoding}]`;
  if (nextOffset === undefined && cutBytes === undefined) return { text: text + note };
  const missing = bytes - Buffer.byteLength(text);
  const chars = (await charsIn(path, file, context)) - text.length;
  return { text, kept: { handle: undefined, note: "", gaps: [{ mark: "", bytes: missing, chars }] } };
}

/** Counts the characters of a file without loading all of it. */
async function charsIn(
  path: string,
  { bytes, encoding }: { readonly bytes: number; readonly encoding: TextEncoding },
  { environment, signal }: ToolContext,
): Promise<number> {
  if (encoding === "latin1") return bytes;
  if (encoding !== "utf-8" && encoding !== "utf-8-bom") return bytes / 2 - 1;
  let chars = encoding === "utf-8-bom" ? -1 : 0;
  for (let offset = 0; offset < bytes; offset += countedAtOnce) {
    signal.throwIfAborted();
    chars += utf16Units(await environment.readBytes(path, { offset, length: countedAtOnce }));
  }
  return chars;
}

const countedAtOnce = 4 * 1024 * 1024;

function edited({ files: [file] }: DataOf<"edit.replace">, path: string): string {
  const { occurrences = 1, notes = [] } = file ?? {};
  const which = occurrences === 1 ? "1 occurrence" : `the first of ${counted(occurrences, "occurrence")}`;
  return [`Edited ${path}: replaced ${which}.`, ...notes.map((note) => `(${note})`)].join("\n");
}
