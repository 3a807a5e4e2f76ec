import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { forgetConversations } from "./collect/collect.ts";
import { StoredConversations } from "./conversations.ts";
import { Journal } from "./journal.ts";
import { surveyJournal } from "./survey.ts";
import { verifyJournal } from "./verify-journal.ts";

const talker = fileURLToPath(new URL("../../test/support/journal/talker.ts", import.meta.url));
let folder: string;
let file: string;
let journal: Journal;
let conversations: StoredConversations;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolcrib conversations "));
  file = join(folder, "journal.sqlite");
  open();
});
afterEach(() => {
  journal.close();
  rmSync(folder, { recursive: true });
});

function open(): void {
  journal = new Journal({ file, session: "talking" });
  conversations = new StoredConversations(journal);
}

const entriesOf = (session: string) => conversations.entries(session).map(({ entry }) => entry);

describe("a stored conversation", () => {
  it("returns its entries exactly and in order after the process has ended", () => {
    const odd = { text: "\u0000\ud800\u2028é😀</script>", list: [1, null, { deep: [] }] };
    expect(conversations.append("a", [odd, 2])).toBe(2);
    expect(conversations.append("b", ["other"])).toBe(1);
    expect(conversations.append("a", ["three"])).toBe(3);
    journal.close();
    open();
    const at = expect.any(Number);
    expect([conversations.entries("a"), conversations.entries("a", { from: 2, to: 2 })]).toEqual([
      [
        { number: 1, at, entry: odd },
        { number: 2, at, entry: 2 },
        { number: 3, at, entry: "three" },
      ],
      [{ number: 2, at, entry: 2 }],
    ]);
    expect([conversations.entries("c"), conversations.append("c", [])]).toEqual([[], 0]);
  });

  it("is listed newest first, with its size and its first entry", () => {
    conversations.append("a", [{ first: "é" }, 2]);
    conversations.append("b", [1]);
    const database = new DatabaseSync(file);
    database.exec("UPDATE conversations SET at = number * 1000 + (session = 'b')");
    database.exec("UPDATE conversations SET at = 1500 WHERE session = 'b'");
    database.close();
    expect(conversations.list()).toEqual([
      { session: "a", startedAt: 1000, lastAt: 2000, entries: 2, bytes: 15, first: { first: "é" } },
      { session: "b", startedAt: 1500, lastAt: 1500, entries: 1, bytes: 1, first: 1 },
    ]);
  });

  it("takes concurrent entries from several processes, and keeps each batch together", {
    tags: "slow",
  }, async () => {
    const talkers = ["one", "two", "three"].map((name) =>
      spawn(process.execPath, [talker, file, "a", "60", name], {
        stdio: ["ignore", "pipe", "inherit"],
      }),
    );
    const outputs = await Promise.all(
      talkers.map(async (process) => {
        const [printed] = await Promise.all([text(process.stdout), once(process, "close")]);
        return printed;
      }),
    );
    const numbers = outputs.flatMap((output) => output.trim().split("\n").map(Number));
    const entries = conversations.entries("a");
    expect(numbers.sort((one, other) => one - other)).toEqual(
      Array.from({ length: 180 }, (_, index) => 2 * index + 2),
    );
    expect(entries.map(({ number }) => number)).toEqual(Array.from({ length: 360 }, (_, index) => index + 1));
    const pairs = entries.map(({ entry }) => entry as { name: string; index?: number; also?: number });
    for (let index = 0; index < pairs.length; index += 2) {
      expect(pairs[index + 1]).toEqual({ name: pairs[index]!.name, also: pairs[index]!.index });
    }
  });

  it("stores an entry of many megabytes", { tags: "slow" }, () => {
    const huge = { text: "x".repeat(48 * 1024 * 1024) };
    conversations.append("a", [huge]);
    expect(conversations.list()[0]?.bytes).toBe(huge.text.length + 11);
    expect((entriesOf("a")[0] as typeof huge).text.length).toBe(huge.text.length);
  });

  it("is erased from the database file when it is removed", () => {
    const words = "words that nobody may find any more ";
    conversations.append("a", [words.repeat(300)]);
    conversations.append("b", ["stays"]);
    expect([conversations.remove("a"), conversations.remove("a")]).toEqual([true, false]);
    expect([entriesOf("a"), entriesOf("b")]).toEqual([[], ["stays"]]);
    const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name), "latin1"));
    expect(bytes.some((content) => content.includes(words))).toBe(false);
  });

  it("leaves out altered entries and returns the rest", () => {
    conversations.append("a", [1, 2]);
    const database = new DatabaseSync(file);
    database.exec("UPDATE conversations SET entry = '{' WHERE number = 1");
    database.close();
    expect([entriesOf("a"), conversations.list()[0]?.first]).toEqual([[undefined, 2], undefined]);
  });

  it("starts empty when the database was damaged", () => {
    conversations.append("a", [1, 2]);
    journal.close();
    truncateSync(file, 5000);
    open();
    expect([conversations.append("a", [3]), entriesOf("a"), journal.warnings.length]).toEqual([1, [3], 1]);
  });

  it("reports why it cannot be stored", () => {
    journal.close();
    writeFileSync(join(folder, "file"), "");
    journal = new Journal({ file: join(folder, "file", "journal.sqlite"), session: "talking" });
    conversations = new StoredConversations(journal);
    const failure = expect.objectContaining({
      code: "unavailable",
      hint: "Ask the user to run: toolcrib doctor",
    });
    expect(() => conversations.append("a", [1])).toThrow(failure);
    expect(() => conversations.entries("a")).toThrow(failure);
    expect(() => conversations.list()).toThrow(failure);
    expect(() => conversations.remove("a")).toThrow(failure);
  });

  it("is added to a journal of the previous version, whose records stay", async () => {
    journal.begin({ callId: "call_a", tool: "file.write", input: {}, startedAt: 1 });
    journal.close();
    const database = new DatabaseSync(file);
    database.exec("DROP TABLE conversations; PRAGMA user_version = 2");
    database.close();
    open();
    expect([conversations.list(), conversations.append("a", [1])]).toEqual([[], 1]);
    expect(journal.latest(5).map(({ callId }) => callId)).toEqual(["call_a"]);
    expect((await verifyJournal(file)).fault).toBeUndefined();
  });

  it("is counted in the journal's summary", async () => {
    conversations.append("a", ["one"]);
    conversations.append("b", ["two", "three"]);
    const survey = await surveyJournal(journal, { file, folder: join(folder, "blobs") });
    expect(survey.conversations).toEqual({ count: 2, bytes: 17 });
  });

  it("is removed by age unless it is open", () => {
    const other = new Journal({ file, session: "open" });
    new StoredConversations(other).append("open", [1]);
    conversations.append("old", [1]);
    conversations.append("young", [1]);
    const database = new DatabaseSync(file);
    database.exec("UPDATE conversations SET at = 1000 WHERE session <> 'young'");
    database.close();
    expect(forgetConversations(journal, 2000)).toBe(1);
    expect(conversations.list().map(({ session }) => session)).toEqual(["young", "open"]);
    other.close();
    expect(forgetConversations(journal, 2000)).toBe(1);
  });
});

