/**
 * Writes docs/tools.md: every tool with its arguments, and an example call with its real answer. A test checks that
 * the page is up to date. Run: npm run docs
 */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession } from "../src/agent/create-session.ts";
import { recordedModel } from "../src/models/recorded/recorded-model.ts";
import type { Toolcrib } from "../src/toolcrib/index.ts";
import { catalog } from "../src/tools/catalog.ts";

const repository = join(import.meta.dirname, "..");
const toolsPagePath = join(repository, "docs/tools.md");

type Input = Readonly<Record<string, unknown>>;

const exampleScript = `const { data } = await tools.search.grep({ pattern: "greet", path: "src" });
return [...new Set(data.matches.map((match) => match.path))];`;

/** In the order of the calls: each uses the results of the calls before it. */
const examples: readonly (readonly [tool: string, input: Input])[] = [
  ["git.stage", { paths: ["."] }],
  ["git.commit", { message: "Greet people" }],
  ["file.list", { depth: 2 }],
  ["file.read", { path: "src/greet.ts", limit: 2 }],
  ["search.grep", { pattern: "greet", path: "src" }],
  ["search.glob", { pattern: "**/*.ts", sort: "path" }],
  ["code.symbols", { path: "src/greet.ts" }],
  ["code.read_symbol", { path: "src/greet.ts", name: "greet" }],
  ["code.search", { query: "where are people greeted", limit: 1 }],
  ["code.map", { tokens: 500 }],
  ["code.references", { name: "greet" }],
  ["code.definition", { path: "src/main.ts", name: "greet" }],
  ["code.hover", { path: "src/main.ts", name: "greet" }],
  ["code.diagnostics", { path: "src/main.ts" }],
  ["code.validate", { path: "src/greet.ts" }],
  ["document.read", { path: "ledger-office.xlsx", part: "Budget!A4:D5" }],
  ["file.write", { path: "notes.txt", content: "hello\n" }],
  ["edit.preview", { path: "notes.txt", find: "hello", replace: "goodbye" }],
  ["edit.replace", { path: "notes.txt", find: "hello", replace: "goodbye" }],
  ["edit.patch", { patch: "*** Begin Patch\n*** Update File: notes.txt\n-goodbye\n+see you\n*** End Patch" }],
  ["edit.diff", { diff: "--- a/notes.txt\n+++ b/notes.txt\n@@ -1 +1 @@\n-see you\n+hello\n" }],
  ["edit.anchored", { path: "notes.txt", edits: [{ op: "insert_before", from: "1:aese", text: "oh" }] }],
  ["edit.smart", { path: "notes.txt", location: "line 1", operation: "insert_after", content: "again" }],
  ["file.move", { from: "notes.txt", to: "docs/notes.txt" }],
  ["file.delete", { path: "docs/notes.txt" }],
  ["journal.undo", { last: 1 }],
  ["journal.diff", { last: 1 }],
  ["journal.checkpoint", { name: "before-refactoring" }],
  ["transaction.begin", { name: "polite" }],
  [
    "code.replace_block",
    {
      path: "src/greet.ts",
      kind: "function",
      name: "greet",
      new_block: 'export function greet(name: string): string {\n  return "Good day, " + name;\n}',
    },
  ],
  ["transaction.check", { command: "grep -q Good src/greet.ts" }],
  ["transaction.commit", {}],
  ["transaction.begin", { name: "try" }],
  ["transaction.rollback", {}],
  [
    "code.insert_block",
    {
      path: "src/greet.ts",
      name: "greet",
      position: "after",
      snippet: 'export function part(name: string): string {\n  return "Bye, " + name;\n}',
    },
  ],
  ["code.rename", { path: "src/greet.ts", name: "part", new_name: "leave" }],
  ["code.delete_block", { path: "src/greet.ts", kind: "function", name: "leave" }],
  ["notebook.edit", { path: "analysis.ipynb", operation: "replace", cell: 1, source: "print(total)" }],
  ["shell.run", { command: "wc -l src/*.ts" }],
  ["process.start", { command: "echo ready; cat", name: "echo", ready: { line: "ready" } }],
  ["process.list", {}],
  ["process.input", { name: "echo", text: "hello\n" }],
  ["process.wait", { name: "echo", line: "hello" }],
  ["process.output", { name: "echo" }],
  ["process.stop", { name: "echo" }],
  ["git.status", {}],
  ["git.diff", { paths: ["src/greet.ts"] }],
  ["git.log", { limit: 1 }],
  ["git.show", { revision: "HEAD", stat: true }],
  ["git.blame", { path: "src/main.ts" }],
  ["git.branch", { name: "fix/polite", from: "HEAD", switch: false }],
  ["plan.update", { steps: [{ step: "Read the code", status: "in_progress" }] }],
  ["math.calculate", { expression: "0.99 * 3 + 1/3" }],
  ["time.now", { zone: "Europe/Berlin" }],
  ["text.echo", { text: "hello" }],
  ["tools.find", { query: "undo an edit", limit: 1 }],
  ["tools.call", { name: "math_calculate", arguments: { expression: "6 * 7" } }],
  ["tools.script", { script: exampleScript }],
  ["web.fetch", { url: "http://docs.example/" }],
  ["web.search", { query: "greeting people" }],
  ["agent.spawn", { task: "What does src/greet.ts do?" }],
  ["agent.send", { agent: "agent_1", message: "Answer in one sentence." }],
  ["agent.wait", { agent: "agent_1" }],
  ["agent.close", { agent: "agent_1" }],
];

