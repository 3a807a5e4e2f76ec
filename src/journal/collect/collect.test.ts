import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setImmediate, setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { rounds } from "../../../test/support/rounds.ts";
import { PendingCalls } from "../../engine/journal/effects/pending-calls.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { BlobFolder, listBlobs } from "../../system/blob-store.ts";
import { StoredConversations } from "../conversations.ts";
import { Journal } from "../journal.ts";
import { verifyJournal } from "../verify-journal.ts";
import { collect } from "./collect.ts";

const piped = ["ignore", "pipe", "inherit"] as const;
const source = join(import.meta.dirname, "../..");
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const dayMs = 24 * 60 * 60 * 1000;
let folder: string;
let file: string;
let blobs: BlobFolder;
let journal: Journal;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolcrib collect "));
  file = join(folder, "journal.sqlite");
  blobs = new BlobFolder(join(folder, "blobs"));
  journal = new Journal({ file, session: "collecting" });
});
afterEach(() => {
  vi.useRealTimers();
  journal.close();
  rmSync(folder, { recursive: true });
});

describe("a collection", () => {
  it("leaves everything within the budget", async () => {
    change(3, ["a", "b"]);
    expect(await run({ maxBytes: 2000, maxDays: 30 })).toEqual(removed(0, 0));
    expect(left()).toEqual(["a", "b"]);
  });

  it("removes the contents of the oldest calls until the rest fits, and records it", async () => {
    change(3, ["a", "b"]);
    change(2, ["c"]);
    // A later call names it again, so it has that call's age.
    change(1, ["a"]);
    expect(await run({ maxBytes: 2000, maxDays: 30 })).toEqual(removed(1, 0));
    expect(left()).toEqual(["a", "c"]);
    expect(await run({ maxBytes: 1000, maxDays: 30 })).toEqual(removed(1, 0));
    expect(left()).toEqual(["a"]);
    expect(journal.records("collected").map(({ body }) => body)).toEqual([
      { blobs: 1, bytes: 1000 },
      { blobs: 1, bytes: 1000 },
    ]);
    expect(journal.calls({ changing: true }).length).toBe(3);
  });

  it("keeps all contents until the changes of a killed command have been scanned", async () => {
    change(3, ["a"]);
    keep("b", 2);
    const scans = join(folder, "scans");
    const pending = new PendingCalls(scans);
    pending.add({ callId: "call_b", sequence: 1 });
    const options = { budget: { maxBytes: 0, maxDays: 30 }, graceMs: 0, scans };
    expect(await collect(journal, join(folder, "blobs"), options)).toEqual({
      ...removed(0, 0),
      waitsFor: ["call_b"],
    });
    expect(left()).toEqual(["a", "b"]);
    pending.done("call_b");
    expect(await collect(journal, join(folder, "blobs"), options)).toEqual(removed(2, 0));
  });

  it("ages unreferenced contents by when they were last stored", async () => {
    change(3, ["a"]);
    keep("z", 2);
    expect(await run({ maxBytes: 1000, maxDays: 30 })).toEqual(removed(1, 0));
    expect(left()).toEqual(["z"]);
  });

  it("removes contents and records that are too old, and leaves a chain that shows it", async () => {
    change(40, ["a"]);
    change(35, ["b"]);
    change(5, ["c"]);
    const before = await verifyJournal(file);
    expect(await run({ maxBytes: 1e9, maxDays: 30 })).toEqual({ ...removed(2, 0), records: 10 });
    expect(left()).toEqual(["c"]);
    const after = await verifyJournal(file, { head: before.head });
    // The five of the last session, the collection, and the pruning.
    expect({ ...after, head: "" }).toEqual({ records: 8, pruned: 10, head: "", noted: before.records });
    expect(journal.calls({}).map(({ callId }) => callId)).toEqual(["call_5"]);
  });

  it("removes nothing by age when the clock has jumped ahead, until records of a day support it", async () => {
    change(20, ["a"]);
    change(3, ["b"]);
    const budget = { maxBytes: 1e9, maxDays: 30 };
    vi.useFakeTimers({ now: Date.now() + 365 * dayMs, toFake: ["Date"] });
    note(0, "note", {});
    expect([await run(budget), left()]).toEqual([removed(0, 0), ["a", "b"]]);
    vi.setSystemTime(Date.now() + dayMs / 2);
    note(0, "note", {});
    expect([await run(budget), left()]).toEqual([removed(0, 0), ["a", "b"]]);
    vi.setSystemTime(Date.now() + dayMs);
    expect([(await run(budget)).blobs, left()]).toEqual([2, []]);
  });

  it("prunes a journal that was pruned before", async () => {
    for (const days of [50, 40, 20, 1]) change(days, [`${days}`]);
    await run({ maxBytes: 1e9, maxDays: 45 });
    await run({ maxBytes: 1e9, maxDays: 30 });
    const { pruned, fault } = await verifyJournal(file);
    expect({ pruned, fault }).toEqual({ pruned: 10, fault: undefined });
    expect(left()).toEqual(["20"]);
  });

  it("keeps contents that an open session needs", async () => {
    change(40, ["a"]);
    const open = openThen("open", 39);
    changeIn(open, 39, ["b"]);
    change(38, ["c"]);
    change(1, []);
    expect(await run({ maxBytes: 0, maxDays: 30 })).toEqual({ ...removed(2, 0), records: 5 });
    expect([left(), open.calls({ session: "open" }).length]).toEqual([["b"], 1]);
    open.close();
  });

  it("keeps contents needed to restore a checkpoint, unless it is too old", async () => {
    change(20, ["a"]);
    note(15, "checkpoint", { name: "here" });
    change(10, ["b"]);
    change(1, []);
    expect(await run({ maxBytes: 0, maxDays: 30 })).toEqual(removed(1, 0));
    expect(left()).toEqual(["b"]);
    expect((await run({ maxBytes: 0, maxDays: 12 })).blobs).toBe(1);
  });

  it("keeps contents that an open transaction needs, however old it is", async () => {
    note(50, "transaction", { id: "transaction_1", state: "open" });
    change(45, ["a"]);
    change(1, []);
    expect(await run({ maxBytes: 0, maxDays: 30 })).toEqual({ ...removed(0, 0), records: 1 });
    journal.append("transaction", { id: "transaction_1", state: "committed" });
    expect((await run({ maxBytes: 0, maxDays: 30 })).blobs).toBe(1);
  });

  it("removes nothing while a running call may need it", async () => {
    change(3, ["a"]);
    journal.begin({ callId: "call_now", tool: "file.write", input: {}, startedAt: Date.now() });
    expect(await run({ maxBytes: 0, maxDays: 30 })).toEqual({ ...removed(0, 0), waitsFor: ["call_now"] });
    expect(left()).toEqual(["a"]);
  });

  it("does not wait for a call whose process was killed", async () => {
    change(3, ["a"]);
    const script = `
      import { Journal } from ${JSON.stringify(join(import.meta.dirname, "../journal.ts"))};
      const journal = new Journal({ file: ${JSON.stringify(file)}, session: "killed" });
      journal.begin({ callId: "call_killed", tool: "t", input: {}, startedAt: 1 });
      process.kill(process.pid, "SIGKILL");`;
    expect(() => execFileSync(process.execPath, ["--input-type=module", "--eval", script])).toThrow();
    expect(journal.running()).toEqual([{ callId: "call_killed", isAlive: false }]);
    expect(await run({ maxBytes: 0, maxDays: 30 })).toEqual(removed(1, 0));
  });

  it("never removes contents that calls of other processes have stored", { tags: "slow" }, async () => {
    const script = fileURLToPath(new URL("../../../test/support/journal/keeper.ts", import.meta.url));
    const keepers = [1, 2].map(() =>
      spawn(process.execPath, [script, folder, String(rounds(100))], { stdio: [...piped] }),
    );
    const answers = Promise.all(keepers.map((keeper) => text(keeper.stdout!)));
    const isOver = answers.then(() => true);
    do await collect(journal, join(folder, "blobs"), { budget: { maxBytes: 0, maxDays: 30 }, graceMs: 0 });
    while (!(await Promise.race([isOver, setImmediate(false)])));
    expect(await answers).toEqual(["ready\n[]", "ready\n[]"]);
    expect((await verifyJournal(file)).fault).toBeUndefined();
  });

  it("is completed by the next collection when it is killed", { tags: "slow" }, async () => {
    for (let days = 60; days > 55; days -= 1)
      change(
        days,
        numbers(400).map((number) => `${days} ${number}`),
      );
    change(1, []);
    journal.close();
    const script = `
      import { collect } from ${JSON.stringify(join(source, "journal/collect/collect.ts"))};
      import { Journal } from ${JSON.stringify(join(source, "journal/journal.ts"))};
      const journal = new Journal({ file: ${JSON.stringify(file)}, session: "killed" });
      process.stdout.write("ready");
      await collect(journal, ${JSON.stringify(join(folder, "blobs"))}, { budget: { maxBytes: 0, maxDays: 30 } });`;
    for (const delayMs of [0, 10, 20, 30, 40]) {
      const words = ["--input-type=module", "--eval", script];
      const collector = spawn(process.execPath, words, { stdio: [...piped] });
      const exit = once(collector, "exit");
      await once(collector.stdout!, "data");
      await setTimeout(delayMs);
      collector.kill("SIGKILL");
      await exit;
      expect((await verifyJournal(file)).fault).toBeUndefined();
    }
    journal = new Journal({ file, session: "collecting" });
    await run({ maxBytes: 0, maxDays: 30 });
    const calls = journal.calls({}).map(({ callId }) => callId);
    expect([[...listBlobs(join(folder, "blobs"))], calls]).toEqual([[], ["call_1"]]);
    expect((await verifyJournal(file)).fault).toBeUndefined();
  });

  it("prunes in steps, continues after an interruption, and shrinks the database", {
    tags: "slow",
  }, async () => {
    fill(45, 3_000, 3_000);
    fill(1, 3_000, 10);
    const before = statSync(file).size;
    const stop = new AbortController();
    const budget = { maxBytes: 1e9, maxDays: 30 };
    const interrupted = collect(journal, join(folder, "blobs"), { budget, signal: stop.signal });
    stop.abort();
    await expect(interrupted).rejects.toMatchObject({ code: "cancelled" });
    const done = journal.records("pruned").length;
    expect([done, (await verifyJournal(file)).fault]).toEqual([1, undefined]);
    const { records } = await run(budget);
    expect(records + 1_000).toBe(3_001);
    expect((await verifyJournal(file)).fault).toBeUndefined();
    journal.alone(() => {});
    journal.use(({ database }) => database.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
    expect(statSync(file).size).toBeLessThan(before / 2);
  });

  it("counts the database after its first 16 MiB, and prunes its oldest records over half of the budget", {
    tags: "slow",
  }, async () => {
    fill(3, 3_000, 3_000);
    fill(1, 4_000, 3_000);
    const budget = { maxBytes: 4e6, maxDays: 30 };
    const { records } = await run(budget);
    expect([records % 1_000, records > 0, records <= 3_000]).toEqual([0, true, true]);
    expect((await run(budget)).records).toBe(0);
    expect((await verifyJournal(file)).fault).toBeUndefined();
  });

  it("removes neither records nor contents to make room for conversations", { tags: "slow" }, async () => {
    fill(1, 1_500, 10);
    change(3, ["a"]);
    const texts = numbers(30).map(() => "x".repeat(1e6));
    new StoredConversations(journal).append("session_1", texts);
    expect(await run({ maxBytes: 4e6, maxDays: 30 })).toEqual(removed(0, 0));
    expect(left()).toEqual(["a"]);
  });

  it("keeps new contents, and removes temporary files only once they are old", async () => {
    blobs.keep(Buffer.from("new"));
    writeFileSync(join(folder, "blobs", "new-1"), "half");
    writeFileSync(join(folder, "blobs", "new-2"), "half");
    utimesSync(join(folder, "blobs", "new-2"), 1, 1);
    expect(await run({ maxBytes: 0, maxDays: 0 })).toEqual(removed(0, 0));
    expect(readdirSync(join(folder, "blobs")).filter((name) => name.startsWith("new"))).toEqual(["new-1"]);
  });
});

type Budget = Parameters<typeof collect>[2]["budget"];

const run = (budget: Budget) => collect(journal, join(folder, "blobs"), { budget });

const removed = (count: number, records: number) => ({
  blobs: count,
  bytes: count * 1000,
  records,
  conversations: 0,
  waitsFor: [],
});

/** A session this many days ago. */
function openThen(session: string, days: number): Journal {
  return new Journal({ file, session, now: () => Date.now() - days * dayMs });
}

/** A call that changed files this many days ago, by a session that was closed then. */
function change(days: number, names: readonly string[]): void {
  const then = openThen(`session_${days}`, days);
  changeIn(then, days, names);
  then.close();
}

function changeIn(then: Journal, days: number, names: readonly string[]): void {
  const startedAt = Date.now() - days * dayMs;
  const attempt = { callId: `call_${days}`, tool: "file.write", input: {}, startedAt };
  then.begin(attempt);
  const changes = names.map((name) => {
    const before = { kind: "file", hash: keep(name, days), bytes: 1000, mode: 0o644 } as const;
    return { path: name, before, after: { kind: "nothing" } } as const;
  });
  then.change(attempt.callId, changes);
  const rest = { message: undefined, outputHandle: undefined, durationMs: 1, account: {} };
  then.finish(attempt, { outcome: "ok", ...rest });
}

/** So many records of so many bytes, this many days ago, by a session that was closed then. */
function fill(days: number, count: number, bytes: number): void {
  const then = openThen(`session_${days}`, days);
  then.append("trial", {});
  const entry = { at: Date.now() - days * dayMs, kind: "trial", session: `session_${days}`, call: "" };
  const body = JSON.stringify("x".repeat(bytes));
  then.alone(({ records }) => records.append(numbers(count - 2).map(() => ({ ...entry, body }))));
  then.close();
}

function note(days: number, kind: string, body: unknown): void {
  const then = openThen(`session_${days}`, days);
  then.append(kind, body);
  then.close();
}

const contentOf = (name: string) => Buffer.from(name.padEnd(1000));

/** A thousand bytes under a name, last used this many days ago. */
function keep(name: string, days: number): string {
  const hash = blobs.keep(contentOf(name));
  const seconds = (Date.now() - days * dayMs) / 1000;
  utimesSync(join(folder, "blobs", hash.slice(0, 2), hash.slice(2)), seconds, seconds);
  return hash;
}

/** The names of the remaining contents. */
function left(): readonly string[] {
  return "a b c z 20 40 50"
    .split(" ")
    .filter((name) => blobs.has(contentHash(contentOf(name))))
    .sort();
}
