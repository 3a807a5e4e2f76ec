/** Kills every host that works for long, in the middle of a question; others wait meanwhile. Prints what became of all. */
import { openCode } from "../../open-code.ts";
import { childProcesses, secondsOfWork } from "./child-processes.ts";

const code = openCode({ workspace: "/", directory: "/nowhere", guard: () => undefined });
const { signal } = new AbortController();
const slow = code.outline({ path: "slow.ts", text: "(".repeat(100_000) }, { signal }).then(
  () => "read",
  ({ code, message, hint }) => ({ code, message, hint }),
);
const waiting = code.outline({ path: "waiting.json", text: '{ "a": 1 }' }, { signal });
const killing = setInterval(() => {
  for (const pid of childProcesses()) if (secondsOfWork(pid) > 0.5) process.kill(pid, "SIGKILL");
}, 50);
const first = await slow;
clearInterval(killing);
const again = await code.outline({ path: "again.json", text: "[]" }, { signal });
console.log(JSON.stringify({ first, waiting: (await waiting).language, again: again.language }));
await code.close();
