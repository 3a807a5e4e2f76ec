/**
 * Starts a server that has left its process group and ignores all signals but SIGKILL, reports that it is up, and
 * waits to be killed. Arguments: the folder of workspace, state and config; the sandbox.
 */
import { join } from "node:path";
import { openToolcrib, type SandboxSetting } from "../../../src/toolcrib/index.ts";

const [home, sandbox] = process.argv.slice(2) as [string, SandboxSetting];
const crib = await openToolcrib({
  workspace: join(home, "workspace"),
  stateDirectory: join(home, "state"),
  configDirectory: join(home, "config"),
  mode: "yolo",
  sandbox,
});
const loop = `trap "" TERM HUP INT; while :; do sleep 1; done # ${home}`;
const { isError, content } = await crib.call("process.start", {
  command: `setsid bash -c '${loop}' & echo up; wait`,
  ready: { line: "up" },
});
process.send!(isError ? content : "up");
