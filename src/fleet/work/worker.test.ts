import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { ScriptedReply, SeenRequest } from "../../../test/providers/provider-server.ts";
import { bundledProgram } from "../../../test/support/bundled-program.ts";
import {
  leases,
  shell,
  type WorkerFixture,
  workerFixture,
} from "../../../test/support/fleet/worker-fixture.ts";
import { WorkspaceJournal } from "../../toolcrib/workspace-journal.ts";
import type { FleetStore } from "../fleet.ts";
import { LocalQueue } from "../queue/local-queue.ts";
import { machineOf } from "./run-folder.ts";

const program = await bundledProgram(
  new URL("../../../test/support/fleet/killed-worker-program.ts", import.meta.url),
);

describe("a worker that is killed", () => {
  it("in the middle of a tool call leaves its run to the next: no call is repeated, one result", {
    tags: "slow",
  }, async () => {
    await using fixture = await workerFixture(careful("echo ran >> ran.txt; sleep 1000", "echo new > a.txt"));
    const id = await fixture.submit({ check: ranOnce, setup: "echo set >> ran.txt" });
    await using child = await startChild(fixture);
    await vi.waitUntil(() => linesOf(fixture, id, "ran.txt").length === 2, waiting);
    await child.kill("SIGKILL");
    const before = await fixture.store.run(id);
    const next = await fixture.start();
    const run = await fixture.ended(id);
    expect([run.outcome, run.reason, run.deliveries]).toEqual(["solved", "The check passed.", 2]);
    // The second delivery is in the same session, and the set-up did not run again.
    expect([run.session, run.worker]).toEqual([before?.session, next.id]);
    expect(fixture.server.breaches).toEqual([]);
    const commands = callsOf(run.result!.artifacts!);
    expect(commands.filter((command) => command.includes("ran.txt; sleep"))).toHaveLength(1);
  });

  it("in the middle of a reply leaves its run to the next, which asks again", { tags: "slow" }, async () => {
    let isHanging = true;
    const script = careful("echo ran >> ran.txt; echo set >> ran.txt", "echo new > a.txt");
    await using fixture = await workerFixture((request) =>
      isHanging && request.messages.some(({ role }) => role === "tool")
        ? { text: "I have to think about this for a long time.", fault: "hang-during" }
        : script(request),
    );
    const id = await fixture.submit({ check: ranOnce });
    await using child = await startChild(fixture);
    await vi.waitUntil(() => fixture.server.requests.length === 2, waiting);
    await child.kill("SIGKILL");
    isHanging = false;
    await fixture.start();
    const run = await fixture.ended(id);
    expect([run.outcome, run.deliveries, run.result?.rounds]).toEqual(["solved", 2, 3]);
    expect(fixture.server.breaches).toEqual([]);
    // The request of the killed worker counts as spent.
    const fleet = await fixture.store.fleet("trial");
    expect(fleet!.spent).toBeGreaterThan(run.result!.cost!);
  });

  it("in the middle of the check leaves its run to the next, whose patch has no file of the check", {
    tags: "slow",
  }, async () => {
    await using fixture = await workerFixture(careful("echo new > a.txt"));
    const command = "if [ -e seen ]; then exit 0; fi; touch seen; sleep 1000";
    const id = await fixture.submit({
      check: { command, files: { "check.txt": "secret test" }, minutes: 5 },
    });
    await using child = await startChild(fixture);
    await vi.waitUntil(() => existsSync(join(workspaceOf(fixture, id), "seen")), waiting);
    await child.kill("SIGKILL");
    await fixture.start();
    const run = await fixture.ended(id);
    expect([run.outcome, run.result?.patch?.files]).toEqual(["solved", 1]);
    expect(readFileSync(join(run.result!.artifacts!, "patch.diff"), "utf8")).not.toContain("check.txt");
  });
});

