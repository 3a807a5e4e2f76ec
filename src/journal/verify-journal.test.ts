import { closeSync, copyFileSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rounds } from "../../test/support/rounds.ts";
import { inTransaction } from "./database.ts";
import { Journal } from "./journal.ts";
import { Records } from "./records.ts";
import { verifyJournal } from "./verify-journal.ts";

const rowCount = 12;
let folder: string;
let whole: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "toolcrib verify "));
  whole = join(folder, "whole.sqlite");
  writeJournal(whole);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("a journal", () => {
  it("verifies when unaltered, and returns its head", async () => {
    const head = hashAt(whole, rowCount);
    expect(await verifyJournal(whole)).toEqual({ records: rowCount, pruned: 0, head });
  });

  it("proves that an earlier noted head is part of it", async () => {
    const head = hashAt(whole, rowCount);
    expect([
      await verifyJournal(whole, { head: hashAt(whole, 5) }),
      await verifyJournal(whole, { head: "0123".repeat(16) }),
    ]).toEqual([
      { records: rowCount, pruned: 0, head, noted: 5 },
      { records: rowCount, pruned: 0, head },
    ]);
  });

  it("is empty before anything is written", async () => {
    const head = "0".repeat(64);
    expect(await verifyJournal(join(folder, "none.sqlite"))).toEqual({ records: 0, pruned: 0, head });
  });

  it("reports the first altered record", async () => {
    const file = tampered("UPDATE records SET body = replace(body, 'a', 'b') WHERE sequence IN (4, 9)");
    const head = hashAt(whole, rowCount);
    const fault = { sequence: 4, reason: "does not match its hash" };
    expect(await verifyJournal(file)).toEqual({ records: rowCount, pruned: 0, head, fault });
  });

  it("verifies names with quotes, backslashes and text with replacement characters", async () => {
    const file = join(folder, "odd.sqlite");
    const journal = new Journal({ file, session: 'a "quoted" \\ session' });
    for (const text of ["\uFFFD", "\ud800", "\u0000", "日本"]) journal.append('odd"kind', { text });
    journal.close();
    expect(await verifyJournal(file)).toEqual({ records: 6, pruned: 0, head: hashAt(file, 6) });
    // SQLite would read this byte as the replacement character that was there.
    const database = new DatabaseSync(file);
    const change = "replace(CAST(body AS BLOB), CAST(char(65533) AS BLOB), x'ff')";
    database.exec(`UPDATE records SET body = CAST(${change} AS TEXT) WHERE sequence = 2`);
    database.close();
    expect((await verifyJournal(file)).fault).toEqual({ sequence: 2, reason: "does not match its hash" });
  });

  it("checks a sample of many records: always the newest and the end", async () => {
    const file = join(folder, "sample.sqlite");
    const journal = new Journal({ file, session: "many" });
    for (let number = 0; number < 998; number += 1) journal.append("trial", { number });
    journal.close();
    const head = hashAt(file, 1000);
    const sampled = await verifyJournal(file, { sampleAbove: 100 });
    expect(sampled).toEqual({ records: 1000, sampled: 60, pruned: 0, head });
    expect(await verifyJournal(file, { sampleAbove: 1000 })).toEqual({ records: 1000, pruned: 0, head });
    const database = new DatabaseSync(file);
    const faultAfter = async (sql: string) => {
      database.exec(sql);
      return (await verifyJournal(file, { sampleAbove: 100 })).fault;
    };
    expect([
      await faultAfter("UPDATE records SET body = replace(body, '9', '8') WHERE sequence = 970"),
      await faultAfter("DELETE FROM records WHERE sequence = 965"),
      await faultAfter(
        "UPDATE records SET hash = 'x' WHERE sequence < 900; DELETE FROM records WHERE sequence > 990",
      ),
    ]).toMatchObject([
      { sequence: 970, reason: "does not match its hash" },
      { sequence: 965, reason: "is missing" },
      { reason: "does not match its hash" },
    ]);
    database.close();
  });

  it("detects a wrong index, with few and with many records", { tags: "slow" }, async () => {
    const many = join(folder, "many.sqlite");
    copyFileSync(whole, many);
    const database = new DatabaseSync(many);
    const records = new Records(database);
    const entry = { at: 1000, kind: "call", session: "session_1", call: "call_9", body: "{}" };
    inTransaction(database, () => records.append(Array.from({ length: 20_000 }, () => entry)));
    database.close();
    const head = hashAt(many, rowCount + 20_000);
    expect(await verifyJournal(many, { head })).toEqual({
      ...{ records: rowCount + 20_000, pruned: 0, head, noted: rowCount + 20_000 },
    });
    const late = tampered("UPDATE records SET body = '{ }' WHERE sequence IN (19000, 19500)", many);
    expect((await verifyJournal(late, { head })).fault).toEqual({
      sequence: 19_000,
      reason: "does not match its hash",
    });
    const gap = tampered("DELETE FROM records WHERE sequence = 19000", many);
    expect((await verifyJournal(gap)).fault).toEqual({ sequence: 19_000, reason: "is missing" });
    for (const file of [tampered(renameInIndex), many]) {
      if (file === many) alter(many, renameInIndex);
      expect((await verifyJournal(file)).fault).toMatchObject({
        reason: expect.stringMatching(/^cannot be trusted: .*records_of_call/),
        isDamage: true,
      });
    }
  });

  it("detects an unreadable page, also of a table that can be made again", async () => {
    const file = join(folder, "page.sqlite");
    copyFileSync(whole, file);
    const journal = new Journal({ file, session: "session_1" });
    journal.summaries({ limit: 1 });
    journal.close();
    const database = new DatabaseSync(file);
    const root = "SELECT rootpage AS page FROM sqlite_schema WHERE name = 'summaries'";
    const page = Number(database.prepare(root).get()!.page);
    database.close();
    const handle = openSync(file, "r+");
    writeSync(handle, Buffer.alloc(4096, 0x5a), 0, 4096, (page - 1) * 4096);
    closeSync(handle);
    expect((await verifyJournal(file)).fault).toMatchObject({ isDamage: true });
  });

  it("still shows all other calls when one record is no longer valid JSON", () => {
    const file = tampered("UPDATE records SET body = 'x' || body WHERE sequence IN (2, 6)");
    const journal = new Journal({ file, session: "after" });
    expect(journal.calls({}).map(({ callId, tool, files }) => [callId, tool, files.created])).toEqual([
      ["call_2", "file.write", 1],
      ["call_1", "file.write", 0],
      ["call_0", "(unreadable)", 1],
    ]);
    journal.close();
  });

  it("does not prove a noted head that comes after an altered record", async () => {
    const file = tampered("UPDATE records SET at = at + 1 WHERE sequence = 4");
    const { noted, fault } = await verifyJournal(file, { head: hashAt(whole, 5) });
    expect([noted, fault?.sequence]).toEqual([undefined, 4]);
  });

  it.each([
    ["in the middle", "sequence = 5", { sequence: 5, reason: "is missing" }],
    ["at the start", "sequence < 3", { sequence: 1, reason: "and 1 after it are missing" }],
    ["at the end", "sequence > 10", { sequence: 11, reason: "was removed, with all later records" }],
  ])("detects records that were removed %s", async (_where, condition, fault) => {
    expect((await verifyJournal(tampered(`DELETE FROM records WHERE ${condition}`))).fault).toEqual(fault);
  });

  it("detects every flipped byte, in every column of every record", { tags: "slow" }, async () => {
    const positions = fc.record({
      sequence: fc.integer({ min: 1, max: rowCount }),
      column: fc.constantFrom("sequence", "at", "kind", "session", "call", "body", "hash"),
      byte: fc.nat(),
      bits: fc.integer({ min: 1, max: 255 }),
    });
    await expectAllFound(positions, (database, position) => flip(database, position));
  });

  it("detects records that are swapped, renumbered, copied or removed", async () => {
    const number = fc.integer({ min: 1, max: rowCount });
    const deeds = fc.oneof(
      fc.record({ deed: fc.constant("swap" as const), one: number, other: number }),
      fc.record({
        deed: fc.constant("renumber" as const),
        one: number,
        other: fc.integer({ min: -3, max: 30 }),
      }),
      fc.record({ deed: fc.constant("copy" as const), one: number, other: fc.integer({ min: -3, max: 30 }) }),
      fc.record({ deed: fc.constant("remove" as const), one: number, other: number }),
    );
    await expectAllFound(deeds, (database, { deed, one, other }) => {
      const isTaken = other >= 1 && other <= rowCount;
      if (deed === "swap" && one !== other) swap(database, one, other);
      else if (deed === "renumber" && !isTaken)
        database.prepare("UPDATE records SET sequence = ? WHERE sequence = ?").run(other, one);
      else if (deed === "copy" && !isTaken)
        database
          .prepare(`INSERT INTO records SELECT ?, ${rest} FROM records WHERE sequence = ?`)
          .run(other, one);
      else if (deed === "remove") database.prepare("DELETE FROM records WHERE sequence = ?").run(one);
      else return false;
      return true;
    });
  });
});

