import { expect, it } from "vitest";
import { call } from "../../../test/support/session-records/entries.ts";
import type { CallRecord } from "../../toolcrib/index.ts";
import { answerLostCall } from "./restore.ts";

const record: CallRecord = {
  callId: "call_a",
  sequence: 1,
  session: "session_a",
  tool: "file.write",
  input: {},
  parent: null,
  startedAt: 1,
  durationMs: 1,
  outcome: "ok",
  message: null,
  outputHandle: null,
  decision: null,
  accesses: [],
  sandbox: null,
  notCovered: [],
  files: { created: 0, changed: 0, removed: 0 },
};
const files = { created: 1, changed: 2, removed: 0 };

it.each<[string, string | null, CallRecord | undefined, boolean, string]>([
  [
    "never began",
    null,
    undefined,
    true,
    "This call was not made: the session was interrupted before it. Make it if it is still needed.",
  ],
  [
    "began and only reads",
    "call_a",
    undefined,
    true,
    "The session was interrupted during this call, before it changed anything. Make it again if you still need its result.",
  ],
  [
    "was interrupted",
    "call_a",
    { ...record, outcome: null, files },
    true,
    "The session was interrupted during this call. It may have run in part (files: 1 created, 2 changed). Check the current state before you make it again.",
  ],
  [
    "succeeded",
    "call_a",
    { ...record, files, outputHandle: "out_1" },
    false,
    "This call succeeded (files: 1 created, 2 changed), but its result was lost when the session was interrupted. Its whole output is stored as out_1. Do not make it again; check the current state.",
  ],
  [
    "failed",
    "call_a",
    { ...record, outcome: "not-found", message: "There is no a.txt" },
    true,
    "This call failed: There is no a.txt (not-found).",
  ],
])("answers a call that %s", (_name, callId, found, isError, content) => {
  const answer = answerLostCall({ call: call("a"), callId }, found);
  expect(answer).toEqual({ id: "a", name: "file_write", content, isError, images: [] });
});
