/** Kills the worker while it reads and another document waits for it. Prints the results of both. */

import { DocumentWorker } from "../../../src/documents/worker/document-worker.ts";
import { childProcesses } from "../workers/child-processes.ts";
import { slowDocument } from "./slow-document.ts";

const worker = new DocumentWorker();
const wanted = { maxChars: 1000 };
const reading = { signal: new AbortController().signal, progress: () => {} };
const text = (name: string) => ({ name, bytes: Buffer.from(name) });
await worker.read(text("before.txt"), wanted, reading);
const slow = worker.read({ name: "slow.gz", bytes: slowDocument() }, wanted, reading).then(
  () => "read",
  ({ code, message, hint }) => ({ code, message, hint }),
);
const waiting = worker.read(text("waiting.txt"), wanted, reading);
for (const pid of childProcesses()) process.kill(pid, "SIGKILL");
const first = await slow;
const again = await worker.read(text("again.txt"), wanted, reading);
console.log(JSON.stringify({ first, waiting: (await waiting).parts, again: again.parts }));
await worker.close();
