/** Overwrites an unreadable file, and undoes that; prints the results as JSON. Argument: the world's folder. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openKeepFixture } from "./keep-world.ts";

const [home] = process.argv.slice(2) as [string];
const file = join(home, "workspace/write-only.log");
writeFileSync(file, "old");
chmodSync(file, 0o200);
const crib = await openKeepFixture(home);
const written = await crib.call("file.write", { path: "write-only.log", content: "new content" });
const [record] = crib.log({ limit: 1 });
const undone = await crib.call("journal.undo", { call: written.callId });
process.stdout.write(
  JSON.stringify({ output: written.content, recorded: record?.notCovered, undoFails: undone.isError }),
);
await crib.close();
