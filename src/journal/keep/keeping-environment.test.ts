import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { Environment } from "../../contract/environment.ts";
import type { Change, EntryState, UndoLimits } from "../../contract/history.ts";
import { contentOf } from "../../environment/conformance/world.ts";
import { MemoryEnvironment } from "../../environment/memory/memory-environment.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { type Blobs, openBlobs } from "../blobs.ts";
import { Journal } from "../journal.ts";
import { type KeepingEnvironment, keepingEnvironment } from "./keeping-environment.ts";

const text = (content: string) => Buffer.from(content);
const hash = (content: string) => contentHash(text(content));
const nothing: EntryState = { kind: "nothing" };
const folder: EntryState = { kind: "directory", mode: 0o755 };
const file = (content: string, mode = 0o644): EntryState => ({
  kind: "file",
  hash: hash(content),
  bytes: text(content).length,
  mode,
});

interface Fixture extends AsyncDisposable {
  readonly environment: KeepingEnvironment;
  readonly blobs: Blobs;
  changes(): readonly Change[];
}

/** A keeping environment with a real journal and real blobs. */
function keep(inner: Environment, limits: Partial<UndoLimits> = {}): Fixture {
  const state = temporaryFolder();
  const journal = new Journal({ file: join(state.path, "journal.sqlite"), session: "session_1" });
  const blobs = openBlobs(join(state.path, "blobs"));
  journal.begin({ callId: "call_1", tool: "t", input: {}, startedAt: 0 });
  return {
    environment: keepingEnvironment(inner, { callId: "call_1", journal, blobs, limits }),
    blobs,
    changes: () =>
      journal.changesOf(["call_1"]).map(({ callId: _call, sequence: _sequence, ...change }) => change),
    [Symbol.asyncDispose]: async () => {
      journal.close();
      await state[Symbol.asyncDispose]();
    },
  };
}

