import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { sessionOnLoopback } from "../../test/agent/session-on-loopback.ts";
import { checkHistory } from "../../test/support/check-history.ts";
import { FileSessionStore } from "../../test/support/session-records/file-session-store.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { openToolcrib } from "../toolcrib/index.ts";
import { MemorySessionStore, type SessionStore } from "./session-store.ts";

/** The three kinds of stores: the default, the one in memory, and a program's own. */
const kinds: Readonly<
  Record<string, (folder: string) => Promise<{ store: SessionStore; close: () => unknown }>>
> = {
  "the journal": async (folder) => {
    const toolcrib = await openToolcrib({ workspace: folder, stateDirectory: join(folder, ".state") });
    return { store: toolcrib.conversations, close: () => toolcrib.close() };
  },
  memory: async () => ({ store: new MemorySessionStore(), close: () => {} }),
  "a program's own store": async (folder) => ({
    store: new FileSessionStore(join(folder, "sessions")),
    close: () => {},
  }),
};

describe.each(Object.entries(kinds))("%s", (_name, open) => {
  it("returns entries exactly, numbered and in order", async () => {
    await using folder = temporaryFolder();
    const { store, close } = await open(folder.path);
    const odd = { text: "\u0000\ud800\u2028é😀</script>", list: [1, null, { deep: [] }] };
    expect(await store.append("a", [odd, 2])).toBe(2);
    expect(await store.append("b/../b", ["other"])).toBe(1);
    expect(await store.append("a", ["three"])).toBe(3);
    expect(await store.append("c", [])).toBe(0);
    const at = expect.any(Number);
    const all = [odd, 2, "three"].map((entry, index) => ({ number: index + 1, at, entry }));
    expect(await store.entries("a")).toEqual(all);
    expect(await store.entries("a", { from: 2 })).toEqual(all.slice(1));
    expect(await store.entries("a", { to: 1 })).toEqual(all.slice(0, 1));
    expect(await store.entries("a", { from: 2, to: 2 })).toEqual(all.slice(1, 2));
    expect([await store.entries("c"), await store.entries("b/../b")]).toEqual([
      [],
      [{ number: 1, at, entry: "other" }],
    ]);
    await close();
  });

  it("keeps entries as they were when they were added", async () => {
    await using folder = temporaryFolder();
    const { store, close } = await open(folder.path);
    const entry = { list: [1] };
    await store.append("a", [entry]);
    entry.list.push(2);
    const [first] = await store.entries("a");
    (first!.entry as typeof entry).list.push(3);
    expect((await store.entries("a"))[0]?.entry).toEqual({ list: [1] });
    await close();
  });

  it("lists the sessions, the last used first, and removes them", async () => {
    await using folder = temporaryFolder();
    const { store, close } = await open(folder.path);
    expect([await store.list(), await store.remove("a")]).toEqual([[], false]);
    for (const session of ["a", "b", "a"]) {
      await store.append(session, [{ of: session }]);
      // The times of two sessions differ.
      await pause(2);
    }
    expect((await store.list()).map(({ session, entries, first }) => [session, entries, first])).toEqual([
      ["a", 2, { of: "a" }],
      ["b", 1, { of: "b" }],
    ]);
    const [info] = await store.list();
    expect(info!.lastAt).toBeGreaterThan(info!.startedAt);
    expect(info!.bytes).toBe(2 * JSON.stringify({ of: "a" }).length);
    expect([await store.remove("a"), await store.remove("a")]).toEqual([true, false]);
    expect([await store.entries("a"), (await store.list()).length]).toEqual([[], 1]);
    expect(await store.append("a", ["new"])).toBe(1);
    await close();
  });
});

describe.each([
  ["memory", () => new MemorySessionStore()],
  ["a program's own store", (folder: string) => new FileSessionStore(folder)],
] as const)("a session in %s", (_name, make) => {
  it("is resumed and forked from there, also on a machine without its journal", async () => {
    await using folder = temporaryFolder();
    const store: SessionStore = make(join(folder.path, "sessions"));
    const files = { "a.txt": "hello\n" };
    const calls = [{ name: "file_read", input: { path: "a.txt" } }];
    const { session, server, again, close } = await sessionOnLoopback(
      [{ calls }, { text: "It greets." }, { text: "Again." }, { text: "Forked." }],
      { dialect: "toolcrib", store, files },
    );
    await session.run("Read it.").result;
    // The whole turn is stored when its result is there.
    const kinds = (await store.entries(session.id)).map(({ entry }) => Object(entry).kind);
    expect([kinds[0], kinds.at(-1), session.toolcrib.conversations.list()]).toEqual([
      "start",
      "turn-end",
      [],
    ]);
    const { id, messages } = session;
    await session.close();

    const elsewhere = { stateDirectory: join(folder.path, "another machine") };
    const resumed = await again({ ...elsewhere, resume: id });
    expect([resumed.id, resumed.messages, resumed.turns]).toEqual([id, messages, 1]);
    expect((await resumed.run("And?").result).text).toBe("Again.");
    server.forget();
    const fork = await again({ ...elsewhere, fork: { session: id, turn: 1 } });
    expect([fork.id === id, fork.messages]).toEqual([false, messages]);
    expect((await fork.run("Or?").result).text).toBe("Forked.");
    expect((await store.list()).map(({ session: listed }) => listed)).toEqual([fork.id, id]);
    expect(checkHistory(fork.messages)).toEqual([]);
    await expect(again({ resume: "unknown" })).rejects.toMatchObject({ code: "not-found" });
    expect(await close()).toEqual([]);
  });
});

it("a store that fails for a while loses nothing, and is reported once", async () => {
  const store = new MemorySessionStore();
  let isBroken = true;
  const failing: SessionStore = {
    append: async (session, entries) => {
      if (isBroken) throw new Error("no connection to the database");
      return store.append(session, entries);
    },
    entries: (session, range) => store.entries(session, range),
    list: () => store.list(),
    remove: (session) => store.remove(session),
  };
  const { session, events, close } = await sessionOnLoopback([{ text: "One." }, { text: "Two." }], {
    store: failing,
  });
  expect((await session.run("First.").result).outcome).toBe("completed");
  isBroken = false;
  await session.run("Second.").result;
  const texts = store.entries(session.id).map(({ entry }) => JSON.stringify(entry));
  for (const text of ["First.", "One.", "Second.", "Two."]) expect(texts.join("\n")).toContain(text);
  const warnings = events.flatMap((event) => (event.type === "warning" ? [event.message] : []));
  expect(warnings).toEqual(["The session cannot be saved right now: no connection to the database"]);
  expect(await close()).toEqual([]);
});
