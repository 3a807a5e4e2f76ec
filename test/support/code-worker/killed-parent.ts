/** Is killed while a worker parses for it. Prints the process id of that worker. */

import { openCode } from "../../../src/code/open-code.ts";
import { childProcesses, secondsOfWork } from "../workers/child-processes.ts";

const code = openCode({
  workspace: "/",
  directory: "/nowhere",
  reads: () => ({ key: "", guard: () => undefined }),
});
const { signal } = new AbortController();
code.outline({ path: "slow.ts", text: "(".repeat(100_000) }, { signal }).catch(() => {});
setInterval(() => {
  const [pid] = childProcesses();
  if (pid === undefined || secondsOfWork(pid) < 0.5) return;
  process.stdout.write(`${pid}\n`, () => process.kill(process.pid, "SIGKILL"));
}, 50);