const rest = "at, kind, session, call, body, hash";
let files = 0;

function writeJournal(file: string): void {
  const journal = new Journal({ file, session: "session_1" });
  const state = { kind: "file", hash: "ab".repeat(32), bytes: 5, mode: 0o644 } as const;
  for (let index = 0; index < 3; index += 1) {
    const attempt = {
      callId: `call_${index}`,
      tool: "file.write",
      input: { path: "a � b" },
      startedAt: 1000 + index,
    };
    journal.begin(attempt);
    journal.change(attempt.callId, [{ path: "a", before: { kind: "nothing" }, after: state }]);
    const ending = {
      outcome: "ok",
      message: undefined,
      outputHandle: undefined,
      durationMs: 2,
      account: {},
    } as const;
    journal.finish(attempt, ending);
  }
  journal.append("checkpoint", { name: "here" });
  journal.close();
}

function hashAt(file: string, sequence: number): string {
  const database = new DatabaseSync(file, { readOnly: true });
  const row = database.prepare("SELECT hash FROM records WHERE sequence = ?").get(sequence);
  database.close();
  return String(row?.hash);
}

/** A tampered copy of the whole journal. */
function tampered(deed: string | ((database: DatabaseSync) => void), original = whole): string {
  files += 1;
  const file = join(folder, `${files}.sqlite`);
  copyFileSync(original, file);
  alter(file, deed);
  return file;
}