describe("changes recorded and stored", () => {
  it("for a write: the folders it creates, the replaced content and the new content", async () => {
    await using fixture = keep(new MemoryEnvironment({ files: { "a b.txt": "old" } }));
    await fixture.environment.writeFile("a b.txt", text("new"));
    await fixture.environment.writeFile("x/y/grün\n.txt", text(""), { mode: 0o600 });
    expect(fixture.changes()).toEqual([
      { path: "a b.txt", before: file("old"), after: file("new") },
      { path: "x", before: nothing, after: folder },
      { path: "x/y", before: nothing, after: folder },
      { path: "x/y/grün\n.txt", before: nothing, after: file("", 0o600) },
    ]);
    expect(await fixture.blobs.read(hash("old"))).toEqual(text("old"));
    expect(await fixture.blobs.read(hash("new"))).toEqual(text("new"));
  });

  it("for a write through a symlink: its target file", async () => {
    const inner = new MemoryEnvironment({ files: { target: "old" } });
    inner.link("link", "target");
    inner.link("dangling", "made");
    await using fixture = keep(inner);
    await fixture.environment.writeFile("link", text("new"));
    await fixture.environment.writeFile("dangling", text("made"));
    expect(fixture.changes()).toEqual([
      { path: "target", before: file("old"), after: file("new") },
      { path: "made", before: nothing, after: file("made") },
    ]);
  });

  it("for a change set: every file, deleted symlinks as symlinks, modes, and nothing unchanged", async () => {
    const binary = Buffer.from([0, 255, 1, 254]);
    const inner = new MemoryEnvironment({ files: { a: "1", b: binary, same: "same", gone: "gone" } });
    inner.link("link", "same");
    await using fixture = keep(inner);
    await fixture.environment.change([
      { path: "a", before: hash("1"), after: text("2"), mode: 0o755, hardLinks: "keep" },
      { path: "b", before: contentHash(binary), after: "nothing" },
      { path: "c/d", before: "nothing", after: text("1"), like: "a" },
      { path: "link", before: hash("same"), after: "nothing" },
      { path: "same", before: hash("same"), after: text("same") },
    ]);
    expect(fixture.changes()).toEqual([
      { path: "c", before: nothing, after: folder },
      { path: "a", before: file("1"), after: file("2", 0o755), hardLinks: "keep" },
      {
        path: "b",
        before: { kind: "file", hash: contentHash(binary), bytes: 4, mode: 0o644 },
        after: nothing,
      },
      { path: "c/d", before: nothing, after: file("1") },
      { path: "link", before: { kind: "link", target: "same" }, after: nothing },
    ]);
    expect(await fixture.blobs.read(contentHash(binary))).toEqual(binary);
  });

  it("for a deletion: every entry, each after its parent directory", async () => {
    const inner = new MemoryEnvironment({ files: { "d/a": "1", "d/e/b": "2" } });
    inner.link("d/link", "../nowhere");
    inner.makeSpecial("d/fifo");
    await using fixture = keep(inner);
    await fixture.environment.delete("d", { recursive: true });
    expect(fixture.changes().toSorted((one, other) => (one.path < other.path ? -1 : 1))).toEqual([
      { path: "d", before: folder, after: nothing },
      { path: "d/a", before: file("1"), after: nothing },
      { path: "d/e", before: folder, after: nothing },
      { path: "d/e/b", before: file("2"), after: nothing },
      { path: "d/link", before: { kind: "link", target: "../nowhere" }, after: nothing },
    ]);
    const order = fixture.changes().map(({ path }) => path);
    expect(order.indexOf("d")).toBe(0);
    expect(order.indexOf("d/e")).toBeLessThan(order.indexOf("d/e/b"));
    expect(fixture.environment.notKept).toEqual(["d/fifo (it is a FIFO, device or socket)"]);
    expect(await contentOf(inner)).toEqual({});
  });

  it("for a move: both ends, a directory as one entry, and only replaced content is copied", async () => {
    const inner = new MemoryEnvironment({ files: { a: "1", b: "2", "d/e/f": "3" } });
    inner.link("link", "b");
    await using fixture = keep(inner);
    await fixture.environment.move("a", "n/a");
    await fixture.environment.move("n/a", "b", { replace: true });
    await fixture.environment.move("d", "moved");
    await fixture.environment.move("link", "other");
    const link = { kind: "link", target: "b" };
    expect(fixture.changes()).toEqual([
      { path: "n", before: nothing, after: folder },
      { path: "a", before: file("1"), after: nothing, moved: "n/a" },
      { path: "n/a", before: nothing, after: file("1"), moved: "a" },
      { path: "n/a", before: file("1"), after: nothing, moved: "b" },
      { path: "b", before: file("2"), after: file("1"), moved: "n/a" },
      { path: "d", before: folder, after: nothing, moved: "moved" },
      { path: "moved", before: nothing, after: folder, moved: "d" },
      { path: "link", before: link, after: nothing, moved: "other" },
      { path: "other", before: nothing, after: link, moved: "link" },
    ]);
    expect([hash("1"), hash("2"), hash("3")].map(fixture.blobs.has)).toEqual([false, true, false]);
  });

  it("for creating and removing directories and symlinks", async () => {
    await using fixture = keep(new MemoryEnvironment());
    const link: EntryState = { kind: "link", target: "x" };
    await fixture.environment.changeEntry("d", { before: nothing, after: folder });
    await fixture.environment.changeEntry("d/l", { before: nothing, after: link });
    expect(fixture.changes()).toEqual([
      { path: "d", before: nothing, after: folder },
      { path: "d/l", before: nothing, after: link },
    ]);
  });
});

describe("a failed change", () => {
  it("is not recorded when it was refused", async () => {
    await using fixture = keep(new MemoryEnvironment({ files: { "d/a": "1", b: "2" } }));
    const { environment } = fixture;
    const attempts = [
      environment.writeFile("b", text("x"), { ifExists: "refuse" }),
      environment.writeFile("d", text("x")),
      environment.delete("d"),
      environment.delete("none"),
      environment.move("b", "d/a"),
      environment.move("none", "x/y"),
      environment.change([{ path: "b", before: hash("other"), after: text("x") }]),
      environment.changeEntry("b", { before: nothing, after: folder }),
    ];
    expect((await Promise.allSettled(attempts)).map(({ status }) => status)).toEqual(
      attempts.map(() => "rejected"),
    );
    expect(fixture.changes()).toEqual([]);
  });

  it("changes nothing when the journal cannot be written", async () => {
    const inner = new MemoryEnvironment({ files: { "d/a": "1", b: "2" } });
    const before = await contentOf(inner);
    await using fixture = keep(inner);
    const journal = {
      change: () => {
        throw new Error("the disk is full");
      },
    };
    const environment = keepingEnvironment(inner, { callId: "call_1", journal, blobs: fixture.blobs });
    const attempts = [
      environment.writeFile("b", text("x")),
      environment.writeFile("new/c", text("x")),
      environment.delete("d", { recursive: true }),
      environment.move("b", "c"),
      environment.change([{ path: "b", before: hash("2"), after: "nothing" }]),
      environment.changeEntry("new", { before: nothing, after: folder }),
    ];
    expect((await Promise.allSettled(attempts)).map(({ status }) => status)).toEqual(
      attempts.map(() => "rejected"),
    );
    expect(await contentOf(inner)).toEqual(before);
  });
});

