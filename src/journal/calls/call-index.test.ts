import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bundledProgram } from "../../../test/support/bundled-program.ts";
import { type Ending, Journal } from "../journal.ts";
import { Records } from "../records.ts";
import { verifyJournal } from "../verify-journal.ts";
import { CallIndex } from "./call-index.ts";
import { toQuery } from "./call-query.ts";

let folder: string;
let file: string;
let journal: Journal;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolcrib calls "));
  file = join(folder, "journal.sqlite");
  journal = open();
});
afterEach(() => {
  journal.close();
  rmSync(folder, { recursive: true });
});

function open(): Journal {
  const client = { kind: "mcp", name: "claude-code" } as const;
  return new Journal({ file, session: "session_1", client, workspace: "/w" });
}

function attempt(callId: string, tool = "file.write") {
  return { callId, tool, input: { path: `${callId}.txt` }, startedAt: 1000 };
}

const ending: Ending = {
  outcome: "ok",
  message: undefined,
  outputHandle: undefined,
  durationMs: 2,
  account: { accesses: [{ kind: "write", path: "/w/src/a" }] },
};

/** Records calls that changed nothing. */
function recordCalls(count: number, name = "call"): void {
  for (let number = 0; number < count; number++)
    journal.finish(attempt(`${name}_${number}`, "file.read"), ending);
  journal.flush();
}

/** Records a call that created a file. */
function recordChange(callId: string): void {
  journal.begin(attempt(callId));
  journal.change(callId, [created(`${callId}.txt`)]);
  journal.finish(attempt(callId), ending);
}

function created(path: string) {
  const after = { kind: "file", hash: "a".repeat(64), bytes: 1, mode: 0o644 } as const;
  return { path, before: { kind: "nothing" }, after } as const;
}

