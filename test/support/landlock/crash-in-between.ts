/**
 * Starts the tripwire, changes protected files as a command would, and is killed: `node crash-in-between.ts WORKSPACE
 * DIRECTORY`.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Tripwire } from "../../../src/sandbox/landlock/tripwire/tripwire.ts";

const [workspace = "", directory = ""] = process.argv.slice(2);
await new Tripwire({ workspace, directory }).begin({
  absent: [{ path: join(workspace, ".envrc"), kind: "file" }],
});
writeFileSync(join(workspace, ".envrc"), "evil");
writeFileSync(join(workspace, ".git/hooks/pre-commit"), "evil");
process.kill(process.pid, "SIGKILL");
