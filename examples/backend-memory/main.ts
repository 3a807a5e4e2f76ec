/** A workspace in memory: no file of this machine is read or written. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openToolcrib } from "toolcrib";
import { MemoryBackend } from "./memory-backend.ts";

const folder = mkdtempSync(join(tmpdir(), "toolcrib example "));
const backend = new MemoryBackend("/project", { "poem.txt": "Two roads diverged in a blue wood\n" });
const toolcrib = await openToolcrib({
  backend,
  stateDirectory: join(folder, "state"),
  configDirectory: join(folder, "config"),
});
await toolcrib.call("edit.replace", { path: "poem.txt", find: "blue", replace: "yellow" });
console.log(
  Buffer.from(await backend.readFile("/project/poem.txt"))
    .toString()
    .trimEnd(),
);
console.log((await toolcrib.call("git.status", {})).content);
await toolcrib.call("journal.undo", {});
console.log(
  Buffer.from(await backend.readFile("/project/poem.txt"))
    .toString()
    .trimEnd(),
);
await toolcrib.close();
rmSync(folder, { recursive: true });
