/** Continues a session without disk space for the journal. Arguments: folder. Prints the warnings as JSON. */
import { join } from "node:path";
import { openRecorder } from "../../../src/agent/records/recorder.ts";
import { openInstance } from "../../../src/toolcrib/open-toolcrib.ts";
import { reply, start, user } from "./entries.ts";

const [folder] = process.argv.slice(2) as [string];
const crib = await openInstance(
  {
    workspace: join(folder, "workspace"),
    stateDirectory: join(folder, "state"),
    configDirectory: join(folder, "config"),
    session: "session_full",
  },
  { knowsSession: true },
);
const warnings: string[] = [];
const recorder = openRecorder(crib.conversations, crib.session, (message) => warnings.push(message));
recorder.add(start, user(1, "hello"));
recorder.add(reply("x".repeat(2_000_000)));
recorder.add(user(2, "is anybody there?"));
process.stdout.write(JSON.stringify(warnings));
await crib.close();
