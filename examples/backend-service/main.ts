/** Tools in a sandbox of a service such as E2B. The service is a stand-in on this machine: see stand-in.ts. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openToolcrib } from "toolcrib";
import { ServiceBackend } from "./service-backend.ts";
import { startService } from "./stand-in.ts";

const folder = mkdtempSync(join(tmpdir(), "toolcrib example "));
const workspace = join(folder, "project");
mkdirSync(workspace);
writeFileSync(join(workspace, "poem.txt"), "Two roads diverged in a blue wood\n");
await using service = await startService();
const toolcrib = await openToolcrib({
  backend: new ServiceBackend({ ...service, sandbox: "i7x2", workspace }),
  // The service confines the commands, not Toolcrib.
  sandbox: "none",
  mode: "yolo",
  stateDirectory: join(folder, "state"),
  configDirectory: join(folder, "config"),
});
await toolcrib.call("edit.replace", { path: "poem.txt", find: "blue", replace: "yellow" });
console.log((await toolcrib.call("shell.run", { command: "cat poem.txt" })).content);
console.log((await toolcrib.call("search.grep", { pattern: "yellow" })).content);
await toolcrib.call("journal.undo", {});
console.log((await toolcrib.call("file.read", { path: "poem.txt" })).content);
await toolcrib.close();
rmSync(folder, { recursive: true });
