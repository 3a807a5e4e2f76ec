import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Journal } from "../journal/journal.ts";
import { workspaceFiles } from "../system/directories.ts";
import { type CallResult, openToolcrib, type Toolcrib } from "./index.ts";
import { type SummaryFilter, WorkspaceJournal } from "./workspace-journal.ts";

let folder: string;
let crib: Toolcrib;
let journal: WorkspaceJournal;
const results: Record<string, CallResult> = {};

beforeAll(async () => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "toolcrib journal "));
  crib = await openToolcrib({
    workspace: folder,
    stateDirectory: join(folder, ".state"),
    configDirectory: join(folder, ".config"),
    rules: ["deny read secret/**"],
    undoScope: "workspace",
    client: { kind: "mcp", name: "claude-code", version: "2.1" },
  });
  results.search = await crib.call("search.grep", { pattern: "two" });
  results.read = await crib.call("file.read", { path: "src-2/none.txt" });
  results.denied = await crib.call("file.read", { path: "secret/key" });
  results.write = await crib.call("file.write", { path: "src/a.txt", content: "one\n" });
  const path = join(folder, "src/a.txt");
  results.edit = await crib.call("edit.replace", { path, find: "one", replace: "Two" });
  journal = new WorkspaceJournal({ state: join(folder, ".state"), workspace: folder });
});
afterAll(async () => {
  journal.close();
  await crib.close();
  rmSync(folder, { recursive: true });
});

/** The names of the calls in a page. */
function names(calls: readonly { readonly callId: string }[]): readonly string[] {
  return calls.map(({ callId }) => Object.keys(results).find((name) => results[name]!.callId === callId)!);
}

function found(filter: SummaryFilter): readonly string[] {
  const { calls } = journal.summaries(filter);
  expect(journal.countMatching(filter)).toBe(calls.length);
  return names(calls);
}

describe("WorkspaceJournal", () => {
  it("prepares only what a filter needs, and continues after an abort", async () => {
    const place = { state: join(folder, ".state"), workspace: join(folder, "old") };
    const prepared = new WorkspaceJournal(place);
    const recorder = new Journal({
      file: workspaceFiles(place.state, place.workspace).journal,
      session: "s",
    });
    const ending = { outcome: "ok", message: undefined, outputHandle: undefined, durationMs: 1 } as const;
    for (let number = 0; number < 3000; number++) {
      const attempt = { callId: `call_${number}`, tool: "file.read", input: {}, startedAt: number };
      recorder.finish(attempt, { ...ending, account: {} });
    }
    recorder.close();
    const left: number[] = [];
    const stop = new AbortController();
    await prepared.prepare(undefined, { tool: "file.read", limit: 20 }, (count) => left.push(count));
    expect(left).toEqual([expect.any(Number)]);
    const aborted = prepared.prepare(stop.signal, { tool: "file.write", limit: 20 }, (count) => {
      left.push(count);
      stop.abort();
    });
    await expect(aborted).rejects.toThrow();
    await prepared.prepare(undefined, { tool: "file.write", limit: 20 }, (count) => left.push(count));
    expect(left).toEqual(left.toSorted((one, other) => other - one));
    expect(new Set(left).size).toBe(3);
    expect(prepared.countMatching({ tool: "file.read" })).toBe(3000);
    prepared.close();
  });

  it("summarizes calls, newest first", async () => {
    const { calls } = journal.summaries({});
    expect(names(calls)).toEqual(["edit", "write", "denied", "read", "search"]);
    const session = journal.sessions()[0]!.session;
    expect(calls[0]).toEqual({
      callId: results.edit!.callId,
      heldBack: 0,
      sequence: expect.any(Number),
      session,
      tool: "edit.replace",
      title: "src/a.txt",
      parent: null,
      client: { kind: "mcp", name: "claude-code", version: "2.1" },
      target: "local",
      startedAt: expect.any(Number),
      durationMs: expect.any(Number),
      outcome: "ok",
      message: null,
      verdict: "allow",
      files: { created: 0, changed: 1, removed: 0 },
      isChanging: true,
      state: "ok",
      undoable: "whole",
    });
    expect(calls[2]).toMatchObject({ state: "denied", verdict: "deny", undoable: null, isChanging: false });
  });

  it("filters calls, and counts them", () => {
    expect({
      tool: found({ tool: "file.read" }),
      failed: found({ failed: true }),
      changing: found({ changing: true }),
      kind: found({ client: "mcp" }).length,
      name: found({ client: "claude-code" }).length,
      other: found({ client: "cursor" }),
      remote: found({ target: "ssh" }),
      verdict: found({ verdict: "deny" }),
      path: found({ path: "src/a.txt" }),
      below: found({ path: "src" }),
      absolute: found({ path: join(folder, "src/") }),
      text: found({ text: "TWO replace" }),
      tool_text: found({ text: "grep" }),
      special: found({ text: "%" }),
      nothing: found({ text: "two absent" }),
      future: found({ since: Date.now() + 1000 }),
    }).toEqual({
      tool: ["denied", "read"],
      failed: ["denied", "read"],
      changing: ["edit", "write"],
      kind: 5,
      name: 5,
      other: [],
      remote: [],
      verdict: ["denied"],
      path: ["edit", "write"],
      below: ["edit", "write"],
      absolute: ["edit", "write"],
      text: ["edit"],
      tool_text: ["search"],
      special: [],
      nothing: [],
      future: [],
    });
  });

  it("returns pages that continue where the page before ended", () => {
    const first = journal.summaries({ limit: 2 });
    const second = journal.summaries({ limit: 2, before: first.next! });
    const third = journal.summaries({ limit: 2, before: second.next! });
    expect([first, second, third].map(({ calls }) => names(calls))).toEqual([
      ["edit", "write"],
      ["denied", "read"],
      ["search"],
    ]);
    expect(third.next).toBeNull();
    expect(journal.summaries({ limit: 5 }).next).toBeNull();
  });

  it("returns the calls that began or ended after a record", async () => {
    const before = journal.lastSequence();
    expect(journal.changedSince(before)).toEqual({ calls: [], upTo: before });
    results.undo = await crib.call("journal.undo", { call: results.edit!.callId });
    const { calls, upTo } = journal.changedSince(before);
    expect(calls.map(({ callId, state }) => [callId, state])).toEqual([[results.undo.callId, "ok"]]);
    expect(upTo).toBe(journal.lastSequence());
    expect(journal.summaries({ changing: true }).calls.map(({ undoable }) => undoable)).toEqual([
      "whole",
      "undone",
      "whole",
    ]);
  });
});