/** The whole page. Ids, hashes, times and addresses are replaced with `…`, so that every run gives the same text. */
export async function toolsPage(): Promise<string> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "toolcrib-docs-"));
  const server = await startSite();
  try {
    const answers = await answerExamples(folder, server);
    const names = Object.keys(catalog) as (keyof typeof catalog)[];
    const families = Map.groupBy(names, (name) => name.slice(0, name.indexOf(".")));
    const sections = await Promise.all(
      [...families].map(async ([family, members]) => {
        const entries = await Promise.all(members.map((name) => describeTool(name, answers.get(name)!)));
        return `## ${family}\n\n${entries.join("\n")}`;
      }),
    );
    return `${introduction(families)}\n${sections.join("\n")}`;
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function introduction(families: ReadonlyMap<string, readonly string[]>): string {
  const rows = [...families].map(
    ([family, names]) =>
      `| [${family}](#${family}) | ${names.map((name) => `[\`${name}\`](#${name.replace(".", "")})`).join(" ")} |`,
  );
  return [
    "# Tools",
    "",
    "<!-- Written by `npm run docs`; do not edit by hand. -->",
    "",
    "Every tool with its arguments, risk and limits, and an example call with its real answer. The examples run in a small project, one",
    'after the other. Call one yourself: `toolcrib call file.read --path README.md`, or with JSON: `toolcrib call file.read \'{"path": "README.md"}\'`.',
    "",
    "Risk decides what a [mode](reference.md#modes) asks about. Longer answers are cut to the limit; the rest is stored and can be read by its handle.",
    "",
    "| family | tools |",
    "|---|---|",
    ...rows,
    "",
  ].join("\n");
}

async function describeTool(name: keyof typeof catalog, { definition, input, answer }: Example) {
  const tool = await catalog[name]();
  const { properties = {}, required = [] } = definition;
  const rows = Object.entries(properties).map(([field, schema]) => {
    const isRequired = required.includes(field);
    const { fallback, meaning } = splitDefault(schema);
    const shown = cell(withCanonicalNames(meaning));
    return `| \`${field}\` | ${typeOf(schema)} | ${isRequired ? "required" : fallback} | ${shown} |`;
  });
  const seconds = (tool.timeoutMs ?? 60_000) / 1000;
  return [
    `### ${name}`,
    "",
    tool.description,
    "",
    `Risk: ${tool.risk}. Limits: ${tool.limits.maxChars} characters, ${seconds} s.`,
    "",
    ...(rows.length === 0
      ? ["No arguments.", ""]
      : ["| argument | type | default | meaning |", "|---|---|---|---|", ...rows, ""]),
    "```json",
    JSON.stringify(input, undefined, 1).replace(/\n\s*/g, " "),
    "```",
    "",
    "```",
    answer,
    "```",
    "",
  ].join("\n");
}

/** Replaces names such as `code_read_symbol`, which models see, with those that users type. */
function withCanonicalNames(text: string): string {
  const names = Object.keys(catalog).map((name) => [name.replace(".", "_"), name] as const);
  return names.reduce((shown, [wire, name]) => shown.replace(new RegExp(`\\b${wire}\\b`, "g"), name), text);
}

