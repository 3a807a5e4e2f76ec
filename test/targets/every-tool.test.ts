import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { anchorHash } from "../../src/edit/anchors.ts";
import { openToolcrib, type Toolcrib } from "../../src/toolcrib/index.ts";
import { catalog } from "../../src/tools/catalog.ts";
import { type CommandTarget, commandTarget } from "../support/remote/command-target.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Every tool is called on a workspace of this machine and on an equal one of a target. The answers must be the same.

const code = `/** Greets a person by name. */
export function greet(name: string): string {
  return "Hello " + name;
}

export class Counter {
  #count = 0;
  increase(): number {
    return ++this.#count;
  }
}
`;
/** The anchor of the poem's last line when it is edited by anchors. */
const lastAnchor = `3:${anchorHash(["eins", "zwei", "drei"], 2)}`;
const notebook = {
  cells: [
    { cell_type: "code", id: "a", metadata: {}, outputs: [], execution_count: null, source: ["1 + 1"] },
  ],
  ...{ metadata: {}, nbformat: 4, nbformat_minor: 5 },
};
const files: Readonly<Record<string, string>> = {
  "poem.txt": "one\ntwo\nthree\n",
  "src/greet.ts": code,
  "src/use.ts": 'import { greet } from "./greet.ts";\nexport const text = greet("Ada");\n',
  "note.ipynb": JSON.stringify(notebook, null, 1),
  "long.txt": Array.from({ length: 5000 }, (_, line) => `line ${line}`).join("\n"),
};

type Step = readonly [tool: keyof typeof catalog, input: Readonly<Record<string, unknown>>];

/** The calls, in this order. */
const steps = (url: string): readonly Step[] => [
  ["file.read", { path: "poem.txt" }],
  ["file.read", { path: "missing.txt" }],
  ["file.list", { path: "." }],
  ["search.grep", { pattern: "greet" }],
  ["search.glob", { pattern: "**/*.ts" }],
  ["code.symbols", { path: "src/greet.ts" }],
  ["code.symbols", { path: "src" }],
  ["code.read_symbol", { name: "Counter.increase" }],
  ["code.search", { query: "greets a person by name" }],
  ["code.map", {}],
  ["code.references", { name: "greet" }],
  ["code.validate", { path: "src/greet.ts" }],
  ["document.read", { path: "ledger.xlsx" }],
  ["document.read", { path: "paper.pdf", part: "page 1" }],
  ["git.status", {}],
  ["git.log", {}],
  ["journal.checkpoint", { name: "start" }],
  ["file.write", { path: "new/file.txt", content: "new\n" }],
  ["file.move", { from: "new/file.txt", to: "moved.txt" }],
  ["edit.replace", { path: "poem.txt", find: "two", replace: "zwei" }],
  ["edit.patch", { patch: "*** Begin Patch\n*** Update File: poem.txt\n-one\n+eins\n*** End Patch" }],
  ["edit.preview", { path: "poem.txt", find: "three", replace: "drei" }],
  ["edit.diff", { diff: "--- a/poem.txt\n+++ b/poem.txt\n@@ -3 +3 @@\n-three\n+drei\n" }],
  ["edit.anchored", { path: "poem.txt", edits: [{ op: "insert_after", from: lastAnchor, text: "fünf" }] }],
  ["edit.smart", { path: "poem.txt", location: "line 3", operation: "insert_after", content: "vier" }],
  ["edit.replace", { path: "poem.txt", find: "zehn", replace: "ten" }],
  ["tools.script", { script: 'return (await tools.file.read({ path: "poem.txt" })).text' }],
  [
    "code.insert_block",
    { path: "src/greet.ts", name: "greet", position: "after", snippet: "function stop() {}" },
  ],
  [
    "code.replace_block",
    { path: "src/greet.ts", kind: "function", name: "stop", new_block: "function halt() {}" },
  ],
  ["code.delete_block", { path: "src/greet.ts", kind: "function", name: "halt" }],
  ["code.rename", { path: "src/greet.ts", name: "greet", new_name: "welcome" }],
  ["notebook.edit", { path: "note.ipynb", operation: "insert", cell: 1, source: "2 + 2", cell_type: "code" }],
  ["git.diff", {}],
  ["git.stage", { paths: ["src"] }],
  ["git.commit", { message: "Rename greet" }],
  ["git.show", { revision: "HEAD" }],
  ["git.blame", { path: "src/use.ts" }],
  ["git.branch", { name: "topic", switch: true }],
  ["git.branch", {}],
  ["shell.run", { command: "pwd; echo made > made.txt; echo warning >&2; exit 3" }],
  ["shell.run", { command: "cat long.txt" }],
  ["shell.run", { command: "cd src; word=kept", session: "main" }],
  ["shell.run", { command: "pwd; echo $word; echo more > more.txt; (exit 4)", session: "main" }],
  [
    "process.start",
    { command: "echo ready; read line; echo got $line", name: "cat", ready: { line: "ready" } },
  ],
  ["process.list", {}],
  ["process.output", { name: "cat" }],
  ["process.input", { name: "cat", text: "word\n", wait_ms: 60_000 }],
  ["process.wait", { name: "cat" }],
  ["process.start", { command: "sleep 1000", name: "sleep" }],
  ["process.stop", { name: "sleep" }],
  ["process.stop", { name: "main" }],
  ["file.delete", { path: "moved.txt" }],
  ["journal.diff", {}],
  ["journal.undo", {}],
  ["journal.undo", { checkpoint: "start" }],
  ["git.status", {}],
  ["transaction.begin", {}],
  ["file.write", { path: "poem.txt", content: "changed\n" }],
  ["transaction.check", { command: "grep -q changed poem.txt" }],
  ["transaction.commit", {}],
  ["transaction.begin", {}],
  ["file.delete", { path: "poem.txt" }],
  ["transaction.rollback", {}],
  ["file.read", { path: "poem.txt" }],
  ["file.read", { path: "long.txt", limit: 3000 }],
  ["tools.find", { query: "rename a symbol" }],
  ["tools.call", { name: "file.read", arguments: { path: "poem.txt" } }],
  ["plan.update", { steps: [{ step: "Test", status: "in_progress" }] }],
  ["math.calculate", { expression: "6 * 7" }],
  ["text.echo", { text: "hello" }],
  ["time.now", {}],
  ["web.fetch", { url }],
  ["web.search", { query: "anything" }],
  ["agent.spawn", { task: "Look around" }],
  ["agent.send", { agent: "none", message: "hello" }],
  ["agent.wait", {}],
  ["agent.close", { agent: "none" }],
];

