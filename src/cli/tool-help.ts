import { findDialect } from "../dialects/dialects.ts";
import { findAnyTool } from "../dialects/find-tool.ts";
import { toCommandLine } from "../lib/text/shell-quote.ts";
import type { Command } from "./command.ts";
import { explainExamples, joinSections, layList, section } from "./help.ts";
import { optionsOf } from "./options.ts";
import { paint, wrapWords } from "./terminal.ts";
import { type FieldSchema, fieldSchemasOf, flagOf, isSwitch, mainFieldOf } from "./tool-fields.ts";

/** Returns the output of `toolcrib call <tool> --help`. */
export async function explainTool(
  name: string,
  dialect: string | undefined,
  call: Command,
  columns: number,
): Promise<string> {
  const tool = await findAnyTool(await findDialect(dialect ?? "toolcrib"), name).load();
  const fields = fieldSchemasOf(tool);
  const isOurs = (field: string) => optionsOf(call).some((option) => flagOf(field) === `--${option.name}`);
  const rows = Object.entries(fields).map(
    ([field, schema]) =>
      [
        `${isOurs(field) ? "-- " : ""}${explainFlag(field, schema)}`,
        `${schema.required ? "(required) " : ""}${schema.description ?? ""}`.trim(),
      ] as const,
  );
  const { canonical = tool.name } = tool;
  const isRefused = canonical.startsWith("process.");
  const example = isRefused ? undefined : toolExamples[canonical];
  const main = mainFieldOf(fields);
  return joinSections([
    `${paint(1, "bold", name)} (risk: ${tool.risk})\n`,
    `${wrapWords(tool.description, columns).join("\n")}\n`,
    main === undefined ? "" : `Usage: toolcrib call ${name} ${main.toUpperCase()} [--key value ...]\n`,
    rows.length === 0 ? "It takes no arguments.\n" : section("Arguments", layList(rows, columns)),
    Object.keys(fields).some(isOurs)
      ? "Write arguments marked with -- after a lone --: Toolcrib has an option of that name.\n"
      : "",
    example && dialect === undefined
      ? section("Examples", explainExample(name, example, isOurs, columns))
      : "",
    isRefused ? "toolcrib call keeps no processes: use this tool in chat, run or mcp.\n" : "",
    "See also: toolcrib help call\n",
  ]);
}

function explainFlag(field: string, schema: FieldSchema): string {
  const flag = flagOf(field);
  if (isSwitch(schema)) return flag.startsWith("--no-") ? flag : flag.replace("--", "--[no-]");
  const { types, choices } = schema.items ?? schema;
  const value = choices?.join("|") ?? placeholders[types[0] ?? ""] ?? "VALUE";
  return schema.items || types.includes("record") ? `${flag} ${value} (repeat)` : `${flag} ${value}`;
}

const placeholders: Readonly<Record<string, string>> = {
  string: "TEXT",
  number: "NUMBER",
  object: "JSON",
  record: "NAME=VALUE",
};

function toFlags(field: string, value: unknown): readonly string[] {
  const flag = flagOf(field);
  if (Array.isArray(value)) return value.flatMap((one) => toFlags(field, one));
  if (value === true) return [flag];
  return [flag, typeof value === "object" ? JSON.stringify(value) : String(value)];
}

function explainExample(
  name: string,
  input: Readonly<Record<string, unknown>>,
  isOurs: (field: string) => boolean,
  columns: number,
): string {
  const fields = Object.keys(input);
  const flagsOf = (each: readonly string[]) => each.flatMap((field) => toFlags(field, input[field]));
  const after = flagsOf(fields.filter(isOurs));
  const flags = [
    ...flagsOf(fields.filter((field) => !isOurs(field))),
    ...(after.length > 0 ? ["--", ...after] : []),
  ];
  const call = ["toolcrib", "call", name];
  // Several lines are hard to type in quotes.
  const multiline = fields.find((field) => String(input[field]).includes("\n"));
  return explainExamples(
    [
      multiline === undefined
        ? [toCommandLine([...call, ...flags]), "as flags"]
        : [`${toCommandLine([...call, "-"])} < change.${multiline}`, "from a file"],
      [toCommandLine([...call, JSON.stringify(input)]), "as JSON"],
    ],
    columns,
  );
}

