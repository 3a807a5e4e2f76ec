import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { EntryState } from "../../contract/history.ts";
import { MemoryEnvironment } from "../../environment/memory/memory-environment.ts";
import { openBlobs } from "../blobs.ts";
import { Journal } from "../journal.ts";
import { Contents } from "./contents.ts";
import { LaterCalls } from "./select-calls.ts";

const nothing: EntryState = { kind: "nothing" };
const link = (target: string): EntryState => ({ kind: "link", target });

it("finds which calls changed each path or its parent directories since, in one journal query", async () => {
  await using folder = temporaryFolder();
  const journal = new Journal({ file: join(folder.path, "journal.sqlite"), session: "session_1" });
  const record = (callId: string, changes: Parameters<Journal["change"]>[1]) => {
    journal.begin({ callId, tool: `tool of ${callId}`, input: {}, startedAt: 0 });
    journal.change(callId, changes);
  };
  const paths = Array.from({ length: 50 }, (_, index) => `d/${index}`);
  record(
    "call_1",
    paths.map((path) => ({ path, before: nothing, after: link("one") })),
  );
  record(
    "call_2",
    paths.map((path) => ({ path, before: link("one"), after: link("two") })),
  );
  record("call_3", [{ path: "d", before: { kind: "directory", mode: 0o755 }, after: nothing }]);
  let looks = 0;
  const changesAfter = (sequence: number) => {
    looks += 1;
    return journal.changesAfter(sequence);
  };
  const environment = new MemoryEnvironment();
  const later = new LaterCalls({
    journal: { changesAfter, find: (callId) => journal.find(callId) },
    environment,
    contents: new Contents({ blobs: openBlobs(folder.path), environment }),
    scope: { session: "session_1", calls: "session" },
    changes: journal.changesOf(["call_1"]),
  });
  const third = { callId: "call_3", tool: "tool of call_3" };
  expect(paths.map((path) => later.lastCallOn(path, nothing))).toEqual(paths.map(() => third));
  expect(paths.map((path) => later.lastCallOn(path, link("two")))).toEqual(paths.map(() => undefined));
  expect(looks).toBe(1);
  journal.close();
});
