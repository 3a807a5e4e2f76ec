/** Renames with a check, and is killed after the change, when the check begins. */
import { openToolcrib } from "../../../src/toolcrib/index.ts";

const [workspace, stateDirectory, configDirectory] = process.argv.slice(2) as [string, string, string];
const crib = await openToolcrib({ workspace, stateDirectory, configDirectory, mode: "yolo" });
crib.events.on((event) => {
  if (event.type === "tool-progress" && event.message.startsWith("Checking:"))
    process.kill(process.pid, "SIGKILL");
});
await crib.call("code_replace_block", {
  path: "a.sh",
  name: "f",
  new_block: "f() { echo new; }",
  run_check: true,
});
