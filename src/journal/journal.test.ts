import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { asOrdinaryUser } from "../../test/support/as-ordinary-user.ts";
import { ToolError } from "../contract/error.ts";
import { type CallFilter, Journal } from "./journal.ts";
import { verifyJournal } from "./verify-journal.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolcrib journal "));
});
afterEach(() => rmSync(folder, { recursive: true }));

const openJournal = (session = "session_1") =>
  new Journal({ file: join(folder, "journal.sqlite"), session, patienceMs: 100 });
const attempt = (callId: string) => ({ callId, tool: "file.write", input: { path: "a" }, startedAt: 1000 });
const ending = {
  outcome: "ok",
  message: undefined,
  outputHandle: undefined,
  durationMs: 2,
  account: {},
} as const;
const blank = {
  session: "session_1",
  tool: "file.write",
  input: { path: "a" },
  startedAt: 1000,
  durationMs: null,
  outcome: null,
  message: null,
  outputHandle: null,
  decision: null,
  accesses: [],
  sandbox: null,
  notCovered: [],
  parent: null,
  files: { created: 0, changed: 0, removed: 0 },
};

describe("journal", () => {
  it("lists what began, what ended and how, newest first", () => {
    const journal = openJournal();
    journal.begin(attempt("call_1"));
    journal.begin(attempt("call_2"));
    journal.finish(attempt("call_2"), { ...ending, outcome: "not-found", message: "No file." });
    journal.finish(attempt("call_3"), { ...ending, outputHandle: "out_1" });
    expect(journal.latest(10)).toEqual([
      { ...blank, callId: "call_3", sequence: 5, durationMs: 2, outcome: "ok", outputHandle: "out_1" },
      { ...blank, callId: "call_2", sequence: 3, durationMs: 2, outcome: "not-found", message: "No file." },
      { ...blank, callId: "call_1", sequence: 2 },
    ]);
    journal.close();
  });

  it("writes a beginning that may wait with the next record, in order", () => {
    const journal = openJournal();
    const reader = openJournal("session_2");
    journal.begin(attempt("call_1"), { mayWait: true });
    expect(reader.latest(10)).toEqual([]);
    journal.begin({ ...attempt("call_2"), parent: "call_1" });
    expect(reader.latest(10).map(({ callId }) => callId)).toEqual(["call_2", "call_1"]);
    expect(reader.running().map(({ callId }) => callId)).toEqual(["call_1", "call_2"]);
    for (const one of [journal, reader]) one.close();
  });

  it("leaves a short log to the next process when this one exits, and no long one", () => {
    const log = join(folder, "journal.sqlite-wal");
    const first = openJournal("session_1");
    first.finish(attempt("call_1"), ending);
    first.close({ exits: true });
    expect(statSync(log).size).toBeGreaterThan(0);
    const second = openJournal("session_2");
    expect(second.latest(10).map(({ callId }) => callId)).toEqual(["call_1"]);
    second.close();
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    const third = openJournal("session_3");
    for (let call = 0; call < 200; call += 1)
      third.finish({ ...attempt(`call_${call}`), input: { path: "a".repeat(3_000) } }, ending);
    third.close({ exits: true });
    expect(existsSync(log)).toBe(false);
  });

  it("creates its folder again when it was deleted", () => {
    const journal = new Journal({
      file: join(folder, "state/journal.sqlite"),
      session: "s",
      patienceMs: 100,
    });
    journal.begin(attempt("call_1"));
    rmSync(join(folder, "state"), { recursive: true });
    journal.begin(attempt("call_2"));
    expect(journal.latest(10).map(({ callId }) => callId)).toEqual(["call_2"]);
    journal.close();
  });

  it("says that its folder is read-only or missing, not that the disk is full", {
    tags: ["root", "slow"],
  }, async () => {
    const program = new URL("../../test/support/journal/unusable-folder.ts", import.meta.url);
    const state = join(folder, "state");
    expect(await asOrdinaryUser(program, folder)).toEqual({
      readOnly: {
        code: "unavailable",
        hint: "Nothing was changed. Ask the user to run: toolcrib doctor",
        forUser: `Nothing was changed. Make the folder writable, chmod u+rwx '${state}', or set TOOLCRIB_HOME to a writable folder.`,
      },
      writable: "recorded",
      deleted: {
        code: "unavailable",
        hint: "Ask the user to run: toolcrib doctor",
        forUser: "Set TOOLCRIB_HOME to a writable folder.",
      },
      createdAgain: "recorded",
      calls: [["call_4", null]],
    });
  });

  it("records the end of a call as soon as it can, when it could not at once", () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const file = join(folder, "journal.sqlite");
    const journal = new Journal({ file, session: "s", patienceMs: 10 });
    const other = new DatabaseSync(file);
    const reader = openJournal("reader");
    const outcome = () => reader.latest(1)[0]?.outcome;
    try {
      journal.begin(attempt("call_1"));
      outcome();
      other.exec("BEGIN IMMEDIATE");
      journal.finish(attempt("call_1"), ending);
      vi.advanceTimersByTime(60_000);
      const whileLocked = outcome();
      other.exec("ROLLBACK");
      vi.advanceTimersByTime(60_000);
      expect([whileLocked, outcome(), warn.mock.calls.length]).toEqual([null, "ok", 1]);
    } finally {
      other.close();
      reader.close();
      journal.close();
      vi.restoreAllMocks();
      vi.useRealTimers();
    }
  });

  it("stores the records of several sessions in one file", () => {
    const [first, second] = [openJournal("first"), openJournal("second")];
    for (let index = 0; index < 300; index += 1) {
      first.finish(attempt(`call_a${index}`), ending);
      second.begin(attempt(`call_b${index}`));
    }
    first.close();
    expect(second.latest(1000).length).toBe(600);
    second.close();
  });

  it("keeps the records of a process that ended without closing", () => {
    const script = `
      import { Journal } from ${JSON.stringify(join(import.meta.dirname, "journal.ts"))};
      const journal = new Journal({ file: ${JSON.stringify(join(folder, "journal.sqlite"))}, session: "child" });
      journal.finish({ callId: "call_1", tool: "t", input: {}, startedAt: 1 }, ${JSON.stringify(ending)});
      process.exit(0);`;
    execFileSync(process.execPath, ["--input-type=module", "--eval", script]);
    const journal = openJournal();
    expect(journal.latest(10).map((record) => [record.callId, record.outcome])).toEqual([["call_1", "ok"]]);
    journal.close();
  });

  it("stores only the beginning of long inputs", () => {
    const journal = openJournal();
    journal.begin({ ...attempt("call_1"), input: { path: "a", content: "x".repeat(100_000) } });
    expect(journal.latest(1)[0]?.input).toEqual({
      path: "a",
      content: `${"x".repeat(4000)}… (100000 characters)`,
    });
    journal.close();
  });

  it("stores no secret, not even half of one", () => {
    const redact = (text: string) => text.replaceAll("hunter2", "[redacted]");
    const journal = new Journal({ file: join(folder, "journal.sqlite"), session: "session_1", redact });
    const content = `${"x".repeat(3996)}hunter2`;
    journal.begin({ ...attempt("call_1"), input: { content, list: ["hunter2"] } });
    journal.finish(attempt("call_1"), { ...ending, outcome: "denied", message: "not hunter2" });
    const { input, message } = journal.find("call_1")!;
    expect({ input, message }).toEqual({
      input: { content: `${"x".repeat(3996)}[red… (4003 characters)`, list: ["[redacted]"] },
      message: "not [redacted]",
    });
    journal.close();
  });

  it("stores the rest of a call whose input cannot be printed", () => {
    const journal = openJournal();
    const circle: { self?: unknown } = {};
    circle.self = circle;
    journal.finish({ ...attempt("call_1"), input: circle }, ending);
    expect(journal.find("call_1")).toEqual({
      ...blank,
      callId: "call_1",
      sequence: 2,
      durationMs: 2,
      outcome: "ok",
      input: expect.stringMatching(/^\[cannot be printed: Converting circular structure/),
    });
    journal.close();
  });

  it("records what a call changed, why it was allowed and how it was confined", () => {
    const journal = openJournal();
    const file = (hash: string) => ({ kind: "file", hash: hash.repeat(64), bytes: 5, mode: 0o644 }) as const;
    const nothing = { kind: "nothing" } as const;
    const changes = [
      { path: "new", before: nothing, after: { kind: "directory", mode: 0o755 } },
      { path: "new/a", before: nothing, after: file("a") },
      { path: "b", before: file("a"), after: file("b") },
      { path: "c", before: { kind: "link", target: "b" }, after: nothing },
      { path: "b", before: file("b"), after: file("c") },
      { path: "gone again", before: nothing, after: file("d") },
      { path: "gone again", before: file("d"), after: nothing, lost: "It is too large" },
    ] as const;
    const decision = {
      verdict: "ask",
      rule: "ask delete **",
      source: "rules:3",
      reason: "why",
      answer: "once",
    } as const;
    const known = {
      decision,
      accesses: [{ kind: "delete", path: "c" }],
      sandbox: "none",
      notCovered: ["big.bin (2.1 GB)"],
    } as const;
    journal.begin(attempt("call_1"));
    journal.change("call_1", changes.slice(0, 2));
    journal.begin(attempt("call_2"));
    journal.change("call_2", changes.slice(2, 3));
    journal.change("call_1", changes.slice(2));
    journal.change("call_1", []);
    journal.finish(attempt("call_1"), { ...ending, account: known });
    expect(journal.find("call_1")).toEqual({
      ...blank,
      ...known,
      callId: "call_1",
      sequence: 2,
      durationMs: 2,
      outcome: "ok",
      files: { created: 1, changed: 1, removed: 1 },
    });
    const recorded = (callId: string, sequence: number, from: number, to?: number) =>
      changes.slice(from, to).map((change) => ({ ...change, callId, sequence }));
    expect(journal.changesOf(["call_2", "call_1"])).toEqual([
      ...recorded("call_1", 3, 0, 2),
      ...recorded("call_2", 5, 2, 3),
      ...recorded("call_1", 6, 2),
    ]);
    expect(journal.changesAfter(3)).toEqual([...recorded("call_2", 5, 2, 3), ...recorded("call_1", 6, 2)]);
    expect(journal.running()).toEqual([{ callId: "call_2", isAlive: true }]);
    journal.close();
  });

  it("finds calls by session, time and changes", () => {
    const journals = [openJournal("session_1"), openJournal("session_2")];
    const denied = { ...ending, outcome: "denied" } as const;
    for (const [index, journal] of journals.entries()) {
      journal.finish({ ...attempt(`call_${index}a`), tool: "file.read", startedAt: 1000 + index }, denied);
      journal.begin({ ...attempt(`call_${index}b`), startedAt: 2000 + index });
      const after = { kind: "directory", mode: 0o755 } as const;
      const link = { kind: "link", target: "x" } as const;
      journal.change(`call_${index}b`, [
        { path: "a", before: { kind: "nothing" }, after: index === 0 ? after : link },
      ]);
      journal.finish(attempt(`call_${index}b`), ending);
    }
    const found = (filter: CallFilter) => journals[0]!.calls(filter).map(({ callId }) => callId);
    journals[1]!.flush();
    expect({
      all: found({}),
      limit: found({ limit: 1 }),
      session: found({ session: "session_1" }),
      changing: found({ changing: true }),
      since: found({ since: 2001 }),
      after: found({ after: 3, upTo: 7 }),
    }).toEqual({
      all: ["call_1b", "call_1a", "call_0b", "call_0a"],
      limit: ["call_1b"],
      session: ["call_0b", "call_0a"],
      changing: ["call_1b", "call_0b"],
      since: ["call_1b"],
      after: ["call_1a"],
    });
    for (const journal of journals) journal.close();
  });

  it("stores other records, and distinguishes them from sessions", () => {
    const journal = openJournal();
    const sequence = journal.append("checkpoint", { name: "one" });
    journal.append("checkpoint", { name: "two" });
    expect(sequence).toBe(2);
    expect(journal.records("checkpoint").map(({ body, session }) => [body, session])).toEqual([
      [{ name: "one" }, "session_1"],
      [{ name: "two" }, "session_1"],
    ]);
    const sessions = () => journal.sessions().map(({ session, state }) => [session, state]);
    const other = openJournal("session_2");
    other.append("checkpoint", {});
    expect(sessions()).toEqual([
      ["session_1", "open"],
      ["session_2", "open"],
    ]);
    other.close();
    expect(sessions()).toEqual([
      ["session_1", "open"],
      ["session_2", "closed"],
    ]);
    journal.close();
  });

  it("keeps records that it could not write while another process locked the database", () => {
    const journal = openJournal();
    journal.begin(attempt("call_1"));
    const other = new DatabaseSync(join(folder, "journal.sqlite"));
    other.exec("BEGIN IMMEDIATE");
    journal.finish(attempt("call_1"), ending);
    expect(() => journal.flush()).toThrow("database is locked");
    other.exec("COMMIT");
    other.close();
    expect(journal.latest(10).map(({ callId, outcome }) => [callId, outcome])).toEqual([["call_1", "ok"]]);
    journal.close();
  });

  it("imports the calls of older journals into the chain", async () => {
    const file = join(folder, "journal.sqlite");
    const old = new DatabaseSync(file);
    old.exec(`
      CREATE TABLE calls (sequence INTEGER PRIMARY KEY, call_id TEXT NOT NULL UNIQUE, session TEXT NOT NULL,
        tool TEXT NOT NULL, input TEXT NOT NULL, started_at INTEGER NOT NULL, duration_ms REAL, outcome TEXT,
        message TEXT, output_handle TEXT) STRICT;
      INSERT INTO calls VALUES (1, 'call_1', 'session_1', 'file.write', '{"path":"a"}', 1000, NULL, NULL, NULL, NULL);
      INSERT INTO calls VALUES (2, 'call_2', 'session_1', 'file.write', '{"path":"a"}', 1000, 2.5, 'ok', NULL, 'out_1');
      INSERT INTO calls VALUES (3, 'call_3', 'session_1', 'file.write', '{"path":"a"}', 1000, 0.5, 'denied', 'No.', NULL);
    `);
    old.close();
    const journal = openJournal("session_2");
    expect(journal.latest(10)).toEqual([
      { ...blank, callId: "call_3", sequence: 3, durationMs: 0.5, outcome: "denied", message: "No." },
      { ...blank, callId: "call_2", sequence: 2, durationMs: 2.5, outcome: "ok", outputHandle: "out_1" },
      { ...blank, callId: "call_1", sequence: 1 },
    ]);
    journal.close();
    const head = expect.any(String);
    expect(await verifyJournal(file)).toEqual({ records: 3, pruned: 0, head });
  });

  it("refuses to begin a call that it cannot record", () => {
    mkdirSync(join(folder, "journal.sqlite"));
    const journal = openJournal();
    const file = join(folder, "journal.sqlite");
    const fix = "Ask the user to free disk space.";
    const unusable = (hint: string) =>
      new ToolError(
        "unavailable",
        `The journal ${file} cannot be used: EISDIR: illegal operation on a directory, open '${file}'`,
        { hint },
      );
    expect(() => journal.begin(attempt("call_1"))).toThrow(unusable(`Nothing was changed. ${fix}`));
    expect(() => journal.latest(1)).toThrow(unusable(fix));
    journal.close();
  });
});
