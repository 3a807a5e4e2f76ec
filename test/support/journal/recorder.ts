/** Records calls as fast as it can and prints each acknowledged call. Arguments: database, session, count. */
import { writeSync } from "node:fs";
import { Journal } from "../../../src/journal/journal.ts";

const [file, session, count] = process.argv.slice(2) as [string, string, string];
const journal = new Journal({ file, session });
const state = { kind: "file", hash: "ab".repeat(32), bytes: 5, mode: 0o644 } as const;
for (let index = 0; index < Number(count); index += 1) {
  const attempt = {
    callId: `${session}_${index}`,
    tool: "file.write",
    input: { path: "a", content: "x".repeat(index % 3000) },
    startedAt: Date.now(),
  };
  journal.begin(attempt);
  journal.change(attempt.callId, [{ path: "a", before: { kind: "nothing" }, after: state }]);
  journal.finish(attempt, {
    outcome: "ok",
    message: undefined,
    outputHandle: undefined,
    durationMs: 1,
    account: {},
  });
  writeSync(1, `${attempt.callId}\n`);
}
journal.close();
