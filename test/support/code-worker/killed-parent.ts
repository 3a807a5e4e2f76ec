/** Is killed while a worker parses for it. Prints the process id of that worker. */

import { openCode } from "../../../src/code/open-code.ts";
import { childProcesses, secondsOfWork } from "../workers/child-processes.ts";

const code = openCode({
  workspace: "/",
  directory: "/nowhere",
  reads: () => ({ key: "", guard: () => undefined }),
});
const { signal } = new AbortController();
// Takes seconds, far longer than the work that is waited for.
const parse = code.outline({ path: "slow.ts", text: "(".repeat(3_000_000) }, { signal });
void parse.finally(() => {
  throw new Error("The parse ended before its parent was killed");
});
setInterval(() => {
  const [pid] = childProcesses();
  if (pid === undefined || secondsOfWork(pid) < 0.2) return;
  process.stdout.write(`${pid}\n`, () => process.kill(process.pid, "SIGKILL"));
}, 50);
