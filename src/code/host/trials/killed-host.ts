/** Kills the host in the middle of a question, and then asks again. Prints what became of both. */
import { readFileSync } from "node:fs";
import { openCode } from "../../open-code.ts";

const code = openCode({ workspace: "/", directory: "/nowhere", guard: () => undefined });
const { signal } = new AbortController();
const [how] = process.argv.slice(2);
const slow = "(".repeat(100_000);
const first = code.outline({ path: "slow.ts", text: slow }, { signal }).catch(({ code, message, hint }) => ({
  code,
  message,
  hint,
}));
const waiting = code.outline({ path: "waiting.ts", text: "let a = 1;" }, { signal });
while (children().length === 0 || busyTicks(children()[0]!) < 30)
  await new Promise((wake) => setTimeout(wake, 20));
// A host that fails is followed by one that takes more care with its grammars: both have to go.
for (const pid of children()) process.kill(pid, how as NodeJS.Signals);
const [before] = children();
while (children().length === 0 || children()[0] === before) await new Promise((wake) => setTimeout(wake, 20));
console.log(JSON.stringify({ first: await first, waiting: (await waiting).symbols.length }));
await code.close();

function children(): number[] {
  const listed = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8");
  return listed.trim().split(" ").filter(Boolean).map(Number);
}

/** The hundredths of a second that it has worked for. */
function busyTicks(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ")[11]);
}
