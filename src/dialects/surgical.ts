import type { SymbolKind } from "../contract/code.ts";
import type { Dialect, DialectTool } from "./dialect.ts";
import { type DataOf, renameTool } from "./rename.ts";
import { reshapeTool } from "./reshape.ts";
import { agentTools } from "./shared/agent-tools.ts";
import { blockFields, editFields } from "./shared/inputs.ts";
import { continuationOf, failureInSeconds, showFiles, showMatches } from "./shared/outputs.ts";

const fields = { run_formatter: "run_rustfmt", run_check: "run_cargo_check" } as const;

const values = { kind: ["function", "struct", "enum", "trait", "impl"] } as const;

const describe = {
  path: "Rust file.",
  kind: "Kind of block.",
  name: "Its name.",
  module_path: 'Parent, if the name is not unique, e.g. "impl Agent".',
  line_hint: "A line near it, if the name is not unique.",
  expected_old_hash: "SHA-256 of the current block.",
  expected_old_block: "Text of the current block.",
  run_formatter: "Format the file. Default: false.",
  run_check: "Run cargo check, and revert if it fails. Default: false.",
} as const;

/** Tools that edit Rust by block: functions, structs, enums, traits and impls. */
const rustBlocks: readonly DialectTool[] = [
  renameTool("code.replace_block", {
    name: "rust_replace_block",
    description:
      "Replace a whole Rust block by kind and name. Attributes and doc comments above it stay unless the new block has " +
      "its own. Safer than file.write for existing code.",
    fields,
    values,
    describe: { ...describe, new_block: "The complete new block." },
    only: [...blockFields, "new_block", ...editFields],
    require: ["kind"],
  }),
  renameTool("code.insert_block", {
    name: "rust_insert_after_block",
    description: "Insert code after a Rust block, for example a new function.",
    fields,
    values,
    describe: { ...describe, snippet: "The code to insert." },
    only: [...blockFields, "snippet", ...editFields],
    require: ["kind"],
    defaults: { position: "after" },
  }),
];

/** Surgical edits of Rust: blocks by kind and name, and a persistent shell. */
export const surgicalDialect: Dialect = {
  name: "surgical",
  failure: failureInSeconds,
  tools: [
    reshapeTool(["file.read"], {
      name: "read_file",
      description: "Read a file. Always read before editing.",
      input: (z) =>
        z.strictObject({
          path: z.text("File, relative to the workspace or absolute."),
          offset: z.optionalInt("Lines to skip. 0 starts at line 1.", { min: 0 }),
          limit: z.optionalInt("Number of lines. Default: 2000.", { min: 1 }),
        }),
      resolve: ({ offset = 0, ...wanted }) => ["file.read", { ...wanted, offset: offset + 1 }],
      answer: ({ data, text }) => ({ text, ...continuationOf(data, (line) => `offset ${line - 1}`) }),
    }),
    renameTool("search.glob", {
      name: "glob",
      description:
        "Find files by pattern, newest first; `**` matches any folders. Skips files in .gitignore.",
      only: ["pattern"],
      defaults: { hidden: true },
      describe: { pattern: 'For example "src/**/*.rs".' },
      answer: ({ data }, { pattern }) => showFiles(data, String(pattern)),
    }),
    reshapeTool(["search.grep"], {
      name: "grep",
      description:
        "Search file contents with a regular expression. Returns path, line number and line of each match.",
      input: (z) =>
        z.strictObject({
          pattern: z.text("Regular expression."),
          include: z.optionalText('Only files that match, e.g. "*.rs".'),
        }),
      resolve: ({ pattern, include }) => [
        "search.grep",
        { pattern, glob: include === undefined ? undefined : filesLike(include) },
      ],
      answer: (output) => showMatches(output, { hint: "narrow `pattern` or `include`" }),
    }),
    renameTool("file.write", {
      name: "write_file",
      description: "Write a whole file. For new files or complete rewrites.",
      only: ["path", "content"],
    }),
    reshapeTool(["edit.replace"], {
      name: "patch_file",
      description: "Replace text that occurs exactly once. Whitespace must match. For small changes.",
      input: (z) =>
        z.strictObject({
          path: z.text("File to edit."),
          old_text: z.text("Text to replace, exactly as in the file.", { min: 1 }),
          new_text: z.text("The new text."),
        }),
      fields: { find: "old_text", replace: "new_text" },
      resolve: ({ path, old_text, new_text }) => [
        "edit.replace",
        { path, find: old_text, replace: new_text, exact: true },
      ],
    }),
    reshapeTool(["shell.run"], {
      name: "shell",
      description:
        "Run a command in a persistent shell, which keeps directory and variables: cargo check, cargo test, git status.",
      input: (z) =>
        z.strictObject({
          command: z.text("The command.", { min: 1 }),
          timeout_secs: z.optionalInt("Time limit in seconds. Default: 120.", { min: 1 }),
        }),
      fields: { timeout_ms: "timeout_secs" },
      resolve: ({ command, timeout_secs = 120 }) => [
        "shell.run",
        { command, timeout_ms: timeout_secs * 1000, session: "agent" },
      ],
    }),
    renameTool("code.symbols", {
      name: "rust_list_symbols",
      description: "List the symbols of a Rust file as `Kind name [start-end]`. Use it before editing.",
      only: ["path"],
      require: ["path"],
      defaults: { limit: 5_000 },
      describe: { path: "Rust file." },
      answer: showSymbols,
    }),
    ...rustBlocks,
    renameTool("code.validate", {
      name: "rust_validate_file",
      description: "Check whether a Rust file has valid syntax. For types use cargo check.",
      only: ["path"],
      describe: { path: "Rust file." },
    }),
    ...agentTools,
  ],
};

/** A bare extension, `rs` or `.rs`, means `*.rs`. */
function filesLike(include: string): string {
  return /^\.?\w+$/.test(include) ? `*.${include.replace(/^\./, "")}` : include;
}

/** Fields and variants are part of their block, not blocks of their own. */
const inner: ReadonlySet<SymbolKind> = new Set<SymbolKind>(["field", "variant", "property"]);

function showSymbols({ data, text }: { data: DataOf<"code.symbols">; text: string }): string {
  const symbols = data.files.flatMap((file) => file.symbols).filter(({ kind }) => !inner.has(kind));
  if (symbols.length === 0 || data.files.length > 1) return text;
  const remarks = text.split("\n").filter((line) => line.startsWith("(It does not parse"));
  const listed = symbols.map(
    ({ kind, name, firstLine, lastLine }) => `${kindWord(kind)} ${name} [${firstLine}-${lastLine}]`,
  );
  return [...listed, ...remarks].join("\n");
}

/** Spells a kind like the `kind` argument, in which a method is a function. */
function kindWord(kind: SymbolKind): string {
  if (kind === "method" || kind === "constructor") return "Function";
  return kind.charAt(0).toUpperCase() + kind.slice(1);
}