describe("a worker that is stopped", () => {
  it("by SIGTERM lets runs reach the end of their round, and exits; the next worker continues them", {
    tags: "slow",
  }, async () => {
    await using fixture = await workerFixture(
      careful(
        "echo ran >> ran.txt; while [ ! -e go ]; do sleep 0.1; done; echo set >> ran.txt",
        "echo new > a.txt",
      ),
    );
    const id = await fixture.submit({ check: ranOnce });
    await using child = await startChild(fixture, { graceMs: 600_000 });
    await vi.waitUntil(() => linesOf(fixture, id, "ran.txt").length === 1, waiting);
    child.process.kill("SIGTERM");
    await vi.waitUntil(() => isDraining(fixture), waiting);
    const late = await fixture.submit();
    writeFileSync(join(workspaceOf(fixture, id), "go"), "");
    const [code] = await child.exit;
    const released = await fixture.store.run(id);
    const untouched = await fixture.store.run(late);
    expect([code, released?.state, released?.deliveries, untouched?.deliveries]).toEqual([
      0,
      "waiting",
      0,
      0,
    ]);
    expect(fixture.server.requests.length).toBe(1);
    await fixture.start();
    const run = await fixture.ended(id);
    expect([run.outcome, run.session, run.result?.calls]).toEqual(["solved", released?.session, 2]);
    await fixture.store.cancel({ fleet: "trial", ids: [late] });
    expect((await fixture.ended(late)).outcome).toBe("cancelled");
  });

  it("leaves the check of a turn that ended meanwhile to the next worker", { tags: "slow" }, async () => {
    const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>();
    await using fixture = await workerFixture(async (request) => {
      if (request.number === 2) await mayAnswer;
      return careful("echo new > a.txt")(request);
    });
    const id = await fixture.submit();
    const first = await fixture.start();
    await vi.waitUntil(() => fixture.server.requests.length === 2, waiting);
    const stopped = first.stop({ graceMs: 600_000 });
    await vi.waitUntil(() => isDraining(fixture), waiting);
    letAnswer();
    await stopped;
    expect((await fixture.store.run(id))?.state).toBe("waiting");
    await fixture.start();
    const run = await fixture.ended(id);
    expect([run.outcome, run.result?.rounds, fixture.server.requests.length]).toEqual(["solved", 2, 2]);
  });

  it("interrupts runs, releases them and exits on a second SIGTERM", { tags: "slow" }, async () => {
    await using fixture = await workerFixture(careful("echo ran >> ran.txt; sleep 1000", "echo new > a.txt"));
    const id = await fixture.submit({ setup: "echo set >> ran.txt", check: ranOnce });
    await using child = await startChild(fixture, { graceMs: 600_000 });
    await vi.waitUntil(() => linesOf(fixture, id, "ran.txt").length === 2, waiting);
    child.process.kill("SIGTERM");
    await vi.waitUntil(() => isDraining(fixture), waiting);
    child.process.kill("SIGTERM");
    const [code] = await child.exit;
    expect([code, (await fixture.store.run(id))?.state]).toEqual([0, "waiting"]);
    await fixture.start();
    expect((await fixture.ended(id)).outcome).toBe("solved");
  });
});

describe("a worker that loses a run", () => {
  it("stops its session at once and writes nothing", { tags: "slow" }, async () => {
    await using fixture = await workerFixture(careful("echo ran >> ran.txt; sleep 1000", "echo new > a.txt"));
    const ends: unknown[] = [];
    const id = await fixture.submit({ setup: "echo set >> ran.txt", check: ranOnce });
    const first = await fixture.start({ onRun: (_, end) => end && ends.push(end) });
    await vi.waitUntil(() => linesOf(fixture, id, "ran.txt").length === 2, waiting);
    // Another worker has taken the run, because this one seemed dead.
    await fixture.store.release({ run: id, worker: first.id, delivery: 1 });
    const run = await fixture.ended(id);
    await vi.waitUntil(() => ends.length >= 2, waiting);
    expect([ends[0], run.outcome]).toEqual([{ kind: "lost" }, "solved"]);
  });
});

