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
    "was never begun",
    null,
    undefined,
    true,
    "This call was not made: the session was cut off before. Nothing was done. Make it if it is still needed.",
  ],
  [
    "had begun, and only reads",
    "call_a",
    undefined,
    true,
    "The session was cut off during this call, which had changed nothing. Make it again if its answer is still needed.",
  ],
  [
    "was interrupted",
    "call_a",
    { ...record, outcome: null, files },
    true,
    "The session was cut off during this call. It may have happened in part, files: 1 created, 2 changed. Look at what is there before you make it again.",
  ],
  [
    "had succeeded",
    "call_a",
    { ...record, files, outputHandle: "out_1" },
    false,
    "This call was made and succeeded, files: 1 created, 2 changed; its answer was lost when the session was cut off. All that it said is kept as out_1. Do not make it again; look at what is there.",
  ],
  [
    "had failed",
    "call_a",
    { ...record, outcome: "not-found", message: "There is no a.txt" },
    true,
    "This call was made and failed: There is no a.txt (not-found).",
  ],
])("tells the model of a call that %s", (_name, callId, found, isError, content) => {
  const answer = answerLostCall({ call: call("a"), callId }, found);
  expect(answer).toEqual({ id: "a", name: "file_write", content, isError, images: [] });
});