describe("content over the storage limit", () => {
  it("is reported as not stored, and the change still happens", async () => {
    const inner = new MemoryEnvironment({ files: { small: "12", large: "123456789", "d/e": "123456789" } });
    await using fixture = keep(inner, { maxBytes: 8 });
    await fixture.environment.writeFile("large", text(""));
    await fixture.environment.delete("d", { recursive: true });
    await fixture.environment.delete("small");
    const lost = "9 bytes are more than is stored for one call";
    expect(fixture.changes()).toEqual([
      { path: "large", before: file("123456789"), after: file(""), lost },
      { path: "d", before: folder, after: nothing },
      { path: "d/e", before: file("123456789"), after: nothing, lost },
      { path: "small", before: file("12"), after: nothing },
    ]);
    expect(fixture.environment.notKept).toEqual([`large (${lost})`, `d/e (${lost})`]);
    expect(await contentOf(inner)).toEqual({ large: "" });
  });

  it("is a whole directory when it has too many entries", async () => {
    const inner = new MemoryEnvironment({ files: { "d/a": "1", "d/b": "2", "d/c": "3" } });
    await using fixture = keep(inner, { maxEntries: 3 });
    await fixture.environment.delete("d", { recursive: true });
    const lost = "it contained more than 3 files and directories";
    expect(fixture.changes()).toEqual([{ path: "d", before: folder, after: nothing, lost }]);
    expect(fixture.environment.notKept).toEqual([`d (${lost})`]);
    expect(await contentOf(inner)).toEqual({});
  });
});

describe("a concurrent change by another process", () => {
  /** Acts once, right after a file was read for the first time. */
  function disturbed(inner: Environment, act: () => Promise<unknown>): Environment {
    let isDone = false;
    return new Proxy(inner, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        return async (...call: unknown[]) => {
          const result = await value.apply(target, call);
          if (name === "readFile" && !isDone) {
            isDone = true;
            await act();
          }
          return result;
        };
      },
    });
  }

  it("is stored when the write replaces it", async () => {
    const inner = new MemoryEnvironment({ files: { a: "old" } });
    await using fixture = keep(disturbed(inner, () => inner.writeFile("a", text("theirs"))));
    await fixture.environment.writeFile("a", text("ours"));
    expect(fixture.changes()).toEqual([{ path: "a", before: file("theirs"), after: file("ours") }]);
    expect(await fixture.blobs.read(hash("theirs"))).toEqual(text("theirs"));
  });

  it("is stored before the deletion removes it", async () => {
    const inner = new MemoryEnvironment({ files: { "d/a": "1" } });
    await using fixture = keep(
      disturbed(inner, async () => {
        await inner.writeFile("d/a", text("their longer text"));
        await inner.writeFile("d/new", text("2"));
      }),
    );
    await fixture.environment.delete("d", { recursive: true });
    expect(await contentOf(inner)).toEqual({});
    const kept = [hash("their longer text"), hash("2")];
    expect(kept.map(fixture.blobs.has)).toEqual([true, true]);
  });

  it("is stored before a move replaces it", async () => {
    const inner = new MemoryEnvironment({ files: { a: "1", b: "2" } });
    await using fixture = keep(disturbed(inner, () => inner.writeFile("b", text("their longer text"))));
    await fixture.environment.move("a", "b", { replace: true });
    expect(fixture.changes()).toEqual([
      { path: "a", before: file("1"), after: nothing, moved: "b" },
      { path: "b", before: file("their longer text"), after: file("1"), moved: "a" },
    ]);
    expect(fixture.blobs.has(hash("their longer text"))).toBe(true);
  });
});
