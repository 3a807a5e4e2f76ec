import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ToolError } from "../contract/error.ts";
import { Journal } from "./journal.ts";
import { verifyJournal } from "./verify-journal.ts";

let original: string;
let folder: string;
let file: string;

beforeAll(() => {
  original = mkdtempSync(join(tmpdir(), "toolcrib journal "));
  const journal = new Journal({ file: join(original, "journal.sqlite"), session: "before" });
  for (let index = 0; index < 300; index += 1) record(journal, `call_${index}`);
  journal.close();
});
afterAll(() => rmSync(original, { recursive: true }));
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolcrib damage "));
  file = join(folder, "journal.sqlite");
  copyFileSync(join(original, "journal.sqlite"), file);
});
afterEach(() => rmSync(folder, { recursive: true }));

const damages: readonly (readonly [string, () => void, string])[] = [
  ["is garbage", () => writeFileSync(file, "no database at all\n".repeat(999)), "file is not a database"],
  ["is cut in half", () => truncateSync(file, 40_960), "database disk image is malformed"],
  ["is cut to its header", () => truncateSync(file, 100), "database disk image is malformed"],
  [
    "has its last pages zeroed",
    () => zero(readFileSync(file).length - 20_480, 20_480),
    "database disk image is malformed",
  ],
  ["has its first page zeroed", () => zero(0, 4096), "file is not a database"],
  [
    "belongs to another program",
    () => become("CREATE TABLE songs (name)"),
    "it has tables of another program: songs",
  ],
  ["lacks a column", () => run("ALTER TABLE records DROP COLUMN at"), "table records has no column named at"],
  ["lacks its table", () => run("DROP TABLE records"), "no such table: records"],
];

describe("a journal whose database", () => {
  it.each(damages)("%s is set aside whole and replaced by a new one", async (_name, damage, reason) => {
    damage();
    const bytes = readFileSync(file);
    const journal = new Journal({ file, session: "after" });
    record(journal, "call_new");
    const aside = readdirSync(folder).find((name) => /^journal\.sqlite\.damaged-[\dTZ-]+$/.test(name))!;
    expect(readFileSync(join(folder, aside)).equals(bytes)).toBe(true);
    expect({
      calls: journal.latest(10).map(({ callId }) => callId),
      setAside: journal.records("set-aside"),
      warnings: journal.warnings,
    }).toEqual({
      calls: ["call_new"],
      setAside: [
        {
          sequence: 1,
          at: expect.any(Number),
          session: "after",
          kind: "set-aside",
          body: { file: join(folder, aside), reason },
        },
      ],
      warnings: [
        `The journal ${file} is damaged (${reason}). It was moved to ${join(folder, aside)} and a new one ` +
          "was started: earlier changes can no longer be undone.",
      ],
    });
    journal.close();
    expect((await verifyJournal(file)).fault).toBeUndefined();
  });

  it("has a zeroed page in the middle is set aside by the process that finds it", () => {
    zero(8 * 4096, 4096);
    const journal = new Journal({ file, session: "after" });
    expect(journal.latest(1000)).toEqual([]);
    expect(journal.warnings.length).toBe(1);
    journal.close();
  });

  it("was set aside by another process is abandoned by all", () => {
    const [first, second] = [openJournal("first"), openJournal("second")];
    record(first, "call_a");
    record(second, "call_b");
    zero(0, 100);
    first.close();
    const finder = openJournal("finder");
    record(finder, "call_c");
    record(second, "call_d");
    expect(finder.latest(10).map(({ callId, session }) => [callId, session])).toEqual([
      ["call_d", "second"],
      ["call_c", "finder"],
    ]);
    expect(readdirSync(folder).filter((name) => name.includes("damaged")).length).toBeGreaterThan(0);
    second.close();
    finder.close();
  });

  it("was written by a newer Toolcrib is left alone", () => {
    run("PRAGMA user_version = 99");
    const journal = openJournal("after");
    expect(() => record(journal, "call_new")).toThrow(
      new ToolError("unavailable", `The journal ${file} was written by a newer version of Toolcrib`, {
        hint: "Tell the user to update Toolcrib.",
      }),
    );
    journal.close();
    expect(readdirSync(folder).filter((name) => !/-(wal|shm)$/.test(name))).toEqual([basename(file)]);
  });
});

function openJournal(session: string): Journal {
  return new Journal({ file, session });
}

function record(journal: Journal, callId: string): void {
  const attempt = { callId, tool: "file.write", input: { path: "a" }, startedAt: 1000 };
  journal.begin(attempt);
  journal.finish(attempt, {
    outcome: "ok",
    message: undefined,
    outputHandle: undefined,
    durationMs: 2,
    account: {},
  });
}

function zero(start: number, count: number): void {
  const bytes = readFileSync(file);
  bytes.fill(0, start, start + count);
  writeFileSync(file, bytes);
}

function run(sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

function become(sql: string): void {
  rmSync(file);
  run(sql);
}
