import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { vi } from "vitest";
import { openArtifactStore } from "../../../src/fleet/artifacts/artifact-store.ts";
import type { FleetSettings, FleetStore, Run, RunSpec } from "../../../src/fleet/fleet.ts";
import { LocalQueue } from "../../../src/fleet/queue/local-queue.ts";
import { openFleetStore } from "../../../src/fleet/store/open-fleet-store.ts";
import { RunFolder } from "../../../src/fleet/work/run-folder.ts";
import { startWorker, type Worker, type WorkerOptions } from "../../../src/fleet/work/worker.ts";
import type { ProviderServer, Script } from "../../providers/provider-server.ts";
import { startProvider } from "../../providers/start-provider.ts";
import { oncePerRun } from "../once-per-run.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** A fleet on this machine: a SQLite store, a provider that follows a script, and a git repository. */
export interface WorkerFixture extends AsyncDisposable {
  readonly folder: string;
  readonly repository: string;
  readonly store: FleetStore;
  readonly server: ProviderServer;
  /** The options of a worker, without functions: another process can have them, too. */
  readonly options: Omit<WorkerOptions, "store" | "queue" | "artifacts">;
  /** Adds a run. Returns its id. */
  submit(spec?: Partial<RunSpec>, settings?: Partial<FleetSettings>): Promise<string>;
  /** Returns the folder of a run on this machine. */
  folderOf(id: string): Promise<string>;
  start(options?: Partial<WorkerOptions>): Promise<Worker>;
  /** Waits until the run has ended. */
  ended(id: string): Promise<Run>;
  /** Submits a run, works on it with a worker of its own, and returns its end. */
  run(
    spec?: Partial<RunSpec>,
    options?: Partial<WorkerOptions>,
    settings?: Partial<FleetSettings>,
  ): Promise<Run>;
}

export const leases = { leaseMs: 3_000, adoptAfterMs: 600_000 };

/** `leaseMs`: longer than any pause of a busy machine where a test must not lose a run. */
export async function workerFixture(
  script: Script,
  { leaseMs = leases.leaseMs }: { readonly leaseMs?: number } = {},
): Promise<WorkerFixture> {
  const temporary = temporaryFolder();
  const folder = temporary.path;
  const repository = join(folder, "repository");
  await makeRepository(repository);
  mkdirSync(join(folder, "config"));
  const server = await startProvider("openai", script);
  const store = await openFleetStore({ file: join(folder, "fleet.sqlite") }, { ...leases, leaseMs });
  const queue = new LocalQueue(store);
  const artifacts = await openArtifactStore(join(folder, "artifacts"));
  const workers: Worker[] = [];
  const options: WorkerFixture["options"] = {
    ...{ slots: 2, workFolder: join(folder, "work"), configDirectory: join(folder, "config") },
    ...{ models: server.settings, mode: "yolo", allowRepositories: ["**"], heartbeatMs: 200 },
    // Opening a sandbox costs more than the rest of a run.
    sandbox: "none",
    leaseMs,
    patience: { retries: 0, longestWaitMs: 2_000, parkMs: 50 },
  };
  let tasks = 0;
  const fixture: WorkerFixture = {
    ...{ folder, repository, store, server, options },
    submit: async (spec = {}, settings = {}) => {
      tasks += 1;
      const whole = { ...usualSpec, model: server.model, repository, task: `task-${tasks}`, ...spec };
      const { added } = await store.submit(whole.fleet, { ...usualSettings, ...settings }, [whole]);
      await queue.add(added);
      return added[0]!;
    },
    folderOf: async (id) => new RunFolder(options.workFolder, (await store.run(id))!).path,
    start: async (more = {}) => {
      const worker = await startWorker({ ...options, store, queue, artifacts, ...more });
      workers.push(worker);
      return worker;
    },
    ended: (id) =>
      vi.waitFor(
        async () => {
          const run = await store.run(id);
          if (run?.state !== "ended") throw new Error(`The run is ${run?.state}: ${run?.reason}`);
          return run;
        },
        { timeout: 60_000, interval: 20 },
      ),
    run: async (spec, more, settings) => {
      const id = await fixture.submit(spec, settings);
      const worker = await fixture.start(more);
      const run = await fixture.ended(id);
      await worker.stop({ graceMs: 0 });
      return run;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(workers.map((worker) => worker.stop({ graceMs: 0 })));
      await store.close();
      await server.close();
      await temporary[Symbol.asyncDispose]();
    },
  };
  return fixture;
}

const usualSettings: FleetSettings = { budget: null, lanes: {}, deliveries: 5, parkedHours: 24 };

const usualSpec: Omit<RunSpec, "model" | "repository" | "task"> = {
  ...{ fleet: "trial", reasoning: null, prompt: "Make a.txt say new.", revision: null, setup: null },
  check: { command: "grep -q new a.txt", files: {}, minutes: 1 },
  ...{ target: "local", mode: "yolo", rules: [], limits: { rounds: 20, minutes: 5, dollars: null } },
  ...{ keepWorkspace: "never", publish: null, data: {} },
};

/** Copies a repository with one commit, which is faster than creating it. */
async function makeRepository(path: string): Promise<void> {
  const made = await oncePerRun("fleet-repository", async (folder) => {
    git(folder, "init", "-q", "-b", "main", "--template=");
    commit(folder, { "a.txt": "old\n" });
  });
  cpSync(made, path, { recursive: true });
}

export function commit(path: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  git(path, "add", "-A");
  git(path, "-c", "user.name=T", "-c", "user.email=t@example.com", "commit", "-q", "-m", "Change");
}

export function git(path: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: path, encoding: "utf8" }).trim();
}

/** A reply that makes one call, for the dialect of GPT models. */
export function shell(command: string): { readonly calls: readonly [{ name: string; input: unknown }] } {
  return { calls: [{ name: "exec_command", input: { cmd: command } }] };
}