/** An example call of each tool, for its help. A test checks them against the schemas. */
export const toolExamples: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "file.read": { path: "README.md", offset: 1, limit: 20 },
  "file.write": { path: "notes.txt", content: "hello" },
  "file.list": { path: "src", depth: 2 },
  "file.delete": { path: "notes.txt" },
  "file.move": { from: "notes.txt", to: "docs/notes.txt" },
  "edit.replace": { path: "notes.txt", find: "hello", replace: "goodbye" },
  "edit.patch": { patch: "*** Begin Patch\n*** Update File: notes.txt\n-hello\n+goodbye\n*** End Patch" },
  "edit.diff": { diff: "--- a/notes.txt\n+++ b/notes.txt\n@@ -1 +1 @@\n-hello\n+goodbye\n" },
  "edit.preview": { path: "notes.txt", find: "hello", replace: "goodbye" },
  "edit.anchored": {
    path: "notes.txt",
    edits: [{ op: "insert_after", from: "1:aese", text: "goodbye" }],
  },
  "edit.smart": { path: "notes.txt", location: "line 1", operation: "insert_after", content: "goodbye" },
  "search.grep": { pattern: "TODO", path: "src", mode: "files" },
  "search.glob": { pattern: "**/*.ts" },
  "code.symbols": { path: "src/agent.ts", kind: "function" },
  "code.read_symbol": { name: "Agent.run" },
  "code.replace_block": {
    path: "src/agent.ts",
    kind: "function",
    name: "run",
    new_block: "export function run(): void {}",
    module_path: "class Agent",
  },
  "code.insert_block": {
    path: "src/agent.ts",
    name: "run",
    position: "after",
    snippet: "function stop() {}",
  },
  "code.delete_block": { path: "src/agent.ts", kind: "method", name: "Agent.run" },
  "code.validate": { path: "src/agent.ts" },
  "code.rename": { path: "src/agent.ts", name: "count", new_name: "total" },
  "code.references": { name: "runAgent" },
  "code.definition": { path: "src/main.ts", name: "runAgent" },
  "code.hover": { path: "src/main.ts", name: "runAgent" },
  "code.diagnostics": { path: "src/main.ts" },
  "code.search": { query: "where is the retry delay computed", language: "typescript" },
  "code.map": { path: "src", tokens: 2000 },
  "document.read": { path: "docs/report.pdf", part: "pages 2-5" },
  "shell.run": { command: "npm test", timeout_ms: 300_000 },
  "process.start": { command: "npm run dev", name: "web", ready: { port: 3000 } },
  "process.list": {},
  "process.output": { name: "web", cursor: 1200 },
  "process.input": { name: "web", text: "r\n" },
  "process.wait": { name: "web", line: "compiled", timeout_ms: 30_000 },
  "process.stop": { name: "web" },
  "git.status": {},
  "git.diff": { staged: true, stat: true },
  "git.log": { path: "README.md", limit: 5 },
  "git.show": { revision: "HEAD" },
  "git.blame": { path: "README.md", first_line: 1, last_line: 20 },
  "git.stage": { paths: ["src", "README.md"] },
  "git.commit": { message: "Say why in one line" },
  "git.branch": { name: "fix/empty-input", from: "HEAD", switch: true },
  "journal.undo": { last: 1, dry_run: true },
  "journal.diff": { last: 1 },
  "journal.checkpoint": { name: "before-refactoring" },
  "transaction.begin": { name: "rename-parser" },
  "transaction.check": { command: "npm test", timeout_ms: 300_000 },
  "transaction.commit": {},
  "transaction.rollback": {},
  "notebook.edit": { path: "analysis.ipynb", operation: "replace", cell: 3, source: "print(total)" },
  "plan.update": { steps: [{ step: "Read the code", status: "in_progress" }] },
  "math.calculate": { expression: "(1 + 0.05 / 12) ^ 360" },
  "time.now": { zone: "Europe/Berlin" },
  "text.echo": { text: "hello" },
  "tools.find": { query: "undo an edit" },
  "tools.script": { script: "return (await tools.git.status()).text" },
  "tools.call": { name: "time_now", arguments: {} },
  "web.fetch": { url: "https://example.com/" },
  "web.search": { query: "node 24 release notes", limit: 5 },
  "agent.spawn": { task: "Find out why test/parser.test.ts fails; answer with the line at fault." },
  "agent.send": { agent: "agent_1", message: "Leave the fixtures as they are." },
  "agent.wait": { agent: "agent_1" },
  "agent.close": { agent: "agent_1" },
};
