/** Reads something and ends without a word to the host. Prints who that was. */
import { childProcesses } from "../../../hosts/trials/child-processes.ts";
import { openDocuments } from "../../open-documents.ts";

const documents = openDocuments();
const reading = { signal: new AbortController().signal, progress: () => {} };
await documents.read({ name: "a.txt", bytes: Buffer.from("a") }, { maxChars: 10 }, reading);
console.log(JSON.stringify(childProcesses()));
