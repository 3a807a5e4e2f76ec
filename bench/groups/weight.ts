import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { SandboxLevel } from "../../src/contract/call.ts";
import type { openToolcrib } from "../../src/toolcrib/index.ts";
import { workDirectory } from "../data/data.ts";
import { ensureTree, firstFile, installSubject, ownCheckout, subjectOf } from "../growth/stage.ts";
import type { Case, CaseResult, Contender, Group } from "../harness.ts";
import { writeAskedProject } from "../weight/asked-project.ts";
import { countFolders, type FileLines } from "../weight/count-lines.ts";

/** The checkout that is measured; lanes inherit the variable. */
const checkout = resolve(process.env.TOOLCRIB_BENCH_SUBJECT ?? ownCheckout);
const subject = subjectOf(checkout);
const launcher = join(subject.installed, "bin", "toolcrib.js");
const folder = join(workDirectory, "weight");
const state = join(subject.folder, "weight-state");
const environment = { ...process.env, TOOLCRIB_HOME: state };
const sizes = ["5k", "30k", "100k"];

/** Measures what a user and a maintainer carry: lines, modules, packages, questions, memory, and the cost of plain calls. */
export const group: Group = {
  needs: [],
  prepare: () => installSubject(checkout),
  run: async function* ({ only }) {
    const parts = {
      "source lines": sourceLines,
      packages,
      modules,
      "questions on 126 commands": questions,
      "memory of an opened library, 5k files": memory,
    };
    for (const [name, measure] of Object.entries(parts)) {
      if (name.includes(only))
        yield { group: "weight", name, contenders: [], verdicts: [], ...(await measure()) };
    }
  },
  cases: [
    {
      name: "call file.read",
      about: "`toolcrib call file.read --json` of 20 lines in 5,000 files, installed, from start to exit.",
      rounds: 80,
      goals: [],
      contenders: {
        "node -e 0": () => repeat(() => [process.execPath, "-e", "0"], folder),
        toolcrib: () => {
          const call = ["call", "file.read", "--path", firstFile, "--limit", "20", "--json"];
          return repeat(() => [process.execPath, launcher, ...call], ensureTree("5k", { git: true }));
        },
      },
    },
    ...sizes.flatMap((size) => [
      writingCommand(`a writing command, ${size} files`, () => openLibrary(size)),
      writingCommand(`a writing command in a new process, ${size} files`, () => newProcess(size)),
    ]),
    {
      name: "ten writing commands in a row, 30k files",
      about:
        "Ten calls of shell.run of an open library, one after the other, each `echo N > file`; and ten by bash.",
      rounds: 10,
      goals: [],
      contenders: {
        bash: () =>
          inARow(
            10,
            repeat((lap) => ["bash", "-c", `echo ${lap} > written`], folder),
          ),
        toolcrib: async () => inARow(10, await openLibrary("30k")),
      },
    },
  ],
};

type Table = Pick<CaseResult, "about"> & { readonly table: NonNullable<CaseResult["table"]> };

async function sourceLines(): Promise<Table> {
  const tracked = execFileSync("git", ["ls-files", "-z"], { cwd: checkout, encoding: "utf8" }).split("\0");
  const files: FileLines[] = tracked
    .filter((path) => /\.(?:tsx?|md)$/.test(path))
    .map((path) => ({ path, lines: readFileSync(join(checkout, path), "utf8").split("\n").length - 1 }));
  const rows = countFolders(files);
  return {
    about:
      "TypeScript in git, and the Markdown of docs. Tests are the test files beside the source and `test`.",
    table: [
      ["", "lines"],
      ...rows.map(({ folder, lines }) => [folder, `${lines}`]),
      ["files of src", `${rows.find(({ folder }) => folder === "src")!.files}`],
    ],
  };
}

async function packages(): Promise<Table> {
  const installed = join(checkout, "node_modules");
  const lock = JSON.parse(readFileSync(join(installed, ".package-lock.json"), "utf8"));
  const megabytes = execFileSync("du", ["-sm", installed], { encoding: "utf8" }).split("\t")[0]!;
  return {
    about: "What `npm ci` installs on this machine.",
    table: [
      ["", "packages", "MB"],
      ["npm ci", `${Object.keys(lock.packages).length}`, megabytes],
    ],
  };
}

/** Counts the source modules that one call of the command line loads in its own process, run from source. */
async function modules(): Promise<Table> {
  const project = writeAskedProject(join(folder, "project"));
  const counter = join(import.meta.dirname, "../weight/count-modules.mjs");
  const count = (...words: string[]) => {
    const args = ["--import", counter, join(checkout, "src/cli/main.ts"), "call", ...words, "--mode", "yolo"];
    const env = { ...environment, COUNT_MODULES_OF: join(checkout, "src") };
    const printed = execFileSync(process.execPath, args, { cwd: project, env, encoding: "utf8" });
    return /^modules: (\d+)$/m.exec(printed)![1]!;
  };
  const edited = join(project, "edited.txt");
  writeFileSync(edited, "one\n");
  return {
    about: "Modules of src that a call from the command line loads, run from source.",
    table: [
      ["", "modules"],
      ["file.read", count("file.read", "--path", "README.md")],
      ["edit.replace", count("edit.replace", "--path", edited, "--find", "one", "--replace", "two")],
      ["shell.run", count("shell.run", "--command", "true")],
    ],
  };
}

