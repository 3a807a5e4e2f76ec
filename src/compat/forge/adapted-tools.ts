import { ToolError } from "../../contract/error.ts";
import type { ToolContext, ToolOutput } from "../../contract/tool.ts";
import type { Dialect, DialectTool } from "../../dialects/dialect.ts";
import { showCommand } from "../../dialects/forge.ts";
import type { InputOf } from "../../dialects/rename.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { showPath } from "../../lib/text/printable.ts";
import type { AdaptedEnvironment } from "./adapted-environment.ts";

/** Returns the dialect with tools that run commands and search through an environment's own methods. */
export function adaptDialect(dialect: Dialect, environment: AdaptedEnvironment): Dialect {
  return { ...dialect, tools: dialect.tools.map((tool) => adaptTool(tool, environment)) };
}

/** Replaces how a tool runs. Its checks, limits and arguments stay as they are. */
function adaptTool(tool: DialectTool, environment: AdaptedEnvironment): DialectTool {
  const run = runs[tool.canonical];
  if (run === undefined) return tool;
  return {
    ...tool,
    load: async () => {
      const offered = await tool.load();
      return {
        ...offered,
        resolve: (given) => {
          const call = offered.resolve(given);
          return {
            ...call,
            tool: { ...call.tool, run: (input, context) => run(input, { ...context, environment }, context) },
          };
        },
      };
    },
  };
}

type Run = (
  // biome-ignore lint/suspicious/noExplicitAny: the tool has checked its input
  input: any,
  through: ToolContext & { readonly environment: AdaptedEnvironment },
  guarded: ToolContext,
) => Promise<ToolOutput>;

const runs: Readonly<Record<string, Run>> = {
  "shell.run": runCommand,
  "search.grep": grep,
  "search.glob": glob,
};

async function runCommand(
  { command, timeout_ms: timeoutMs = 10_000 }: InputOf<"shell.run">,
  { environment, signal }: Parameters<Run>[1],
): Promise<ToolOutput> {
  const run = await environment.use(".", "execCommand", (inner) =>
    inner.execCommand(command, { timeoutMs, signal }),
  );
  const { stdout, stderr, exitCode, durationMs, timedOut } = run;
  if (!timedOut)
    return { data: run, text: showCommand({ stdout, stderr, exitCode, durationMs, signal: null }) };
  throw new ToolError("timeout", `The command did not finish within ${timeoutMs / 1000} s and was stopped`, {
    hint: "Give a larger `timeout_ms` (at most 600000).",
    output: [stdout, stderr].filter((part) => part !== "").join("\n"),
    details: { kind: "command-timeout", timeoutMs, stdout, stderr },
  });
}

async function grep(
  { pattern, path, glob, ignore_case: ignoreCase, limit = 100, mode = "content" }: InputOf<"search.grep">,
  { environment }: Parameters<Run>[1],
  guarded: ToolContext,
): Promise<ToolOutput> {
  const where = path ?? ".";
  const [only] = [glob].flat();
  // One line more than the limit shows whether there are more.
  const maxResults = mode === "content" ? limit + 1 : undefined;
  const output = await environment.use(where, "grep", (inner, name) =>
    inner.grep(pattern, name || ".", { glob: only, ignoreCase, maxResults }),
  );
  const { lines, skipped } = await readable(output.split("\n").filter(Boolean), guarded);
  const counts = new Map<string, number>();
  for (const { path } of lines) counts.set(path, (counts.get(path) ?? 0) + 1);
  const found =
    mode === "content"
      ? lines.map(({ text }) => text)
      : Array.from(counts, ([path, count]) => (mode === "files" ? path : `${path}:${count}`));
  const nothing = `No matches for ${pattern} in ${path ?? "the workspace"}.`;
  const files = counted(skipped, "file hidden by rules was", "files hidden by rules were");
  const notes = skipped === 0 ? [] : [`[${files} skipped]`];
  const what = counted(limit, mode === "content" ? "matching line" : "file");
  return {
    data: { lines: found.slice(0, limit) },
    text: [found.slice(0, limit).join("\n") || nothing, ...notes].join("\n"),
    continuation:
      found.length > limit
        ? `Stopped after ${what}; there are more. Narrow the search (path, glob_filter, a longer pattern) or raise max_results.`
        : undefined,
  };
}

/** Returns the lines without those of files that no tool may read. */
async function readable(
  lines: readonly string[],
  { environment }: ToolContext,
): Promise<{ readonly lines: readonly { path: string; text: string }[]; readonly skipped: number }> {
  const matches = lines.map((text) => ({ text, path: /^(.+?):\d+:/.exec(text)?.[1] ?? "." }));
  const allowed = new Map<string, boolean>();
  for (const { path } of matches) {
    if (allowed.has(path)) continue;
    // A read of no bytes only checks the permission.
    const reading = path === "." ? undefined : environment.readBytes(path, { offset: 0, length: 0 });
    allowed.set(path, (await reading?.catch(() => undefined)) !== undefined || path === ".");
  }
  const skipped = [...allowed.values()].filter((isAllowed) => !isAllowed).length;
  return { lines: matches.filter(({ path }) => allowed.get(path)), skipped };
}

async function glob(
  { pattern, path, limit = 500 }: InputOf<"search.glob">,
  { environment }: Parameters<Run>[1],
): Promise<ToolOutput> {
  const files = await environment.use(path ?? ".", "glob", (inner, name) => inner.glob(pattern, name || "."));
  if (files.length === 0)
    return { data: { files }, text: `No file in ${path ?? "the workspace"} matches ${pattern}.` };
  return {
    data: { files },
    text: files.slice(0, limit).map(showPath).join("\n"),
    continuation:
      files.length > limit
        ? `${limit} of ${counted(files.length, "file")} shown; narrow the pattern.`
        : undefined,
  };
}
