/** Reads a document and ends without stopping the worker. Prints the worker's process id. */

import { openDocuments } from "../../../src/documents/open-documents.ts";
import { childProcesses } from "../workers/child-processes.ts";

const documents = openDocuments("work");
const reading = { signal: new AbortController().signal, progress: () => {} };
await documents.read({ name: "a.txt", bytes: Buffer.from("a") }, { maxChars: 10 }, reading);
console.log(JSON.stringify(childProcesses()));
