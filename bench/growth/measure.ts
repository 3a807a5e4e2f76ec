import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { IndexState } from "../../src/contract/code.ts";
import { cpuMsOf } from "../process-tree.ts";
import { firstFile } from "./stage.ts";

// node measure.mjs AREA OPTIONS, built from this file: measures one area in this process, and sends each step to growth.ts.

export interface AreaOptions {
  readonly checkout: string;
  readonly installed: string;
  readonly workspace: string;
  readonly state: string;
  /** "kept": uses what an earlier process has left in `state`. */
  readonly isKept?: boolean;
  readonly rules?: number;
}

/** The cost of one step; the driver adds the memory and number of its processes. */
export interface Step {
  readonly name: string;
  /** Of one lap: the median, or p95. */
  readonly wallMs: number;
  /** Of one lap: the mean, with children. */
  readonly cpuMs: number;
  /** The highest memory of this process. */
  readonly peakMb: number;
  readonly firstMs?: number;
}

export type AreaMessage = { readonly begin: string } | { readonly end: Step };

interface Instance {
  call(
    name: string,
    input: object,
  ): Promise<{ isError: boolean; content: string; callId: string; data: unknown }>;
  close(): Promise<void>;
}

const areas: Readonly<Record<string, () => Promise<void>>> = {
  calls,
  command,
  commandOfProcess,
  journal,
  code,
  firstSearch,
  greps: () => crowd("search.grep", { pattern: "nothing_has_this_name" }),
  shells: () => crowd("shell.run", { command: "true" }),
  start,
  hub,
  ripgrep: () => measureProgram("grep", [ripgrepOf(), "-n", "--no-config", "nothing_has_this_name", "./"], 3),
  git: () => measureProgram("git.status", ["git", "status", "--porcelain=v2", "-z", "-b"], 3),
  ripgrepLiterals,
  sqlite,
  node: () => measureProgram("call file.read, from start to exit", [process.execPath, "-e", "0"], 15),
};

const [area, given] = process.argv.slice(2);
const options = JSON.parse(given!) as AreaOptions;
const { workspace, state, installed, checkout } = options;
const launcher = join(installed, "bin", "toolcrib.js");
if (options.isKept !== true) rmSync(state, { recursive: true, force: true });
await areas[area!]!();
process.disconnect();

async function calls(): Promise<void> {
  let toolcrib!: Instance;
  await step("open", 1, async () => (toolcrib = await open()));
  await step("file.read", 20, () => ask(toolcrib, "file.read", { path: firstFile }));
  const path = "growth-edit.txt";
  await ask(toolcrib, "file.write", { path, content: "lap 0\n" });
  const changed: string[] = [];
  await step("edit.replace", 10, async (lap) => {
    const input = { path, find: `lap ${lap}`, replace: `lap ${lap + 1}` };
    changed.push((await ask(toolcrib, "edit.replace", input)).callId);
  });
  await step("journal.undo", 10, () => ask(toolcrib, "journal.undo", { call: changed.pop()! }));
  rmSync(join(workspace, path));
  await step("grep", 3, () => ask(toolcrib, "search.grep", { pattern: "nothing_has_this_name" }));
  await step("git.status", 3, () => ask(toolcrib, "git.status", {}));
  await toolcrib.close();
}

async function command(): Promise<void> {
  const written = "growth-command.txt";
  const write = (lap: number) => ({ command: `echo ${lap} > ${written}` });
  const toolcrib = await open();
  await step("file.read before any command", 1, () => ask(toolcrib, "file.read", { path: firstFile }));
  await step("shell.run that writes one file, first in the workspace", 1, () =>
    ask(toolcrib, "shell.run", write(1000)),
  );
  // The first command has started the watch of a large workspace, and the second one stores a whole ledger again.
  await step("shell.run that writes one file, second", 1, () => ask(toolcrib, "shell.run", write(1001)));
  await step("shell.run that writes one file, later", 5, (lap) => ask(toolcrib, "shell.run", write(lap)));
  rmSync(join(workspace, written));
  await toolcrib.close();
}

async function commandOfProcess(): Promise<void> {
  const rules = Array.from(
    { length: options.rules ?? 0 },
    (_, number) => `deny read **/secret-${number}-*/**/*.pem`,
  );
  const toolcrib = await open(rules);
  await step(`first shell.run of a process, ${rules.length} glob rules`, 1, () =>
    ask(toolcrib, "shell.run", { command: "true" }),
  );
  await toolcrib.close();
}

