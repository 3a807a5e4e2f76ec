import { channel } from "node:diagnostics_channel";
import fs, { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MemoryBackend } from "../../examples/backend-memory/memory-backend.ts";
import { createSession, type Model, recordedModel } from "../../src/agent/index.ts";
import { anchorHash } from "../../src/edit/anchors.ts";
import { type Backend, openToolcrib, type Toolcrib, type ToolcribOptions } from "../../src/toolcrib/index.ts";
import type { catalog } from "../../src/tools/catalog.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** The anchor of the last line of the notes when they are edited by anchors. */
const lastAnchor = `2:${anchorHash(["one", "three"], 1)}`;
/** Programs that the instance starts on this machine, by file. */
const started: string[] = [];
/** Paths of the local folder that the instance names to the file system of this machine. */
const touched: string[] = [];
let folder: ReturnType<typeof temporaryFolder>;
/** A local folder with the same path as the workspace in the backend. */
let local: string;
let restore = () => {};

const noteStart = (message: unknown) => {
  const { process: child } = message as { process: { spawnfile?: string; spawnargs?: string[] } };
  // The file is known when the process has started.
  setImmediate(() => started.push([child.spawnfile, ...(child.spawnargs ?? []).slice(1)].join(" ")));
};

beforeEach(() => {
  folder = temporaryFolder();
  local = join(folder.path, "project");
  for (const path of ["src", ".git", ".toolcrib"]) mkdirSync(join(local, path), { recursive: true });
  for (const path of ["src/shape.ts", "notes.md", "table.csv", "only-here.txt", "AGENTS.md"])
    writeFileSync(join(local, path), "LOCAL-SECRET\n");
  writeFileSync(join(local, ".git/config"), "[core]\n\tfsmonitor = LOCAL-SECRET\n");
  writeFileSync(join(local, ".toolcrib/rules"), "deny read **\n");
  started.length = 0;
  touched.length = 0;
  restore = watchFileSystem((path) => touched.push(path));
  channel("child_process").subscribe(noteStart);
});

afterEach(async () => {
  channel("child_process").unsubscribe(noteStart);
  restore();
  await folder[Symbol.asyncDispose]();
});

/** Reports every use of a path below the local folder, through any function of node:fs. */
function watchFileSystem(note: (path: string) => void): () => void {
  const originals: (() => void)[] = [];
  for (const owner of [fs, fs.promises] as Record<string, unknown>[])
    for (const [name, original] of Object.entries(owner)) {
      if (typeof original !== "function" || /^[A-Z_]/.test(name)) continue;
      const watched = Object.assign(function (this: unknown, ...given: unknown[]) {
        for (const path of given.slice(0, 2))
          if (String(path).startsWith(`${local}/`) || path === local) note(`${name} ${path}`);
        return Reflect.apply(original, this, given);
      }, original);
      owner[name] = watched;
      originals.push(() => {
        owner[name] = original;
      });
    }
  syncBuiltinESMExports();
  return () => {
    for (const putBack of originals) putBack();
    syncBuiltinESMExports();
  };
}

const files = {
  "src/shape.ts": "export class Shape {}\n",
  "notes.md": "one\ntwo\n",
  "table.csv": "a,b\n1,2\n",
  "book.ipynb": JSON.stringify({
    cells: [
      { cell_type: "code", id: "c1", metadata: {}, outputs: [], execution_count: null, source: ["1\n"] },
    ],
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5,
  }),
  ".git/HEAD": "ref: refs/heads/main\n",
  ".env": "KEY=BACKEND-SECRET\n",
};

const options = (backend: Backend): ToolcribOptions => ({
  backend,
  sandbox: "none",
  mode: "yolo",
  stateDirectory: join(folder.path, "state"),
  configDirectory: join(folder.path, "config"),
});

