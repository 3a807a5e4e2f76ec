/**
 * Stores contents for calls. Checks each at the end of its call, and the recorded ones at the end of the session.
 * Arguments: folder, count. Prints the missing contents.
 */

import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { openBlobs } from "../../../src/journal/blobs.ts";
import { Journal } from "../../../src/journal/journal.ts";

const [folder, count] = process.argv.slice(2) as [string, string];
const journal = new Journal({ file: join(folder, "journal.sqlite"), session: `keeper-${process.pid}` });
const blobs = openBlobs(join(folder, "blobs"));
const gone: string[] = [];
const recorded: string[] = [];
process.stdout.write("ready\n");
for (let index = 0; index < Number(count); index += 1) {
  const attempt = { callId: `${process.pid}-${index}`, tool: "file.write", input: {}, startedAt: Date.now() };
  journal.begin(attempt);
  const contents = [`own ${process.pid} ${index}`, `shared ${index % 3}`].map((text) => Buffer.from(text));
  const hashes: string[] = [];
  for (const content of contents) hashes.push(await blobs.keep(content));
  await setImmediate();
  const state = (hash: string) => ({ kind: "file", hash, bytes: 1, mode: 0o644 }) as const;
  const after = { kind: "nothing" } as const;
  if (index % 2 === 0) {
    journal.change(
      attempt.callId,
      hashes.map((hash) => ({ path: hash, before: state(hash), after })),
    );
    recorded.push(...hashes);
  }
  await setImmediate();
  gone.push(...hashes.filter((hash) => !blobs.has(hash)));
  const rest = { message: undefined, outputHandle: undefined, durationMs: 1, account: {} };
  journal.finish(attempt, { outcome: "ok", ...rest });
}
gone.push(...recorded.filter((hash) => !blobs.has(hash)));
journal.close();
process.stdout.write(JSON.stringify(gone));