/** The command line on a long journal. */
async function journal(): Promise<void> {
  const log = (...words: string[]) => [process.execPath, launcher, "log", ...words, "-C", workspace];
  // The first listing prepares what the journal lacks.
  await measureProgram("log, first", log(), 1);
  await measureProgram("log --failed", log("--failed"), 3);
  await measureProgram("log --tool web.fetch", log("--tool", "web.fetch"), 3);
  await measureProgram("log --session", log("--session", "session_growth1"), 3);
  await measureProgram("log --text", log("--text", "rareneedle"), 3);
  await measureProgram("log verify", log("verify"), 1);
  await measureProgram("doctor", [process.execPath, launcher, "doctor", "-C", workspace], 1);
  await collection();
}

async function collection(): Promise<void> {
  const copy = `${state}.collected`;
  rmSync(copy, { recursive: true, force: true });
  cpSync(state, copy, { recursive: true });
  const { WorkspaceJournal } = await import(join(checkout, "src/toolcrib/workspace-journal.ts"));
  const { workspaceFiles } = await import(join(checkout, "src/system/directories.ts"));
  const all = new WorkspaceJournal({ files: workspaceFiles(copy, workspace), workspace });
  await step("collection of what is older than 30 days", 1, () =>
    all.collect({ maxBytes: 2 ** 30, maxDays: 30 }, AbortSignal.timeout(600_000)),
  );
  all.close();
  rmSync(copy, { recursive: true });
}

async function code(): Promise<void> {
  const toolcrib = await open();
  const search = async (query: string) =>
    ((await ask(toolcrib, "code.search", { query })).data as { index: IndexState }).index;
  const begun = performance.now();
  const cpuBegun = cpuMsOf(process.pid);
  let index: IndexState;
  await step("code.search, first", 1, async () => (index = await search("parse the session token")));
  const until = async (isDone: () => boolean) => {
    while (!isDone() && index.problem === undefined) {
      await new Promise((resolve) => setTimeout(resolve, 250));
      index = await search("parse the session token");
    }
  };
  await step("index, the rest", 1, () =>
    until(() => index.indexed >= index.files && index.outlined >= index.outlinable),
  );
  report({
    name: "index, the whole",
    wallMs: performance.now() - begun,
    cpuMs: cpuMsOf(process.pid) - cpuBegun,
    peakMb: 0,
  });
  const names = namesInFiles();
  const searchName = (lap: number) => ask(toolcrib, "code.search", { query: `"${names[lap]}"` });
  if (index!.isBuilding) {
    await step("code.search of an exact name while the index is merged, p95", names.length, searchName, 0.95);
    await step("index, merging", 1, () => until(() => !index.isBuilding));
  }
  await step("code.map, first", 1, () => ask(toolcrib, "code.map", {}));
  await step("code.map, later", 5, () => ask(toolcrib, "code.map", {}));
  await step("code.search of an exact name, p95", names.length, searchName, 0.95);
  await toolcrib.close();
}

/** The first search in a repository that was never indexed: in a program that runs on, and by the command line. */
async function firstSearch(): Promise<void> {
  const query = "parse the session token";
  const toolcrib = await open();
  await step("code.search, first", 1, () => ask(toolcrib, "code.search", { query }));
  await toolcrib.close();
  rmSync(state, { recursive: true, force: true });
  const cli = (...words: string[]) => [process.execPath, launcher, ...words, "-C", workspace];
  await measureProgram("toolcrib call code.search, first", cli("call", "code.search", "--query", query), 1);
  await run(cli("index", "stop"));
}

async function ripgrepLiterals(): Promise<void> {
  const names = namesInFiles();
  const find = (lap: number) => run([ripgrepOf(), "-l", "-F", "--no-config", "-e", names[lap]!, "./"]);
  await step("code.search of an exact name, p95", names.length, find, 0.95);
}

/** Names that the first folders define. */
function namesInFiles(): readonly string[] {
  return Array.from({ length: 40 }, (_, number) => {
    const [folder, file] = [Math.floor(number / 20), number % 20].map((part) =>
      String(part).padStart(2, "0"),
    );
    const text = readFileSync(join(workspace, `packages/p000/src/m0${folder}/f${file}.ts`), "utf8");
    return /function (\w+)/.exec(text)![1]!;
  });
}