describe("a session", () => {
  const stateOf = (session: string) => journal.sessions().find((found) => found.session === session);
  const openedAt = expect.any(Number);

  it("opens with its first entry and closes with its instance", () => {
    const other = new Journal({ file, session: "a" });
    new StoredConversations(other).append("a", [1]);
    expect(stateOf("a")).toMatchObject({ session: "a", openedAt, state: "open", pid: process.pid });
    other.close();
    expect(stateOf("a")).toMatchObject({ session: "a", openedAt, state: "closed" });
  });

  it("stays one session however often it is opened, and open while one of its processes runs", () => {
    const first = new Journal({ file, session: "a" });
    first.claim();
    first.close();
    const second = new Journal({ file, session: "a" });
    second.claim();
    expect(journal.sessions().map(({ session, state }) => [session, state])).toEqual([["a", "open"]]);
    second.close();
    expect(stateOf("a")?.state).toBe("closed");
  });

  it("is claimed by one process at a time", () => {
    const first = new Journal({ file, session: "a" });
    const second = new Journal({ file, session: "a" });
    first.claim();
    expect(() => second.claim()).toThrow(
      expect.objectContaining({
        code: "unavailable",
        message: `The session a is open in process ${process.pid}`,
        hint: "Close it there first, or continue in a copy: toolcrib sessions fork a",
      }),
    );
    second.close();
    expect(stateOf("a")?.state).toBe("open");
    first.close();
  });

  it("is free again when its process is killed", async () => {
    const words = `
      const { Journal } = await import(${JSON.stringify(new URL("journal.ts", import.meta.url).href)});
      new Journal({ file: ${JSON.stringify(file)}, session: "a" }).claim();
      process.stdout.write("claimed");
      setInterval(() => {}, 1000);
    `;
    const child = spawn(process.execPath, ["--input-type=module", "-e", words], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    const mine = new Journal({ file, session: "a" });
    expect(() => mine.claim()).toThrow(`The session a is open in process ${child.pid}`);
    child.kill("SIGKILL");
    await once(child, "close");
    expect(stateOf("a")?.state).toBe("died");
    mine.claim();
    expect(stateOf("a")).toMatchObject({ session: "a", openedAt, state: "open", pid: process.pid });
    mine.close();
  });
});