/** A call of every tool that uses files or programs. */
const calls: readonly (readonly [keyof typeof catalog, object])[] = [
  ["file.read", { path: "notes.md" }],
  ["file.read", { path: "only-here.txt" }],
  ["file.write", { path: "new/file.txt", content: "new\n" }],
  ["file.list", {}],
  ["file.move", { from: "new/file.txt", to: "moved.txt" }],
  ["file.delete", { path: "moved.txt" }],
  ["edit.replace", { path: "notes.md", find: "two", replace: "three" }],
  ["edit.patch", { patch: "*** Begin Patch\n*** Update File: notes.md\n-one\n+1\n*** End Patch" }],
  ["edit.diff", { diff: "--- a/notes.md\n+++ b/notes.md\n@@ -1,2 +1,2 @@\n-1\n+one\n three\n" }],
  ["edit.anchored", { path: "notes.md", edits: [{ op: "insert_after", from: lastAnchor, text: "four" }] }],
  ["edit.smart", { path: "notes.md", location: "line 1", operation: "replace", content: "uno" }],
  ["search.grep", { pattern: "Shape|SECRET" }],
  ["search.glob", { pattern: "**/*" }],
  ["code.symbols", { path: "src/shape.ts" }],
  ["code.read_symbol", { path: "src/shape.ts", name: "Shape" }],
  ["code.validate", { path: "src/shape.ts" }],
  ["code.search", { query: "Shape" }],
  ["code.map", {}],
  ["code.references", { name: "Shape" }],
  ["code.rename", { name: "Shape", new_name: "Form", path: "src/shape.ts" }],
  ["document.read", { path: "table.csv" }],
  ["notebook.edit", { path: "book.ipynb", operation: "replace", cell: 1, source: "2" }],
  ["shell.run", { command: "cat notes.md" }],
  ["shell.run", { command: "pwd", session: "main" }],
  ["process.start", { command: "sleep 1", name: "sleeper" }],
  ["process.list", {}],
  ["process.output", { name: "sleeper" }],
  ["process.input", { name: "sleeper", text: "x" }],
  ["process.stop", { name: "sleeper" }],
  ["git.status", {}],
  ["git.diff", {}],
  ["git.log", {}],
  ["git.stage", { paths: ["notes.md"] }],
  ["git.commit", { message: "x" }],
  ["git.branch", {}],
  ["journal.checkpoint", { name: "here" }],
  ["journal.diff", {}],
  ["transaction.begin", {}],
  ["file.write", { path: "notes.md", content: "in a transaction\n" }],
  ["transaction.check", { command: "test -f notes.md" }],
  ["transaction.rollback", {}],
  ["journal.undo", {}],
  ["web.fetch", { url: "https://example.com" }],
];

async function callAll(toolcrib: Toolcrib): Promise<readonly string[]> {
  const answers: string[] = [];
  for (const [name, input] of calls) {
    const { content, error } = await toolcrib.call(name, input);
    // The calls are what they are meant to be.
    expect([name, error?.code]).not.toEqual([name, "invalid-input"]);
    answers.push(content);
  }
  answers.push(JSON.stringify(await toolcrib.projectFiles(["AGENTS.md"], 1000)));
  answers.push(JSON.stringify(await toolcrib.listFiles(AbortSignal.timeout(60_000))));
  answers.push(String(await toolcrib.codeIndex(AbortSignal.timeout(60_000))));
  return answers;
}

const namesBelow = (path: string) => readdirSync(path, { recursive: true }).toSorted();