/** Descriptions end with their default, because that costs models fewer tokens than the keyword of JSON Schema. */
function splitDefault({ description = "", default: value }: Schema): { fallback: string; meaning: string } {
  if (value !== undefined) return { fallback: `\`${JSON.stringify(value)}\``, meaning: description };
  const [whole, fallback = ""] = /[;.]?\s*\bdefault:? ([^.;]+)\.?$/i.exec(description) ?? [];
  return { fallback, meaning: whole === undefined ? description : description.slice(0, -whole.length) };
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

interface Example {
  readonly input: Input;
  readonly answer: string;
  readonly definition: {
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly required?: readonly string[];
  };
}

function typeOf({ type, enum: choices, items, anyOf }: Schema): string {
  if (choices) return choices.map((choice) => `\`${String(choice)}\``).join(", ");
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(" or ");
  if (type === "array") return items?.enum ? `list of ${typeOf(items)}` : `list of ${typeOf(items ?? {})}s`;
  return [type ?? "any"].flat().join(" or ");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

async function answerExamples(folder: string, site: Server): Promise<ReadonlyMap<string, Example>> {
  const workspace = join(folder, "project");
  prepareWorkspace(workspace);
  const { port } = site.address() as AddressInfo;
  const session = await createSession({
    model: recordedModel({
      name: "docs",
      replies: Array.from({ length: 9 }, () => ({ text: "It greets one person by name." })),
    }),
    workspace,
    stateDirectory: join(folder, "state"),
    configDirectory: join(folder, "config"),
    mode: "yolo",
    rules: ["allow connect 127.0.0.1"],
    projectInstructions: false,
  });
  try {
    const definitions = await session.toolcrib.definitions({ which: "all" });
    const answers = new Map<string, Example>();
    for (const [tool, input] of examples) {
      const answer = await callTool(session.toolcrib, tool, input, port);
      const definition = definitions.find(({ name }) => name === tool.replace(".", "_"))!;
      const known = answers.get(tool);
      if (known === undefined)
        answers.set(tool, {
          input,
          answer: stable(answer, workspace, port),
          definition: definition.inputSchema,
        });
    }
    const missing = Object.keys(catalog).filter((name) => !answers.has(name));
    if (missing.length > 0)
      throw new Error(`Add an example to scripts/tools-page.ts for: ${missing.join(", ")}`);
    return answers;
  } finally {
    await session.close();
  }
}

async function callTool(toolcrib: Toolcrib, tool: string, input: Input, port: number): Promise<string> {
  const real = JSON.parse(JSON.stringify(input).replace("docs.example", `127.0.0.1:${port}`));
  const { content, isError } = await toolcrib.call(tool, real);
  // Searching needs an engine, and the page must be the same without a network.
  if (isError && tool !== "web.search") throw new Error(`The example of ${tool} fails: ${content}`);
  return content;
}

function prepareWorkspace(workspace: string): void {
  cpSync(join(repository, "test/fixtures/project"), workspace, { recursive: true });
  cpSync(
    join(repository, "test/samples/documents/ledger-office.xlsx"),
    join(workspace, "ledger-office.xlsx"),
  );
  const cells = [{ cell_type: "code", metadata: {}, source: ["print(1)"], outputs: [], execution_count: 1 }];
  writeFileSync(
    join(workspace, "analysis.ipynb"),
    JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 2 }),
  );
  const git = (...words: string[]) => execFileSync("git", words, { cwd: workspace, stdio: "ignore" });
  git("init", "-q", "-b", "main");
  // The language server of the examples.
  writeFileSync(join(workspace, ".git/info/exclude"), "node_modules\n");
  for (const name of ["typescript", "@typescript"])
    cpSync(join(repository, "node_modules", name), join(workspace, "node_modules", name), {
      recursive: true,
    });
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@example.com");
}

async function startSite(): Promise<Server> {
  const page =
    "<html><head><title>Docs</title></head><body><h1>Greetings</h1><p>Say hello.</p></body></html>";
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end(page);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

function stable(answer: string, workspace: string, port: number): string {
  return answer
    .replaceAll(workspace, "…")
    .replaceAll(`127.0.0.1:${port}`, "docs.example")
    .replace(/\b(call|out|session|process|transaction|checkpoint)_[0-9a-z]{8,}/g, "$1_…")
    .replace(/\b[0-9a-f]{7,64}\b/g, "…")
    .replace(/\b\d+(?:\.\d+)? (?:ms|s|seconds)\b/g, "… s")
    .replace(/\d{4}-\d\d-\d\dT[\d:.+-]+Z?|\d{4}-\d\d-\d\d(?: \d\d:\d\d(?::\d\d)?)?/g, "…")
    .replace(/\b\d+ turns?\b/g, "… turns")
    .replace(/\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b/g, "…")
    .trimEnd();
}

if (import.meta.main) writeFileSync(toolsPagePath, await toolsPage());
