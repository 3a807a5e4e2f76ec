/** Kills the host while it reads; another document waits for it meanwhile. Prints what became of all. */

import { DocumentHost } from "../../../src/documents/worker/document-host.ts";
import { childProcesses } from "../workers/child-processes.ts";
import { slowDocument } from "./slow-document.ts";

const host = new DocumentHost();
const wanted = { maxChars: 1000 };
const reading = { signal: new AbortController().signal, progress: () => {} };
const text = (name: string) => ({ name, bytes: Buffer.from(name) });
await host.read(text("before.txt"), wanted, reading);
const slow = host.read({ name: "slow.gz", bytes: slowDocument() }, wanted, reading).then(
  () => "read",
  ({ code, message, hint }) => ({ code, message, hint }),
);
const waiting = host.read(text("waiting.txt"), wanted, reading);
for (const pid of childProcesses()) process.kill(pid, "SIGKILL");
const first = await slow;
const again = await host.read(text("again.txt"), wanted, reading);
console.log(JSON.stringify({ first, waiting: (await waiting).parts, again: again.parts }));
await host.close();