describe("a backend with the path of a local folder", () => {
  it.each(["without commands", "with commands"])(
    "never leads to this machine (%s)",
    { tags: "slow" },
    async (kind) => {
      const commands: string[] = [];
      const memory = new MemoryBackend(local, files);
      const backend = Object.assign(memory, {
        ...(kind === "with commands" && {
          exec: (async (command, { onOutput }) => {
            commands.push(command);
            await onOutput(Buffer.from("from the backend\n"), "stdout");
            return { code: /command -v '?(rg|tmux|mkfifo)/.test(command) ? 1 : 0 };
          }) satisfies Backend["exec"],
        }),
      });
      const [names, { mtimeMs }] = [namesBelow(local), statSync(join(local, "notes.md"))];
      touched.length = 0;
      const toolcrib = await openToolcrib(options(backend));
      const answers = await callAll(toolcrib);
      await toolcrib.close();
      expect(answers.filter((answer) => answer.includes("SECRET"))).toEqual([]);
      expect(commands.some((command) => command.includes("'git'"))).toBe(kind === "with commands");
      expect([touched, started.filter((file) => !file.startsWith(process.execPath))]).toEqual([[], []]);
      expect([namesBelow(local), statSync(join(local, "notes.md")).mtimeMs]).toEqual([names, mtimeMs]);
      expect(readFileSync(join(local, "notes.md"), "utf8")).toBe("LOCAL-SECRET\n");
    },
  );

  it("is where a model works, and all it is told of", async () => {
    const backend = new MemoryBackend(local, { ...files, "AGENTS.md": "Write in the backend.\n" });
    const requests: string[] = [];
    const model = recordedModel({
      name: "recorded",
      replies: [
        { calls: [{ name: "file_read", input: { path: "notes.md" } }] },
        { calls: [{ name: "file_write", input: { path: "notes.md", content: "three\n" } }] },
        { text: "Done." },
      ],
    });
    const watched: Model = {
      ...model,
      stream: (request, signal) => {
        requests.push(JSON.stringify(request));
        return model.stream(request, signal);
      },
    };
    const session = await createSession({ ...options(backend), model: watched });
    const { text } = await session.run("Change the notes.").result;
    await session.close();
    expect([text, Buffer.from(await backend.readFile(`${local}/notes.md`)).toString()]).toEqual([
      "Done.",
      "three\n",
    ]);
    expect(requests[0]).toContain("Write in the backend.");
    expect(requests[0]).toContain("commands run without a sandbox");
    expect(
      requests.filter((request) => request.includes("SECRET") || request.includes(process.arch)),
    ).toEqual([]);
    expect([touched, started.filter((file) => !file.startsWith(process.execPath))]).toEqual([[], []]);
  });

  it("shares no history, approvals or grants with that folder", async () => {
    const backend = new MemoryBackend(local, files);
    const there = await openToolcrib(options(backend));
    await there.call("file.write", { path: "notes.md", content: "changed there\n" });
    const { backend: _, ...here } = options(backend);
    const toolcrib = await openToolcrib({
      ...here,
      rules: ["open **"],
      workspace: local,
      undoScope: "workspace",
    });
    const undone = await toolcrib.call("journal.undo", {});
    const calls = toolcrib.log().map(({ tool }) => tool);
    await Promise.all([toolcrib.close(), there.close()]);
    expect([undone.isError, calls]).toEqual([true, ["journal.undo"]]);
    expect(readFileSync(join(local, "notes.md"), "utf8")).toBe("LOCAL-SECRET\n");
  });

  it("is told apart by these checks from a local instance", async () => {
    const { backend: _, ...here } = options(new MemoryBackend(local, files));
    const toolcrib = await openToolcrib({ ...here, workspace: local });
    await toolcrib.call("shell.run", { command: "true" });
    await toolcrib.close();
    expect([touched.length > 0, started.length > 0]).toEqual([true, true]);
  });
});

describe("a hostile backend", () => {
  const entry = { name: "x", kind: "file", bytes: 1 } as const;
  it.each<readonly [string, Partial<Backend>]>([
    ["names outside the workspace", { list: async () => [{ ...entry, name: "../../etc/passwd" }] }],
    ["names that are not text", { list: async () => [{ ...entry, name: 7 as unknown as string }] }],
    ["sizes that are not numbers", { stat: async () => ({ ...entry, bytes: Number.NaN }) }],
    ["links without a target", { stat: async () => ({ ...entry, kind: "link" as const }) }],
    ["contents that are not bytes", { readFile: async () => "text" as unknown as Uint8Array }],
    ["endless links", { stat: async () => ({ ...entry, kind: "link" as const, target: "x/x" }) }],
  ])("cannot lead the tools astray with %s", async (_name, overrides) => {
    const backend = Object.assign(new MemoryBackend(local, files), overrides);
    const toolcrib = await openToolcrib({ ...options(backend), rules: ["open **"] }).catch(
      (error: Error) => error,
    );
    // The rules of the project are read first.
    if (toolcrib instanceof Error) expect(toolcrib.message).toMatch(/^The project's rules cannot be read: /);
    else {
      const answers = [
        await toolcrib.call("file.list", {}),
        await toolcrib.call("file.read", { path: "notes.md" }),
        await toolcrib.call("search.grep", { pattern: "root|LOCAL" }),
      ];
      await toolcrib.close();
      expect(answers.some(({ isError }) => isError)).toBe(true);
      expect(answers.map(({ content }) => content).join()).not.toMatch(/SECRET|root:/);
    }
    expect(touched).toEqual([]);
  });
});