function alter(file: string, deed: string | ((database: DatabaseSync) => void)): void {
  const database = new DatabaseSync(file);
  // The copy need not survive a crash, and waiting for the disk takes most of the time.
  database.exec("PRAGMA synchronous = OFF");
  if (typeof deed === "string") database.exec(deed);
  else deed(database);
  database.close();
}

/** Makes the index with another name for one call, so that its records are not found. */
function renameInIndex(database: DatabaseSync): void {
  // Older versions of Node have no defensive mode.
  (database as Partial<DatabaseSync>).enableDefensive?.(false);
  const { sql } = database.prepare("SELECT sql FROM sqlite_schema WHERE name = 'records_of_call'").get()!;
  database.exec("DROP INDEX records_of_call");
  database.exec(String(sql).replace("(call,", "(replace(call, 'call_1', 'call_x'),"));
  database.exec("PRAGMA writable_schema = ON");
  database.prepare("UPDATE sqlite_schema SET sql = ? WHERE name = 'records_of_call'").run(sql!);
}

async function expectAllFound<Deed>(
  deeds: fc.Arbitrary<Deed>,
  act: (database: DatabaseSync, deed: Deed) => boolean,
): Promise<void> {
  const found = fc.asyncProperty(deeds, async (deed) => {
    let isDone = false;
    const file = tampered((database) => {
      isDone = act(database, deed);
    });
    const { fault } = await verifyJournal(file);
    rmSync(file);
    return (fault !== undefined) === isDone;
  });
  await fc.assert(found, { numRuns: rounds(10) });
}

function flip(
  database: DatabaseSync,
  position: {
    readonly sequence: number;
    readonly column: string;
    readonly byte: number;
    readonly bits: number;
  },
): boolean {
  const { sequence, column, byte, bits } = position;
  if (column === "sequence" || column === "at") {
    const shift = 2 ** (byte % 40);
    database.exec(
      `UPDATE records SET ${column} = ${column} + ${shift * rowCount} WHERE sequence = ${sequence}`,
    );
    return true;
  }
  const row = database
    .prepare(`SELECT CAST(${column} AS BLOB) AS bytes FROM records WHERE sequence = ?`)
    .get(sequence);
  const bytes = Buffer.from(row!.bytes as Uint8Array);
  if (bytes.length === 0) return false;
  bytes[byte % bytes.length]! ^= bits;
  database.prepare(`UPDATE records SET ${column} = CAST(? AS TEXT) WHERE sequence = ?`).run(bytes, sequence);
  return true;
}

function swap(database: DatabaseSync, one: number, other: number): void {
  const move = database.prepare("UPDATE records SET sequence = ? WHERE sequence = ?");
  move.run(-1, one);
  move.run(one, other);
  move.run(other, -1);
}
