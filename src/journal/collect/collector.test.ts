import { existsSync, mkdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { ToolError } from "../../contract/error.ts";
import { BlobFolder, claimCollection, postponeCollection } from "../../system/blob-store.ts";
import { Journal } from "../journal.ts";
import { Collector, journalBudget } from "./collector.ts";

it("collects at the end of a session, at most once an hour", async () => {
  await using fixture = temporaryFolder();
  const folder = join(fixture.path, "blobs");
  const blobs = new BlobFolder(folder);
  const runSession = async () => {
    const journal = new Journal({ file: join(fixture.path, "journal.sqlite"), session: "session_1" });
    journal.append("checkpoint", {});
    const collector = new Collector({ journal, folder, budget: { maxBytes: 0, maxDays: 0 } });
    await collector.close();
    journal.close();
  };
  // A busy machine interrupts collections, which then are due again.
  const collect = async () => {
    const hourMs = 60 * 60 * 1000;
    for (;;) {
      await runSession();
      const interrupted = claimCollection(folder, hourMs);
      if (interrupted === undefined) return;
      postponeCollection(folder, interrupted);
    }
  };
  const keepOld = (text: string) => {
    const hash = blobs.keep(Buffer.from(text));
    utimesSync(join(folder, hash.slice(0, 2), hash.slice(2)), 1, 1);
    return hash;
  };
  const first = keepOld("one");
  await collect();
  const second = keepOld("two");
  await runSession();
  expect([first, second].map((hash) => blobs.has(hash))).toEqual([false, true]);
  utimesSync(join(folder, "collected"), 1, 1);
  await collect();
  expect(blobs.has(second)).toBe(false);
});

it("prepares the list of calls at the end of a session", async () => {
  await using fixture = temporaryFolder();
  const file = join(fixture.path, "journal.sqlite");
  const journal = new Journal({ file, session: "session_1" });
  journal.begin({ callId: "call_1", tool: "file.read", input: {}, startedAt: 1 });
  const folder = join(fixture.path, "blobs");
  // The first collection is due, and gets twice the time for each earlier interruption.
  mkdirSync(folder);
  postponeCollection(folder, 5);
  await new Collector({ journal, folder, budget: journalBudget({}, {}) }).close();
  journal.close();
  const database = new DatabaseSync(file, { readOnly: true });
  expect(database.prepare("SELECT call FROM summaries").all()).toEqual([{ call: "call_1" }]);
  database.close();
});

it("leaves the first collection of a new history to the next process", async () => {
  await using fixture = temporaryFolder();
  const journal = new Journal({ file: join(fixture.path, "journal.sqlite"), session: "session_1" });
  journal.begin({ callId: "call_1", tool: "file.read", input: {}, startedAt: 1 });
  const options = { journal, folder: join(fixture.path, "blobs"), budget: journalBudget({}, {}) };
  await new Collector({ ...options, isNew: true }).close();
  expect(existsSync(options.folder)).toBe(false);
  await new Collector(options).close();
  expect(existsSync(options.folder)).toBe(true);
  journal.close();
});

it("is due again after an interruption, and gets more time", async () => {
  await using fixture = temporaryFolder();
  const { path } = fixture;
  const hourMs = 60 * 60 * 1000;
  const claims = [claimCollection(path, hourMs), claimCollection(path, hourMs)];
  postponeCollection(path, 3);
  claims.push(claimCollection(path, hourMs), claimCollection(path, hourMs));
  expect(claims).toEqual([0, undefined, 3, undefined]);
});

it("does not open the journal for a session that wrote nothing", async () => {
  await using fixture = temporaryFolder();
  const journal = new Journal({ file: join(fixture.path, "journal.sqlite"), session: "session_1" });
  await new Collector({
    journal,
    folder: join(fixture.path, "blobs"),
    budget: journalBudget({}, {}),
  }).close();
  journal.close();
  expect(statSync(join(fixture.path, "journal.sqlite"), { throwIfNoEntry: false })).toBeUndefined();
});

it("takes its budget from the options, then the environment variables, then the defaults", () => {
  const variables = { TOOLCRIB_JOURNAL_MAX_BYTES: "5000", TOOLCRIB_JOURNAL_MAX_DAYS: "7" };
  expect([
    journalBudget({}, {}),
    journalBudget({}, variables),
    journalBudget({ maxBytes: 1 }, variables),
    journalBudget({ maxDays: 0 }, { TOOLCRIB_JOURNAL_MAX_BYTES: "" }),
  ]).toEqual([
    { maxBytes: 1024 ** 3, maxDays: 30 },
    { maxBytes: 5000, maxDays: 7 },
    { maxBytes: 1, maxDays: 7 },
    { maxBytes: 1024 ** 3, maxDays: 0 },
  ]);
  expect(() => journalBudget({}, { TOOLCRIB_JOURNAL_MAX_BYTES: "1 GB" })).toThrow(
    new ToolError("invalid-input", 'TOOLCRIB_JOURNAL_MAX_BYTES must be a whole number, not "1 GB"', {
      hint: "Set it to a number, for example: TOOLCRIB_JOURNAL_MAX_BYTES=100",
    }),
  );
});
