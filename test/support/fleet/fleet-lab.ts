import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProviderServer, ScriptedReply, SeenRequest } from "../../providers/provider-server.ts";
import { startProvider } from "../../providers/start-provider.ts";

/** The steps that the model of the lab adds to steps.txt, one call each. */
export const steps = ["step 1", "step 2"];

/** US dollars of one request to the model of the lab. */
export const requestCost = 0.003;

export interface LabProvider {
  readonly server: ProviderServer;
  /** Refuses every request with 429 for this time. */
  refuseFor(ms: number): void;
  readonly refusals: number;
  readonly answered: number;
  /** When the first request came. */
  readonly firstAt: number | undefined;
}

/** Starts a provider whose model adds the missing steps, and reads the file before each, so that it repeats none. */
export async function startLabProvider(latencyMs = 0): Promise<LabProvider> {
  let refusedUntil = 0;
  const seen = { refusals: 0, answered: 0, firstAt: undefined as number | undefined };
  const script = (request: SeenRequest): ScriptedReply => {
    seen.firstAt ??= performance.now();
    if (Date.now() < refusedUntil) {
      seen.refusals += 1;
      return { fault: { status: 429, retryAfter: "1" } };
    }
    seen.answered += 1;
    return { ...nextStep(request), usage: { input: 1_000, output: 200 } };
  };
  const server = await startProvider("anthropic", script, { strict: false, chunks: "whole", latencyMs });
  return {
    server,
    refuseFor: (ms) => {
      refusedUntil = Date.now() + ms;
    },
    get refusals() {
      return seen.refusals;
    },
    get answered() {
      return seen.answered;
    },
    get firstAt() {
      return seen.firstAt;
    },
  };
}

function nextStep({ messages }: SeenRequest): ScriptedReply {
  const last = messages.at(-1);
  const asked = messages.findLast(({ calls }) => calls !== undefined && calls.length > 0);
  const isRead = last?.role === "tool" && asked?.calls?.[0]?.name === "Read" && /\bend\b/.test(last.text);
  if (!isRead) return { calls: [{ name: "Read", input: { file_path: "steps.txt" } }] };
  const missing = steps.find((step) => !last.text.includes(step));
  if (missing === undefined) return { text: "All steps are there." };
  const input = { file_path: "steps.txt", old_string: "end", new_string: `${missing}\nend` };
  return { calls: [{ name: "Edit", input }] };
}

/** Creates a repository with steps.txt. Returns its folder. */
export function writeRepository(folder: string): string {
  const repository = join(folder, "repository");
  mkdirSync(repository, { recursive: true });
  writeFileSync(join(repository, "steps.txt"), "end\n");
  for (const words of [
    ["init", "-q", "-b", "main"],
    ["add", "-A"],
    ["-c", "user.name=Test", "-c", "user.email=test@localhost", "commit", "-q", "-m", "Start"],
  ])
    execFileSync("git", words, { cwd: repository, stdio: "pipe" });
  return repository;
}

export const task = (number: number) => `Task ${number}: add the steps to steps.txt.`;

/** Writes the spec of a fleet with this many tasks. Returns its path. */
export function writeSpec(
  folder: string,
  { runs, model, budget }: { readonly runs: number; readonly model: string; readonly budget: number },
): string {
  const tasks = Array.from({ length: runs }, (_, index) => ({
    name: `task-${index + 1}`,
    prompt: task(index + 1),
  }));
  writeFileSync(join(folder, "tasks.jsonl"), tasks.map((each) => `${JSON.stringify(each)}\n`).join(""));
  const spec = {
    name: "lab",
    model,
    repository: writeRepository(folder),
    tasks: { file: "tasks.jsonl" },
    deliveries: 1000,
    limits: { rounds: 100, minutes: 60, dollars: 5 },
    budget,
    check: {
      command: "diff steps.txt expected.txt",
      files: { "expected.txt": [...steps, "end", ""].join("\n") },
    },
  };
  const path = join(folder, "fleet.yaml");
  // JSON is YAML, too.
  writeFileSync(path, JSON.stringify(spec));
  return path;
}

/** The program under test, and how it finds the provider and the database. */
export interface LabProgram {
  readonly folder: string;
  /** The program that runs `toolcrib`, with its first arguments. */
  readonly program: readonly string[];
  readonly provider: LabProvider;
  readonly database?: string | undefined;
}

/** Starts commands and workers of Toolcrib. Workers share a work folder, so that each can resume the runs of the others. */
export class LabPrograms {
  readonly #lab: LabProgram;
  readonly #workers = new Set<ChildProcess>();

  constructor(lab: LabProgram) {
    this.#lab = lab;
    const config = join(lab.folder, "home", "config");
    mkdirSync(config, { recursive: true });
    // Prices of another address than Anthropic's own are unknown.
    const models = { [lab.provider.server.model]: { prices: { input: 1, output: 10 } } };
    writeFileSync(join(config, "models.json"), JSON.stringify({ models }));
  }

  get workers(): readonly ChildProcess[] {
    return [...this.#workers];
  }

  /** Runs a command to its end, and returns its output. */
  async run(words: readonly string[], cwd?: string): Promise<string> {
    const child = this.#spawn(words, cwd);
    const output = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"] as const)
      child[stream]!.on("data", (chunk) => {
        output[stream] += chunk;
      });
    const [code] = await once(child, "close");
    if (code === 0) return output.stdout;
    throw new Error(`toolcrib ${words.join(" ")} failed (${code}): ${output.stderr}`);
  }

  startWorker(slots: number): void {
    const words = ["fleet", "work", "--slots", String(slots), "--allow-repository", "**"];
    const child = this.#spawn([...words, "--folder", join(this.#lab.folder, "work")]);
    child.stdout!.resume();
    child.stderr!.resume();
    this.#workers.add(child);
  }

  async end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
    this.#workers.delete(child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  }

  async endAll(signal: NodeJS.Signals): Promise<void> {
    await Promise.all(this.workers.map((child) => this.end(child, signal)));
  }

  #spawn(words: readonly string[], cwd = this.#lab.folder): ChildProcess {
    const { folder, program, provider, database } = this.#lab;
    const [file = "", ...first] = program;
    return spawn(file, [...first, ...words, ...(database === undefined ? [] : ["--database", database])], {
      cwd,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        // Killed workers leave files in it.
        TMPDIR: process.env.TMPDIR,
        TOOLCRIB_HOME: join(folder, "home"),
        ANTHROPIC_BASE_URL: provider.server.url,
        ANTHROPIC_API_KEY: provider.server.settings.providers?.anthropic?.apiKey,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
  }
}
