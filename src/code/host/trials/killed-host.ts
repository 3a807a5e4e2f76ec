/** Kills every host that works for long, in the middle of a question; others wait meanwhile. Prints what became of all. */
import { readdirSync, readFileSync } from "node:fs";
import { openCode } from "../../open-code.ts";

const code = openCode({ workspace: "/", directory: "/nowhere", guard: () => undefined });
const { signal } = new AbortController();
const slow = code.outline({ path: "slow.ts", text: "(".repeat(100_000) }, { signal }).then(
  () => "read",
  ({ code, message, hint }) => ({ code, message, hint }),
);
const waiting = code.outline({ path: "waiting.json", text: '{ "a": 1 }' }, { signal });
const killing = setInterval(() => {
  for (const pid of children()) if (secondsOfWork(pid) > 0.5) process.kill(pid, "SIGKILL");
}, 50);
const first = await slow;
clearInterval(killing);
const again = await code.outline({ path: "again.json", text: "[]" }, { signal });
console.log(JSON.stringify({ first, waiting: (await waiting).language, again: again.language }));
await code.close();

function children(): readonly number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && statOf(pid)[1] === String(process.pid));
}

function secondsOfWork(pid: number): number {
  return Number(statOf(pid)[11] ?? 0) / 100;
}

/** What the kernel tells of a process after its name; nothing of one that is gone. */
function statOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ");
  } catch {
    return [];
  }
}
