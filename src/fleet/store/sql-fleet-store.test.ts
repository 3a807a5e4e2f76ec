import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resultWith, settingsWith, specOf, workerOf } from "../../../test/support/fleet/examples.ts";
import { startPostgres, type TestPostgres } from "../../../test/support/fleet/postgres.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { Claim, FleetSettings, FleetStore, Run } from "../fleet.ts";
import { runId } from "../run-id.ts";
import { openFleetStore, type StoreLocation, type StoreOptions } from "./open-fleet-store.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.asyncDispose]());

let files = 0;

/** Every worker counts as dead for a store with this option. */
const allDead: StoreOptions = { leaseMs: -1_000_000 };

describe("a fleet store on SQLite", () => {
  testStore(async () => ({ file: join(folder.path, `fleet-${++files}.sqlite`) }));
});

describe("a fleet store on PostgreSQL", { tags: "slow" }, () => {
  let postgres: TestPostgres | undefined;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.[Symbol.asyncDispose]());
  testStore(async () => ({ database: await postgres!.emptyDatabase() }));
});

function testStore(locate: () => Promise<StoreLocation>): void {
  it("stores runs once, in the order of their submission", { tags: "slow" }, async () => {
    await using store = await openFleetStore(await locate());
    const specs = Array.from({ length: 1_200 }, (_, index) => specOf(`task ${index}`));
    expect(await store.submit("nightly", settingsWith(), specs.slice(0, 700))).toEqual({
      added: specs.slice(0, 700).map(runId),
      known: 0,
      superseded: [],
    });
    const again = await store.submit("nightly", settingsWith({ budget: 5 }), specs);
    expect(again).toEqual({ added: specs.slice(700).map(runId), known: 700, superseded: [] });
    const runs = await store.runs({ fleet: "nightly" });
    expect(runs.map(({ spec }) => spec)).toEqual(specs);
    expect(await store.fleets()).toEqual([
      { name: "nightly", settings: settingsWith({ budget: 5 }), createdAt: expect.any(Number), spent: 0 },
    ]);
    expect(await store.fleet("weekly")).toBeUndefined();
  });

  it("supersedes the runs of an edited task, and counts them again when the edit is taken back", async () => {
    await using store = await openFleetStore(await locate());
    const [one, two, three] = await submit(store, ["one", "two", "three"]);
    await store.end(await claimed(store, one!, "worker-1"), "solved", "", resultWith("old"));
    const running = await claimed(store, two!, "worker-1");
    const before = [specOf("one"), specOf("two"), specOf("three")];
    const edited = before.map((spec) => ({ ...spec, prompt: "Better." }));
    const submitted = await store.submit("nightly", settingsWith(), edited);
    expect(submitted).toEqual({ added: edited.map(runId), known: 0, superseded: [one, two, three] });
    expect(await store.counts("nightly")).toMatchObject({ states: { waiting: 3, running: 0, ended: 0 } });
    const old = await store.runs({ fleet: "nightly", isSuperseded: true });
    expect(old.map(({ id, outcome, isCancelled }) => [id, outcome, isCancelled])).toEqual([
      [one, "solved", false],
      [two, null, true],
      [three, "cancelled", true],
    ]);
    expect(await store.ready(10)).toEqual(edited.map(runId));
    await store.end(running, "cancelled", "", resultWith(""));

    const back = await store.submit("nightly", settingsWith(), before);
    // The solved one keeps its result.
    expect(back).toEqual({ added: [two, three], known: 1, superseded: edited.map(runId) });
    expect(await store.counts("nightly")).toMatchObject({
      states: { waiting: 2, ended: 1 },
      outcomes: { solved: 1 },
    });
    expect(await store.retry({ fleet: "nightly", isSuperseded: false, outcomes: ["cancelled"] })).toEqual([]);
  });

  it("ends the runs that wait when the budget is used up, and not before", async () => {
    await using store = await openFleetStore(await locate());
    const [one, two, three] = await submit(store, ["one", "two", "three"], { budget: 1 });
    const parked = await claimed(store, two!, "worker-1");
    await store.park(parked, Date.now() + 60_000, "429");
    const claim = await claimed(store, one!, "worker-1");
    expect(await store.endUnpaid("nightly")).toEqual([]);
    const estimate = { run: one!, fleet: "nightly", worker: "worker-1", lane: "x", tokens: 1, cost: 1 };
    const admission = await store.admit(estimate);
    await store.settle(Object(admission).request, { tokens: 1, cost: 1.5 });
    expect(await store.endUnpaid("nightly")).toEqual([two, three]);
    expect(await store.counts("nightly")).toMatchObject({
      states: { running: 1, ended: 2 },
      outcomes: { budget: 2 },
    });
    expect(await store.end(claim, "unsolved", "", resultWith(""))).toBe(true);
  });

  it("finds runs by id, task, state and outcome", async () => {
    await using store = await openFleetStore(await locate());
    const [one, two, three] = await submit(store, ["one", "two", 'th"ree']);
    const claim = await claimed(store, two!, "worker-1");
    await store.end(claim, "solved", "", resultWith(""));
    const found = async (filter: object) =>
      (await store.runs({ fleet: "nightly", ...filter })).map(({ id }) => id);
    expect(await found({})).toEqual([one, two, three]);
    expect(await found({ tasks: ["one", 'th"ree'] })).toEqual([one, three]);
    expect(await found({ ids: [three!], tasks: ["one"] })).toEqual([]);
    expect(await found({ outcomes: ["solved", "budget"] })).toEqual([two]);
    const [endedAt = 0] = await store.latestEnds("nightly", 1);
    expect([await found({ endedSince: endedAt }), await found({ endedSince: endedAt + 1 })]).toEqual([
      [two],
      [],
    ]);
    expect(await found({ states: ["waiting"] })).toEqual([one, three]);
    expect(await found({ tasks: [] })).toEqual([]);
  });

  it("pages through runs, and finds them by a part of the task or reason", async () => {
    await using store = await openFleetStore(await locate());
    const [, two] = await submit(store, ["Parser 1", "parser 2", "100% done", "100 done"]);
    const claim = await claimed(store, two!, "worker-1");
    await store.end(claim, "unsolved", "The check FAILED.", resultWith(""));
    const found = async (text: string | undefined, offset = 0, limit = 10) => {
      const { runs, total } = await store.runPage({ fleet: "nightly", text }, { offset, limit });
      return [total, ...runs.map(({ spec }) => spec.task)];
    };
    expect(await found(undefined, 1, 2)).toEqual([4, "parser 2", "100% done"]);
    expect(await found("PARSER", 1, 5)).toEqual([2, "parser 2"]);
    expect(await found("check failed")).toEqual([1, "parser 2"]);
    expect(await found("0% d")).toEqual([1, "100% done"]);
    expect(await found(undefined, 9)).toEqual([4]);
    expect(await store.latestEnds("nightly", 5)).toEqual([expect.any(Number)]);
  });

  it("gives a run to one worker, and ends it once", async () => {
    await using store = await openFleetStore(await locate());
    const [id] = await submit(store, ["one"]);
    await store.heartbeat(workerOf("worker-1"), []);
    await store.heartbeat(workerOf("worker-2"), []);
    expect(await store.ready(10)).toEqual([id]);
    const answers = await Promise.all(["worker-1", "worker-2"].map((worker) => store.claim(id!, worker)));
    const winner = answers.find(({ claimed }) => claimed)!;
    const loser = answers.find(({ claimed }) => !claimed)!;
    if (!winner.claimed) throw new Error("No worker has the run.");
    expect(loser).toEqual({ claimed: false, again: expect.any(Number) });
    expect(winner.run).toMatchObject({ state: "running", worker: winner.claim.worker, deliveries: 1 });
    expect(await store.ready(10)).toEqual([]);

    const { claim } = winner;
    const stranger = { ...claim, worker: "worker-3" };
    expect(await store.end(stranger, "solved", "", resultWith("stolen"))).toBe(false);
    expect(await store.setSession(claim, "session_1")).toBe(true);
    expect(await store.end(claim, "solved", "The check\0 passed.", resultWith("done\0"))).toBe(true);
    // The same call again, because its answer was lost.
    expect(await store.end(claim, "unsolved", "", resultWith("again"))).toBe(true);
    expect(await store.run(id!)).toEqual({
      ...winner.run,
      state: "ended",
      session: "session_1",
      endedAt: expect.any(Number),
      outcome: "solved",
      reason: "The check passed.",
      result: resultWith("done\0"),
    } satisfies Run);
    expect(await store.setSession(claim, "session_2")).toBe(false);
    expect(await store.park(claim, 0, "")).toBe(false);
    expect(await store.claim(id!, "worker-2")).toEqual({ claimed: false, again: undefined });
    expect(await store.claim("run_unknown", "worker-2")).toEqual({ claimed: false, again: undefined });
    expect(await store.counts("nightly")).toEqual({
      states: { waiting: 0, running: 0, parked: 0, ended: 1 },
      outcomes: { solved: 1, unsolved: 0, infrastructure: 0, budget: 0, cancelled: 0 },
      cost: 0,
    });
  });

  it("refuses a worker that never sent a heartbeat", async () => {
    await using store = await openFleetStore(await locate());
    const [id] = await submit(store, ["one"]);
    await expect(store.claim(id!, "worker-9")).rejects.toThrow("Worker worker-9 has not sent a heartbeat.");
  });

  it("gives the run of a dead worker to another one, with its session, and shuts the dead one out", async () => {
    const location = await locate();
    await using store = await openFleetStore(location);
    await using later = await openFleetStore(location, allDead);
    const [id] = await submit(store, ["one"], { budget: 10 });
    const old = await claimed(store, id!, "worker-1");
    await store.setSession(old, "session_1");
    await store.admit({ ...request(old), cost: 2 });
    await store.heartbeat(workerOf("worker-2"), []);
    expect(await store.claim(id!, "worker-2")).toMatchObject({ claimed: false });
    expect(await later.ready(1)).toEqual([id]);

    const { run, claim } = await claimedBy(later, id!, "worker-2");
    expect(run).toMatchObject({ session: "session_1", deliveries: 2, worker: "worker-2" });
    // The provider may have answered the request that was open.
    expect((await store.fleet("nightly"))?.spent).toBe(2);
    expect(await store.end(old, "solved", "", resultWith("late"))).toBe(false);
    expect(await store.release(old)).toBe(false);
    expect(await store.admit(request(old))).toEqual({ admitted: false, why: "cancelled" });
    expect(await store.heartbeat(workerOf("worker-1"), [old])).toEqual([
      { claim: old, isValid: false, isCancelled: false },
    ]);
    expect(await store.heartbeat(workerOf("worker-2"), [claim])).toEqual([
      { claim, isValid: true, isCancelled: false },
    ]);
    expect(await store.end(claim, "solved", "", resultWith("done"))).toBe(true);
  });

  it("gives away the runs of a worker that was removed", async () => {
    await using store = await openFleetStore(await locate());
    const [id] = await submit(store, ["one"]);
    await claimed(store, id!, "worker-1");
    await store.removeWorker("worker-1");
    expect(await store.workers()).toEqual([]);
    expect(await claimed(store, id!, "worker-2")).toMatchObject({ worker: "worker-2", delivery: 2 });
    expect(await store.workers()).toEqual([{ ...workerOf("worker-2"), seenAt: expect.any(Number) }]);
  });

  it("keeps a run on the machine that has its session, until that machine is silent for long", async () => {
    const location = await locate();
    await using store = await openFleetStore(location);
    await using later = await openFleetStore(location, { ...allDead, adoptAfterMs: -1_000_000 });
    const [id] = await submit(store, ["one"]);
    const claim = await claimed(store, id!, "worker-1");
    await store.setSession(claim, "session_1");
    await store.heartbeat(workerOf("worker-2", "machine-2"), []);
    await store.release(claim);
    expect(await store.claim(id!, "worker-2")).toMatchObject({ claimed: false, again: expect.any(Number) });
    // The machine may come back.
    await store.removeWorker("worker-1");
    expect(await store.claim(id!, "worker-2")).toMatchObject({ claimed: false, again: expect.any(Number) });
    const { run } = await claimedBy(later, id!, "worker-2");
    expect(run).toMatchObject({ session: null, machine: "machine-2", deliveries: 1 });
  });

  it("gives a run without a session to any machine", async () => {
    await using store = await openFleetStore(await locate());
    const [id] = await submit(store, ["one"]);
    await store.release(await claimed(store, id!, "worker-1"));
    await store.heartbeat(workerOf("worker-2", "machine-2"), []);
    expect((await claimedBy(store, id!, "worker-2")).run).toMatchObject({
      machine: "machine-2",
      deliveries: 1,
    });
  });

  it("parks a run until its time, and remembers since when, until the provider answers", async () => {
    await using store = await openFleetStore(await locate());
    const [id] = await submit(store, ["one"]);
    const first = await claimed(store, id!, "worker-1");
    const notBefore = Date.now() + 3_600_000;
    expect(await store.park(first, notBefore, "The provider refused requests (429).")).toBe(true);
    expect(await store.park(first, notBefore, "The same call again.")).toBe(true);
    const parked = await store.run(id!);
    expect(parked).toMatchObject({
      state: "parked",
      worker: null,
      notBefore,
      deliveries: 0,
      parkedSince: expect.any(Number),
      reason: "The provider refused requests (429).",
    });
    expect(await store.ready(1)).toEqual([]);
    expect(await store.claim(id!, "worker-1")).toEqual({ claimed: false, again: notBefore });

    await store.cancel({ fleet: "nightly" });
    await store.retry({ fleet: "nightly" });
    const second = await claimed(store, id!, "worker-1");
    await store.park(second, 0, "The provider is down.");
    const since = (await store.run(id!))!.parkedSince;
    const third = await claimed(store, id!, "worker-1");
    expect(third.delivery).toBe(3);
    const failed = await admitted(store, request(third));
    await store.settle(failed, { tokens: 0, cost: 0 });
    expect((await store.run(id!))?.parkedSince).toBe(since);
    const answered = await admitted(store, request(third));
    await store.settle(answered, { tokens: 5, cost: 0 });
    expect((await store.run(id!))?.parkedSince).toBeNull();
  });

  it("offers a run again whose claim never reached its worker", async () => {
    const location = await locate();
    await using store = await openFleetStore(location);
    await using later = await openFleetStore(location, allDead);
    const [lost, kept] = await submit(store, ["one", "two"]);
    await claimed(store, lost!, "worker-1");
    const claim = await claimed(store, kept!, "worker-1");
    await store.heartbeat(workerOf("worker-1"), [claim]);
    expect((await store.run(lost!))?.state).toBe("running");
    await later.heartbeat(workerOf("worker-1"), [claim]);
    expect((await store.run(lost!))?.state).toBe("waiting");
    expect((await store.run(kept!))?.state).toBe("running");
  });

  it("cancels waiting runs at once, and running ones through their worker", async () => {
    await using store = await openFleetStore(await locate());
    const [waiting, running, ended] = await submit(store, ["one", "two", "three"]);
    await store.end(await claimed(store, ended!, "worker-1"), "solved", "", resultWith(""));
    const claim = await claimed(store, running!, "worker-1");
    expect(await store.cancel({ fleet: "nightly" })).toEqual([waiting, running]);
    expect(await store.run(waiting!)).toMatchObject({ state: "ended", outcome: "cancelled", result: null });
    expect(await store.heartbeat(workerOf("worker-1"), [claim])).toEqual([
      { claim, isValid: true, isCancelled: true },
    ]);
    expect(await store.admit(request(claim))).toEqual({ admitted: false, why: "cancelled" });
    expect(await store.end(claim, "cancelled", "", resultWith("half"))).toBe(true);
    expect((await store.counts("nightly")).outcomes).toMatchObject({ solved: 1, cancelled: 2 });
  });

  it("retries ended runs without their session, and counts their spending", async () => {
    await using store = await openFleetStore(await locate());
    const [failed, solved] = await submit(store, ["one", "two"]);
    const claim = await claimed(store, failed!, "worker-1");
    await store.setSession(claim, "session_1");
    await store.settle(await admitted(store, request(claim)), { tokens: 5, cost: 0.25 });
    await store.end(claim, "infrastructure", "The set-up failed.", resultWith(""));
    await store.end(await claimed(store, solved!, "worker-1"), "solved", "", resultWith(""));
    expect(await store.retry({ fleet: "nightly", outcomes: ["infrastructure"] })).toEqual([failed]);
    const before = await store.run(failed!);
    expect(before).toMatchObject({
      state: "waiting",
      session: null,
      machine: null,
      deliveries: 0,
      result: null,
    });
    expect(before).toMatchObject({ outcome: null, reason: null, endedAt: null, startedAt: null });
    expect(await store.end(claim, "solved", "", resultWith("late"))).toBe(false);
    expect((await store.counts("nightly")).cost).toBe(0.25);
  });

  it("admits requests while money is left, and lets others wait for open ones", async () => {
    await using store = await openFleetStore(await locate());
    const [id] = await submit(store, ["one"], { budget: 1 });
    const claim = await claimed(store, id!, "worker-1");
    const estimate = { ...request(claim), cost: 0.6 };
    const first = await admitted(store, estimate);
    const second = await admitted(store, estimate);
    expect(await store.admit(estimate)).toEqual({ admitted: false, why: "wait", waitMs: expect.any(Number) });
    await store.settle(first, { tokens: 10, cost: 0.1 });
    await store.settle(first, { tokens: 10, cost: 0.1 });
    expect((await store.fleet("nightly"))?.spent).toBe(0.1);
    const third = await admitted(store, estimate);
    await store.settle(second, { tokens: 10, cost: 0.6 });
    await store.settle(third, { tokens: 10, cost: 0.6 });
    expect(await store.admit(estimate)).toEqual({ admitted: false, why: "budget" });
    // A larger budget counts for the next request.
    await store.submit("nightly", settingsWith({ budget: 2 }), []);
    await admitted(store, estimate);
  });

  it("limits the requests of a lane that are in flight, in all fleets", async () => {
    const location = await locate();
    await using store = await openFleetStore(location);
    await using later = await openFleetStore(location, allDead);
    const lanes = { anthropic: { concurrency: 2, tokensPerMinute: null } };
    const [id] = await submit(store, ["one"], { lanes });
    await store.submit("weekly", settingsWith(), [specOf("two", { fleet: "weekly" })]);
    const claim = await claimed(store, id!, "worker-1");
    const other = await claimed(store, runId(specOf("two", { fleet: "weekly" })), "worker-1");
    await admitted(store, { ...request(other), fleet: "weekly", cost: 0.5 });
    const open = await admitted(store, request(claim));
    const refusal = { admitted: false, why: "wait", waitMs: expect.any(Number) };
    expect(await store.admit(request(claim))).toEqual(refusal);
    expect(await store.lanes()).toEqual([{ lane: "anthropic", inFlight: 2, pausedUntil: 0 }]);
    await admitted(store, { ...request(claim), lane: "openai" });
    await store.settle(open, { tokens: 1, cost: 0 });
    await admitted(store, request(claim));
    // Requests of dead workers end when others wait for them.
    expect(await later.admit(request(claim))).toEqual(refusal);
    expect((await store.lanes())[0]?.inFlight).toBe(0);
    expect((await store.fleet("weekly"))?.spent).toBe(0.5);
  });

  it("limits the tokens of a lane per minute", async () => {
    await using store = await openFleetStore(await locate());
    const lanes = { anthropic: { concurrency: null, tokensPerMinute: 60_000 } };
    const [id] = await submit(store, ["one"], { lanes });
    const claim = await claimed(store, id!, "worker-1");
    const large = await admitted(store, { ...request(claim), tokens: 1_000_000 });
    const refused = await store.admit({ ...request(claim), tokens: 30_000 });
    // 970,000 tokens have to leak at 1,000 a second.
    expect(refused).toMatchObject({ admitted: false, why: "wait" });
    const { waitMs } = refused as { waitMs: number };
    expect(waitMs).toBeLessThan(971_000);
    expect(waitMs).toBeGreaterThan(900_000);
    await store.settle(large, { tokens: 10, cost: 0 });
    await admitted(store, { ...request(claim), tokens: 30_000 });
  });

  it("admits no request of a paused lane", async () => {
    await using store = await openFleetStore(await locate());
    const [id] = await submit(store, ["one"]);
    const claim = await claimed(store, id!, "worker-1");
    await store.pauseLane("anthropic", 3_600_000);
    const paused = await store.lanes();
    await store.pauseLane("anthropic", 2_600_000);
    const refused = await store.admit(request(claim));
    expect(refused).toMatchObject({ admitted: false, why: "wait" });
    expect((refused as { waitMs: number }).waitMs).toBeGreaterThan(2_600_000);
    expect(await store.lanes()).toEqual(paused);
  });

  it("keeps everything when it is opened again", async () => {
    const location = await locate();
    {
      await using store = await openFleetStore(location);
      await submit(store, ["one"]);
    }
    await using store = await openFleetStore(location);
    expect(await store.counts("nightly")).toMatchObject({ states: { waiting: 1 } });
  });
}

async function submit(
  store: FleetStore,
  tasks: readonly string[],
  settings: Partial<FleetSettings> = {},
): Promise<readonly string[]> {
  const specs = tasks.map((task) => specOf(task));
  return (await store.submit("nightly", settingsWith(settings), specs)).added;
}

/** Registers the worker and claims the run for it. */
async function claimed(store: FleetStore, run: string, worker: string): Promise<Claim> {
  await store.heartbeat(workerOf(worker), []);
  return (await claimedBy(store, run, worker)).claim;
}

async function claimedBy(store: FleetStore, run: string, worker: string) {
  const answer = await store.claim(run, worker);
  if (!answer.claimed) throw new Error(`${run} was not claimed: ${answer.again}`);
  return answer;
}

function request({ run, worker }: Claim) {
  return { run, fleet: "nightly", worker, lane: "anthropic", tokens: 100, cost: 0 };
}

async function admitted(store: FleetStore, estimate: ReturnType<typeof request>): Promise<string> {
  const admission = await store.admit(estimate);
  if (!admission.admitted) throw new Error(`The request was not admitted: ${admission.why}`);
  return admission.request;
}
