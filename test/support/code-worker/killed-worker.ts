/** Kills the workers of a request while others wait. Prints the results of all. */

import { openCode } from "../../../src/code/open-code.ts";
import { childProcesses, wordsOf } from "../workers/child-processes.ts";

const code = openCode({
  workspace: "/",
  directory: "/nowhere",
  reads: () => ({ key: "", guard: () => undefined }),
});
const { signal } = new AbortController();
const slow = code.outline({ path: "slow.ts", text: "(".repeat(100_000) }, { signal }).then(
  () => "read",
  ({ code, message, hint }) => ({ code, message, hint }),
);
const waiting = code.outline({ path: "waiting.json", text: '{ "a": 1 }' }, { signal });
let light: number | undefined;
const killing = setInterval(() => {
  for (const pid of childProcesses()) {
    const isHeavy = wordsOf(pid).includes("--liftoff-only");
    if (!isHeavy) light ??= pid;
    // The next light worker is for the waiting request.
    if (isHeavy || pid === light) process.kill(pid, "SIGKILL");
  }
}, 10);
const first = await slow;
clearInterval(killing);
const again = await code.outline({ path: "again.json", text: "[]" }, { signal });
console.log(JSON.stringify({ first, waiting: (await waiting).language, again: again.language }));
await code.close();