let there: CommandTarget;
let here: Toolcrib;
let remote: Toolcrib;
const folder = temporaryFolder();
const page = createServer((_, response) => response.setHeader("content-type", "text/plain").end("A page\n"));
let url = "";

beforeAll(async () => {
  there = commandTarget('cd "$HOME/../workspace"');
  const workspace = join(folder.path, "workspace");
  mkdirSync(workspace);
  for (const place of [workspace, there.workspace]) fill(place);
  page.listen(0, "127.0.0.1");
  await once(page, "listening");
  url = `http://127.0.0.1:${(page.address() as AddressInfo).port}/`;
  const common = { mode: "yolo", rules: ["allow connect 127.0.0.1"], search: undefined } as const;
  const at = (name: string) => ({
    stateDirectory: join(folder.path, name, "state"),
    configDirectory: join(folder.path, name, "config"),
  });
  [here, remote] = await Promise.all([
    openToolcrib({ ...common, ...at("here"), workspace }),
    openToolcrib({ ...common, ...at("remote"), target: there.target.name }),
  ]);
});
afterAll(async () => {
  await Promise.all([here?.close(), remote?.close()]);
  page.close();
  await there[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** Language servers run on this machine only. These tools say so on a target. */
const onlyHere: readonly string[] = ["code.definition", "code.diagnostics", "code.hover"];

it("names every tool", () => {
  const named = [...new Set(steps("").map(([tool]) => tool))];
  expect([...named, ...onlyHere].sort()).toEqual(Object.keys(catalog).sort());
});

it("refuses what asks a language server on a target", { tags: "slow" }, async () => {
  for (const tool of onlyHere) {
    const where = tool === "code.diagnostics" ? {} : { line: 2, name: "greet" };
    const { error } = await remote.call(tool, { path: "src/use.ts", ...where });
    expect(error?.message, tool).toMatch(/this machine/);
  }
});

it("answers every call on a target as on this machine", { tags: "slow" }, async () => {
  // A busy machine answers from a part of the index.
  for (const crib of [here, remote]) await expect.poll(() => isIndexed(crib)).toBe(true);
  for (const [index, [tool, input]] of steps(url).entries()) {
    const [expected, found] = await Promise.all([here, remote].map((crib) => answer(crib, tool, input)));
    expect.soft(found, `${index}: ${tool}`).toEqual(expected);
  }
});

async function isIndexed(crib: Toolcrib): Promise<boolean> {
  const { data } = await crib.call("code.search", { query: "greet" });
  const { indexed, files } = data?.index ?? {};
  return files !== undefined && indexed === files;
}

async function answer(
  crib: Toolcrib,
  tool: string,
  input: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const result = await crib.call(tool as "file.read", input as never);
  return JSON.parse(JSON.stringify(result), (key, value) => {
    if (typeof value === "number" && measured.has(key)) return 0;
    if (justified.has(key)) return undefined;
    if (key === "remarks") return value.filter((remark: string) => remark !== "");
    return typeof value === "string" ? comparable(value, crib.workspace) : value;
  });
}

/**
 * What may differ. `search.grep` on a target is always ripgrep there, which does not count the files without a match.
 * Here, a user can join a shell through tmux. No language server runs for either, for another reason. Whether a process already waits for input depends on the moment.
 */
const justified = new Set(["engine", "searchedFiles", "attach", "waitsForInput"]);

const measured = new Set(["unixSeconds", "pid", "startedAt", "durationMs", "quietMs", "modifiedMs", "at"]);

/** Replaces what differs in every run: the path of the workspace, identifiers, hashes and times. */
function comparable(text: string, workspace: string): string {
  return text
    .replaceAll(workspace, "WORKSPACE")
    .replace(/\b(call|out|session|transaction)_[a-z0-9]+/g, "$1_ID")
    .replace(/\b[0-9a-f]{7,64}\b/g, "HASH")
    .replace(/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?/g, "TIME")
    .replace(/; a user can join it with: tmux [^\]]*|The user can watch and type with: tmux .*/g, "")
    .replace(" It is waiting for input.", "")
    .replace(/\b(Found by name|Only this file was changed): .*/g, "$1")
    .replace(/\bpid \d+/g, "pid 0")
    .replace(/\b\d+(\.\d+)? (ms|s)\b/g, "0 s");
}

function fill(workspace: string): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), content);
  }
  for (const name of ["ledger.xlsx", "paper.pdf"])
    copyFileSync(join(import.meta.dirname, "../samples/documents", name), join(workspace, name));
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: workspace, stdio: "ignore" });
  git("init", "-q", "-b", "main");
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@example.com");
  git("add", ".");
  git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "First", "--date", "2026-01-01T00:00:00Z");
}
