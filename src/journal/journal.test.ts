import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ToolError } from "../contract/error.ts";
import { Journal } from "./journal.ts";
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
  files: { created: 0, changed: 0, removed: 0 },
};

describe("journal", () => {
  it("tells what began, what ended and how, newest first", () => {
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

  it("takes the records of several sessions in one file", () => {
    const [first, second] = [openJournal("first"), openJournal("second")];
    for (let index = 0; index < 300; index += 1) {
      first.finish(attempt(`call_a${index}`), ending);
      second.begin(attempt(`call_b${index}`));
    }
    first.close();
    expect(second.latest(1000).length).toBe(600);
    second.close();
  });

  it("keeps what a process recorded that ended without closing", () => {
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

  it("keeps long inputs by their beginning", () => {
    const journal = openJournal();
    journal.begin({ ...attempt("call_1"), input: { path: "a", content: "x".repeat(100_000) } });
    expect(journal.latest(1)[0]?.input).toEqual({
      path: "a",
      content: `${"x".repeat(4000)}… (100000 characters)`,
    });
    journal.close();
  });

  it("keeps what it could not write while somebody else held the database", () => {
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

  it("takes the calls of older journals over, and chains them", async () => {
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

  it("refuses to begin what it cannot record", () => {
    mkdirSync(join(folder, "journal.sqlite"));
    const journal = openJournal();
    const file = join(folder, "journal.sqlite");
    const way = "Free disk space, or set TOOLCRIB_HOME to a folder that can be written.";
    const unusable = (hint: string) =>
      new ToolError(
        "unavailable",
        `The journal ${file} cannot be used: EISDIR: illegal operation on a directory, open '${file}'`,
        { hint },
      );
    expect(() => journal.begin(attempt("call_1"))).toThrow(unusable(`Nothing was changed. ${way}`));
    expect(() => journal.latest(1)).toThrow(unusable(way));
    journal.close();
  });
});