const modes = ["paranoid", "safe", "cautious", "yolo"];
const verdicts: Readonly<Record<number, string>> = { 0: "runs", 3: "is refused", 4: "asks" };

/** Asks `policy explain` for each command and mode. */
async function questions(): Promise<Table> {
  const commands = readFileSync(join(import.meta.dirname, "../data/commands.txt"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => ({ kind: line.split("\t")[0]!, command: line.split("\t")[1]!.replaceAll("\\n", "\n") }));
  const kinds = [...new Set(commands.map(({ kind }) => kind))];
  const cwd = writeAskedProject(join(folder, "project"));
  const asked: { mode: string; kind: string; verdict: string }[] = [];
  for (const { kind, command } of commands) {
    const answers = modes.map(async (mode) => {
      const args = [launcher, "policy", "explain", `run ${command}`, "--mode", mode];
      const child = spawn(process.execPath, args, { cwd, env: environment, stdio: "ignore" });
      const [code] = await once(child, "close");
      const verdict = verdicts[code];
      if (verdict === undefined) throw new Error(`policy explain 'run ${command}' ended with ${code}`);
      asked.push({ mode, kind, verdict });
    });
    await Promise.all(answers);
  }
  const count = (mode: string, verdict: string, kind?: string) =>
    `${asked.filter((one) => one.mode === mode && one.verdict === verdict && (kind ?? one.kind) === one.kind).length}`;
  return {
    about:
      "Commands of bench/data/commands.txt that ask, by where their effects end, and those that are refused; `policy explain` in a small repository, with the sandbox of this machine.",
    table: [
      ["", ...kinds.map((kind) => `asks: ${kind}`), "asks", "is refused"],
      ...modes.map((mode) => [
        mode,
        ...kinds.map((kind) => count(mode, "asks", kind)),
        ...["asks", "is refused"].map((verdict) => count(mode, verdict)),
      ]),
    ],
  };
}

/** Takes the median of five processes. */
async function memory(): Promise<Table> {
  const script = join(import.meta.dirname, "../weight/measure-memory.mjs");
  const files = ensureTree("5k", { git: true });
  const runs = Array.from({ length: 5 }, () => {
    rmSync(state, { recursive: true, force: true });
    const args = [
      "--expose-gc",
      "--disable-warning=ExperimentalWarning",
      script,
      subject.installed,
      files,
      state,
    ];
    return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as Record<string, number[]>;
  });
  const median = (name: string, column: number) =>
    runs.map((run) => run[name]![column]!).toSorted((one, other) => one - other)[2]!;
  return {
    about:
      "A program that opens the installed library, after a garbage collection: resident memory above that of an empty Node, heap, and its children's own memory.",
    table: [
      ["", "resident MB", "heap MB", "children MB"],
      ...Object.keys(runs[0]!).map((name) => [
        name,
        ...[0, 1, 2].map((column) => median(name, column).toFixed(1)),
      ]),
    ],
  };
}

/** Bash writes elsewhere, so that each command of Toolcrib finds only its own change. */
function writingCommand(name: string, toolcrib: () => Contender | Promise<Contender>): Case {
  return {
    name,
    about:
      "`echo N > file` in a git repository: by shell.run of an open library, or by `toolcrib call shell.run`; and by bash.",
    rounds: 15,
    warmUpRounds: 3,
    goals: [],
    contenders: {
      // Several laps: the kernel counts processor time in steps of 10 ms.
      bash: () => ({ ...repeat((lap) => ["bash", "-c", `echo ${lap} > written`], folder), laps: 10 }),
      toolcrib,
    },
  };
}

function inARow(times: number, contender: Contender): Contender {
  return {
    ...contender,
    run: async () => {
      for (let time = 0; time < times; time += 1) await contender.run();
      return "exit 0";
    },
  };
}

function newProcess(size: string): Contender {
  const words = ["call", "shell.run", "--mode", "yolo", "--command"];
  return repeat(
    (lap) => [process.execPath, launcher, ...words, `echo ${lap} > written`],
    ensureTree(size, { git: true }),
  );
}

async function openLibrary(size: string): Promise<Contender> {
  const { openToolcrib: open } = (await import(join(subject.installed, "dist", "toolcrib.js"))) as {
    openToolcrib: typeof openToolcrib;
  };
  const toolcrib = await open({
    workspace: ensureTree(size, { git: true }),
    stateDirectory: join(subject.folder, `weight-state-${size}`),
    rules: ["allow run **"],
    approve: async () => ({ allow: true }),
  });
  let lap = 0;
  return {
    run: async () => {
      lap += 1;
      const result = await toolcrib.call("shell.run", { command: `echo ${lap} > written` });
      const { sandbox } = result.data as { sandbox: SandboxLevel };
      if (result.isError || sandbox === "none") throw new Error(`sandbox ${sandbox}: ${result.content}`);
      return "exit 0";
    },
    close: () => toolcrib.close(),
  };
}

function repeat(words: (lap: number) => readonly string[], cwd: string): Contender {
  mkdirSync(cwd, { recursive: true });
  let lap = 0;
  return {
    run: () => {
      lap += 1;
      return ended(words(lap), cwd);
    },
  };
}

async function ended([name, ...args]: readonly string[], cwd: string): Promise<string> {
  const child = spawn(name!, args, { cwd, env: environment, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  child.stdout.resume();
  child.stderr.on("data", (bytes) => (printed += bytes));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${name} ${args.join(" ")} ended with ${code}: ${printed}`);
  return "exit 0";
}