function run(sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

/** Expects that lists show exactly the recorded calls. */
function expectCurrent(): void {
  const recorded = journal.summariesOf(journal.calls({}).map(({ callId }) => callId));
  expect(journal.summaries({})).toEqual(recorded);
  expect(journal.countSummaries({})).toBe(recorded.length);
  expect(journal.warnings).toEqual([]);
}

const listed = () => journal.summaries({}).map(({ callId }) => callId);

it("derives rows only when there are too few of them", { tags: "slow" }, () => {
  recordCalls(3000);
  const list = () => {
    expect(journal.summaries({ limit: 20 })).toHaveLength(20);
    const database = new DatabaseSync(file, { readOnly: true });
    const { rows } = database.prepare("SELECT count(*) AS rows FROM summaries").get()!;
    database.close();
    return Number(rows);
  };
  const first = list();
  expect(first).toBeLessThan(3000);
  expect(list()).toBe(first);
  recordChange("call_new");
  expect(journal.summaries({ limit: 1 })).toMatchObject([{ callId: "call_new" }]);
  expect(journal.summaries({})).toHaveLength(3001);
});

it("lists calls when nothing can be written, with and without its tables", () => {
  recordChange("call_1");
  const read = () => {
    const database = new DatabaseSync(file, { readOnly: true });
    const index = new CallIndex(database, new Records(database), (text) => text);
    const found = [index.read({ path: "call_1.txt" }).map(({ callId }) => callId), index.count({})];
    database.close();
    return found;
  };
  expect(read()).toEqual([["call_1"], 1]);
  listed();
  recordChange("call_2");
  expect(read()).toEqual([["call_1"], 2]);
});

describe("the list of calls", () => {
  it("shows a call while it runs, and how it ended", () => {
    const shown = () =>
      journal.summaries({}).map(({ outcome, files, isChanging }) => [outcome, files.created, isChanging]);
    journal.begin(attempt("call_1"));
    const begun = shown();
    journal.change("call_1", [created("b")]);
    const changed = shown();
    journal.finish(attempt("call_1"), ending);
    expect([begun, changed, shown()]).toEqual([[[null, 0, false]], [[null, 1, true]], [["ok", 1, true]]]);
    expect(journal.summaries({ path: "b" }).length + journal.summaries({ path: "src" }).length).toBe(2);
  });

  it("returns the calls with records after a record, in the order of these records", () => {
    journal.begin(attempt("call_1"));
    const before = journal.lastSequence();
    recordChange("call_2");
    journal.finish(attempt("call_1"), ending);
    journal.begin(attempt("call_3"));
    const callsAfter = (filter: object) =>
      journal.summaries({ after: before, ...filter }).map(({ callId }) => callId);
    expect([
      callsAfter({}),
      callsAfter({ ended: true }),
      callsAfter({ after: journal.lastSequence() }),
    ]).toEqual([["call_2", "call_1", "call_3"], ["call_2", "call_1"], []]);
  });

  it("finds words and paths in every block of records, also of calls that ended later", () => {
    const found = (filter: object) => journal.summaries(filter).map(({ callId }) => callId);
    journal.begin(attempt("early"));
    recordCalls(600);
    journal.summaries({ text: "call_300.txt" });
    journal.finish(attempt("early"), { ...ending, outcome: "not-found", message: "Nowhere to be seen" });
    recordCalls(600, "later");
    const recorded = journal.summaries({}).map(({ callId }) => callId);
    const holding = (word: string) => recorded.filter((callId) => `file.read ${callId}.txt`.includes(word));
    for (const word of ["_25", "er_5", "call_300.txt", "y.txt", "*", "[_]", "none"])
      expect([word, found({ text: word })]).toEqual([word, holding(word)]);
    expect(found({ text: "SEEN nowhere" })).toEqual(["early"]);
    expect(found({ text: "_25", limit: 3, before: 300 })).toEqual(["call_259", "call_258", "call_257"]);
    expect(found({ path: "src" })).toEqual(recorded);
    expect(found({ path: "src/a", text: "l_599", tool: "file.read" })).toEqual(["call_599"]);
    expect(found({ path: "sr" })).toEqual([]);
    expect(journal.countSummaries({ text: "later" })).toBe(600);
  });

  it("reads only blocks that contain the words, in the order of the list", () => {
    listed();
    const { source, conditions, order } = toQuery({ text: "one two", path: "a" });
    const query = `EXPLAIN QUERY PLAN SELECT call FROM ${source} WHERE ${conditions} ORDER BY ${order}`;
    const plan = journal.use(({ database }) => database.prepare(query).all("*one*", "*two*", "*a*"));
    expect(plan.map(({ detail }) => detail)).toEqual([
      "SCAN block",
      "SEARCH summaries USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)",
    ]);
  });

  it("contains the calls of journals of version 1", () => {
    journal.close();
    rmSync(file, { force: true });
    run(`
      CREATE TABLE calls (sequence INTEGER PRIMARY KEY, call_id TEXT NOT NULL UNIQUE, session TEXT NOT NULL,
        tool TEXT NOT NULL, input TEXT NOT NULL, started_at INTEGER NOT NULL, duration_ms REAL, outcome TEXT,
        message TEXT, output_handle TEXT) STRICT;
      INSERT INTO calls VALUES (1, 'call_1', 'session_0', 'file.write', '{"path":"a"}', 1000, NULL, NULL, NULL, NULL);
      INSERT INTO calls VALUES (2, 'call_2', 'session_0', 'file.write', '{"path":"a"}', 1000, 0.5, 'denied', 'No.', NULL);`);
    journal = open();
    expect(journal.summaries({ failed: true })).toMatchObject([
      { callId: "call_2", title: "a", outcome: "denied", message: "No.", client: null },
      { callId: "call_1", title: "a", outcome: null },
    ]);
    expectCurrent();
  });

  it.each([
    ["2", "DROP TABLE conversations; PRAGMA user_version = 2"],
    ["3", ""],
  ])(
    "contains the calls of journals of version %s, the newest first",
    { tags: "slow" },
    async (_version, older) => {
      recordCalls(3000);
      recordChange("call_last");
      const { head } = await verifyJournal(file);
      journal.close();
      run(`${older}; DROP TABLE IF EXISTS summaries; DROP TABLE IF EXISTS summaries_filled;`);
      journal = open();
      expect(journal.summaries({ limit: 2 }).map(({ callId }) => callId)).toEqual(["call_last", "call_2999"]);
      // The first page needs no older calls.
      expect(journal.countSummaries({ text: "call_12" })).toBe(111);
      expect(journal.summaries({ session: "session_1", limit: 1, before: 5 })).toMatchObject([
        { callId: "call_2" },
      ]);
      expectCurrent();
      expect(await verifyJournal(file, { head })).toMatchObject({ noted: expect.any(Number) });
    },
  );

  it("is completed after a reader was killed", { tags: "slow" }, async () => {
    recordCalls(3000);
    const lister = startLister();
    await once(lister.stdout!, "data");
    lister.kill("SIGKILL");
    await once(lister, "exit");
    recordCalls(3000, "later");
    expect(journal.summaries({ limit: 1 })).toMatchObject([{ callId: "later_2999" }]);
    expectCurrent();
  });

  it("is current while other processes record and read", { tags: "slow" }, async () => {
    const recorder = await bundledProgram(
      new URL("../../../test/support/journal/recorder.ts", import.meta.url),
    );
    const recorders = ["first", "second"].map((session) =>
      spawn(process.execPath, [recorder, file, session, "200"], { stdio: ["ignore", "pipe", "inherit"] }),
    );
    const lister = startLister();
    lister.stdout!.resume();
    const ended = Promise.all(recorders.map(async (child) => [await text(child.stdout!), child.exitCode]));
    const sizes = [journal.summaries({}).length];
    for (const child of recorders) child.stdout!.once("data", () => sizes.push(journal.summaries({}).length));
    await ended;
    lister.kill("SIGKILL");
    await once(lister, "exit");
    expect(sizes.toSorted((one, other) => one - other)).toEqual(sizes);
    expect(journal.summaries({}).length).toBe(400);
    expectCurrent();
  });

  it("loses the calls whose records are removed", () => {
    recordCalls(10);
    expect(listed().length).toBe(10);
    // An older version removes only records.
    run("DELETE FROM records WHERE sequence < 9");
    recordCalls(1, "later");
    expect(listed()).toEqual(["later_0", "call_9", "call_8", "call_7"]);
    journal.alone(({ database }) => database.exec("DELETE FROM records WHERE sequence < 10"));
    journal.use(({ calls }) => calls()).prune(10);
    expect(listed()).toEqual(["later_0", "call_9", "call_8"]);
  });
});

/** Attacks on the tables of the list. */
const attacks: readonly (readonly [string, string])[] = [
  ["altered rows", "UPDATE summaries SET call = 'call_x', session = 'x', changing = 0, outcome = 'denied'"],
  ["removed rows", "DELETE FROM summaries"],
  ["invented rows", "UPDATE summaries SET sequence = sequence + 1000"],
  ["no table", "DROP TABLE summaries"],
  ["no state", "DROP TABLE summaries_filled"],
  ["a missing column", "ALTER TABLE summaries DROP COLUMN title"],
  ["a view", "DROP TABLE summaries; CREATE VIEW summaries AS SELECT * FROM records"],
  ["a trigger", "CREATE TRIGGER summaries_x BEFORE UPDATE ON summaries BEGIN DELETE FROM records; END"],
  ["a strange name", 'CREATE TABLE "summaries""; DROP TABLE records; --" (a)'],
  ["no blocks", "DELETE FROM summaries_blocks"],
  ["a view of blocks", "DROP TABLE summaries_blocks; CREATE VIEW summaries_blocks AS SELECT * FROM records"],
  ["wrong ranges", "UPDATE summaries_filled SET first = -9, last = 99999999"],
  ["crossed ranges", "UPDATE summaries_filled SET first = 9, last = 2"],
];

describe("a list with", () => {
  it.each(attacks)("%s changes neither undo nor verification", async (_name, attack) => {
    recordChange("call_1");
    recordChange("call_2");
    listed();
    const trusted = async () => ({
      calls: journal.calls({ changing: true, session: "session_1" }),
      changes: journal.changesOf(["call_1"]),
      report: await verifyJournal(file),
    });
    const before = await trusted();
    run(attack);
    expect(await trusted()).toEqual(before);
    journal.summaries({});
    journal.summaries({ text: "call" });
    journal.countSummaries({});
    journal.countCalls(["session_1"]);
    expect(await trusted()).toEqual(before);
    journal.close();
    journal = open();
    recordChange("call_3");
    expect(journal.summaries({ limit: 1 })).toMatchObject([{ callId: "call_3" }]);
    expect(journal.calls({ changing: true }).length).toBe(3);
    expect(journal.warnings).toEqual([]);
    expect((await verifyJournal(file)).fault).toBeUndefined();
    expect(readdirSync(folder).filter((name) => name.includes("damaged"))).toEqual([]);
  });

  it("altered records shows what can be read", () => {
    recordChange("call_1");
    listed();
    const bodies = [
      "[]",
      "5",
      '{"tool":{},"input":[[]],"message":{},"decision":"x"}',
      '[{"path":1}]',
      '[{"path":"a"}]',
    ];
    for (const body of bodies) {
      run(`UPDATE records SET body = '${body}'; DELETE FROM summaries; DELETE FROM summaries_filled`);
      expect(journal.summaries({}).length).toBe(1);
    }
  });
});

function startLister(): ChildProcess {
  const program = fileURLToPath(new URL("../../../test/support/journal/lister.ts", import.meta.url));
  return spawn(process.execPath, [program, file], { stdio: ["ignore", "pipe", "inherit"] });
}