/** 200 equal calls at once. */
async function crowd(name: string, input: object): Promise<void> {
  const toolcrib = await open();
  await ask(toolcrib, name, input);
  let firstMs: number | undefined;
  const begun = performance.now();
  const step = await measured(`200 ${name} at once`, 1, () =>
    Promise.all(
      Array.from({ length: 200 }, async () => {
        // A call that gets no answer in time counts, too.
        await toolcrib.call(name, input);
        firstMs ??= performance.now() - begun;
      }),
    ),
  );
  report({ ...step, firstMs: firstMs! });
  await toolcrib.close();
}

async function start(): Promise<void> {
  const call = ["call", "file.read", "--path", firstFile, "--limit", "20", "--json", "-C", workspace];
  const words = [process.execPath, launcher, ...call];
  // The first start fills the compile cache.
  await run(words);
  await measureProgram("call file.read, from start to exit", words, 15);
}

async function hub(): Promise<void> {
  const { connectHub } = await import(join(installed, "dist", "mcp.js"));
  const server = join(checkout, "bench", "mcp", "bare-server.mjs");
  const servers = Object.fromEntries(
    Array.from({ length: 50 }, (_, number) => [
      `server${number}`,
      { command: process.execPath, args: [server] },
    ]),
  );
  const connected = connectHub({ workspace, servers, stateDirectory: state });
  await step("open a hub of 50 servers", 1, () => connected.ready);
  await step("close a hub of 50 servers", 1, () => connected.close());
}

/** What SQLite itself takes: a full table scan, and reading every byte. */
async function sqlite(): Promise<void> {
  const { workspaceFiles } = await import(join(checkout, "src/system/directories.ts"));
  const { journal: file } = workspaceFiles(state, workspace);
  const database = new DatabaseSync(file, { readOnly: true });
  const query = (sql: string) => async () => void database.prepare(sql).all();
  const like = (text: string) => query(`SELECT count(*) FROM records WHERE body LIKE '%${text}%'`);
  await step("log --failed", 1, like("not-found"));
  await step("log --tool web.fetch", 1, like("web.fetch"));
  await step("log --session", 1, query("SELECT count(*) FROM records WHERE session = 'session_growth1'"));
  await step("log --text", 1, like("rareneedle"));
  await step("log verify", 1, async () => {
    for (const _ of database.prepare("SELECT * FROM records").iterate());
  });
  database.close();
}

async function open(rules: readonly string[] = []): Promise<Instance> {
  const { openToolcrib } = await import(join(installed, "dist", "toolcrib.js"));
  return openToolcrib({
    workspace,
    stateDirectory: state,
    configDirectory: join(state, "config"),
    rules: ["allow run **", ...rules],
    approve: async () => ({ allow: true }),
  });
}

async function ask(toolcrib: Instance, name: string, input: object) {
  const result = await toolcrib.call(name, input);
  if (result.isError) throw new Error(`${name}: ${result.content}`);
  return result;
}

async function measureProgram(name: string, words: readonly string[], laps: number): Promise<void> {
  await step(name, laps, () => run(words));
}

async function run([program, ...args]: readonly string[]): Promise<void> {
  const env = { ...process.env, TOOLCRIB_HOME: state };
  const child = spawn(program!, args, { cwd: workspace, env, stdio: ["ignore", "pipe", "ignore"] });
  child.stdout.resume();
  const [code] = await once(child, "close");
  // ripgrep and doctor exit with 1 when they find nothing, or a problem of this machine.
  if (code !== 0 && code !== 1) throw new Error(`${program} ${args.join(" ")}: exit code ${code}`);
}

function ripgrepOf(): string {
  return process.env.GROWTH_RIPGREP!;
}

async function step(
  name: string,
  laps: number,
  act: (lap: number) => Promise<unknown>,
  part = 0.5,
): Promise<void> {
  report(await measured(name, laps, act, part));
}

async function measured(
  name: string,
  laps: number,
  act: (lap: number) => Promise<unknown>,
  part = 0.5,
): Promise<Step> {
  process.send!({ begin: name } satisfies AreaMessage);
  writeFileSync("/proc/self/clear_refs", "5");
  const cpuBefore = cpuMsOf(process.pid);
  const times: number[] = [];
  for (let lap = 0; lap < laps; lap++) {
    const begun = performance.now();
    await act(lap);
    times.push(performance.now() - begun);
  }
  times.sort((one, other) => one - other);
  return {
    name,
    wallMs: times[Math.floor((laps - 1) * part)]!,
    cpuMs: (cpuMsOf(process.pid) - cpuBefore) / laps,
    peakMb: Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))![1]) / 1024,
  };
}

function report(end: Step): void {
  process.send!({ end } satisfies AreaMessage);
}