describe("a worker whose database does not answer", () => {
  it("stops its runs when its lease ends, and continues them later", { tags: "slow" }, async () => {
    await using fixture = await workerFixture(careful("echo ran >> ran.txt; sleep 1000", "echo new > a.txt"));
    const { promise: isBack, resolve: comeBack } = Promise.withResolvers<void>();
    let isAway = false;
    const { store: found } = fixture;
    const store = new Proxy(found, {
      get: (target, name: keyof FleetStore) => {
        const member = target[name];
        if (name === "heartbeat" && isAway)
          return async (...given: Parameters<FleetStore["heartbeat"]>) => {
            await isBack;
            return target.heartbeat(...given);
          };
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    const ends: unknown[] = [];
    const id = await fixture.submit({ setup: "echo set >> ran.txt", check: ranOnce });
    await fixture.start({ store, leaseMs: 1_000, onRun: (_, end) => end && ends.push(end) });
    await vi.waitUntil(() => linesOf(fixture, id, "ran.txt").length === 2, waiting);
    isAway = true;
    await vi.waitUntil(() => ends.length > 0, waiting);
    expect(ends).toEqual([{ kind: "lost" }]);
    isAway = false;
    comeBack();
    expect((await fixture.ended(id)).outcome).toBe("solved");
  });
});

describe("a worker that cannot start", () => {
  it("leaves no timer and no record", async () => {
    await using fixture = await workerFixture([]);
    const queue = new LocalQueue(fixture.store);
    queue.deliver = () => Promise.reject(new Error("No queue."));
    await expect(fixture.start({ queue })).rejects.toThrow("No queue.");
    expect([await fixture.store.workers(), readdirSync(join(fixture.options.workFolder, "workers"))]).toEqual(
      [[], []],
    );
  });
});

describe("a worker that starts", () => {
  it("removes old folders of runs that ended or moved elsewhere, and no others", async () => {
    await using fixture = await workerFixture([]);
    const ids = [];
    for (const _ of "1234") ids.push(await fixture.submit());
    const [cancelled, moved, parked, recent] = ids as [string, string, string, string];
    const { workFolder } = fixture.options;
    const facts = { host: "host", pid: 1, startedAt: 0, slots: 1, isDraining: false };
    await fixture.store.heartbeat({ ...facts, id: "other", machine: "elsewhere" }, []);
    await fixture.store.heartbeat({ ...facts, id: "own", machine: machineOf(workFolder) }, []);
    await fixture.store.cancel({ fleet: "trial", ids: [cancelled, recent] });
    await fixture.store.claim(moved, "other");
    const claim = { run: parked, worker: "own", delivery: 1 };
    await fixture.store.claim(parked, "own");
    await fixture.store.park(claim, Date.now() + 1_000_000, "Later.");
    const folders = await Promise.all(ids.map((id) => fixture.folderOf(id)));
    // The same run of another database was created at another time.
    const ofAnotherDatabase = join(workFolder, "runs/trial", `${cancelled}-1`);
    for (const folder of [...folders, ofAnotherDatabase]) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "progress.json"), "{}");
      if (folder !== folders[3]) makeOld(join(folder, "progress.json"), 25);
    }
    const isThere = () => folders.map((folder) => existsSync(folder));
    await fixture.start();
    await vi.waitUntil(() => !isThere()[0] && !isThere()[1], waiting);
    expect([...isThere(), existsSync(ofAnotherDatabase)]).toEqual([false, false, true, true, true]);
  });

  it("removes mirrors that no run has used for a month, and clones that were never finished", async () => {
    await using fixture = await workerFixture([]);
    const { workFolder } = fixture.options;
    const mirrors = ["unused.git", "used.git", "recent.git", "unused.git.draft_1", "recent.git.draft_2"];
    for (const name of mirrors) mkdirSync(join(workFolder, "mirrors", name), { recursive: true });
    const information = join(workFolder, "runs/trial/run_x-1/patch.git/objects/info");
    mkdirSync(information, { recursive: true });
    writeFileSync(join(information, "alternates"), `${join(workFolder, "mirrors/used.git/objects")}\n`);
    for (const name of mirrors.slice(0, 2)) makeOld(join(workFolder, "mirrors", name), 31 * 24);
    makeOld(join(workFolder, "mirrors/recent.git"), 29 * 24);
    makeOld(join(workFolder, "mirrors/unused.git.draft_1"), 25);
    await fixture.start();
    const left = () => readdirSync(join(workFolder, "mirrors")).toSorted();
    await vi.waitUntil(() => left().length === 3, waiting);
    expect(left()).toEqual(["recent.git", "recent.git.draft_2", "used.git"]);
  });
});

function makeOld(path: string, hours: number): void {
  const then = Date.now() / 1000 - hours * 60 * 60;
  utimesSync(path, then, then);
}

const waiting = { timeout: 60_000, interval: 20 };
const ranOnce = { command: "test $(wc -l < ran.txt) = 2 && grep -q new a.txt", files: {}, minutes: 1 };

/** A model that runs commands in turn, and never repeats one that may have run. */
function careful(...commands: readonly string[]): (request: SeenRequest) => ScriptedReply {
  return ({ messages }) => {
    const command = commands[messages.filter(({ role }) => role === "tool").length];
    // The tool answers after ten seconds with a running process, unless it is told to wait.
    const input = { cmd: command, yield_time_ms: 30_000 };
    return command === undefined ? { text: "Done." } : { calls: [{ ...shell("").calls[0], input }] };
  };
}

async function isDraining({ store }: WorkerFixture): Promise<boolean> {
  return (await store.workers()).some((worker) => worker.isDraining);
}

function workspaceOf({ options }: WorkerFixture, id: string): string {
  const runs = join(options.workFolder, "runs/trial");
  const names = existsSync(runs) ? readdirSync(runs) : [];
  return join(runs, names.find((name) => name.startsWith(id)) ?? id, "workspace");
}

function linesOf(fixture: WorkerFixture, id: string, name: string): readonly string[] {
  const file = join(workspaceOf(fixture, id), name);
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
}

/** The commands in the journal of a run. */
function callsOf(artifacts: string): readonly string[] {
  const files = {
    journal: join(artifacts, "journal.sqlite"),
    blobs: artifacts,
    outputs: artifacts,
    sandbox: artifacts,
  };
  const journal = new WorkspaceJournal({ files: files as never });
  const calls = journal.calls({}).map(({ input }) => JSON.stringify(input));
  journal.close();
  return calls;
}

interface Child extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly exit: Promise<unknown[]>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

async function startChild(
  { folder, options }: WorkerFixture,
  { graceMs = 0 }: { readonly graceMs?: number } = {},
): Promise<Child> {
  const child = spawn(process.execPath, [program, JSON.stringify({ folder, options, leases, graceMs })], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  await once(child.stdout!, "data");
  const kill = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exit;
  };
  return { process: child, exit, kill, [Symbol.asyncDispose]: () => kill("SIGKILL") };
}
