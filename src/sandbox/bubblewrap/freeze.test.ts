import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { freeze } from "./freeze.ts";

it.skipIf(process.platform !== "linux")(
  "freezes all descendants of a process, and thaws those that were not stopped before",
  async () => {
    const script = "(while :; do /bin/true; done) & sleep 100 & kill -STOP $!; echo $!; wait";
    const child = spawn("/bin/sh", ["-c", script], { stdio: ["ignore", "pipe", "ignore"], detached: true });
    const leader = child.pid!;
    try {
      const stoppedBefore = Number(String((await once(child.stdout, "data"))[0]));
      while (stateOf(stoppedBefore) !== "T") await setTimeout(1);
      const thaw = await freeze(leader);
      const loop = childrenOf(leader).find((pid) => pid !== stoppedBefore)!;
      const states = [...childrenOf(loop), loop, stoppedBefore].map(stateOf);
      // A zombie of a frozen parent does not run either.
      const seen = [...new Set(states)].filter((state) => state !== "Z");
      const spent = cpuOf(loop);
      await setTimeout(30);
      expect({ seen, hasRun: cpuOf(loop) !== spent }).toEqual({ seen: ["T"], hasRun: false });
      thaw!();
      while (stateOf(loop) === "T") await setTimeout(1);
      expect(stateOf(stoppedBefore)).toBe("T");
    } finally {
      process.kill(-leader, "SIGKILL");
    }
  },
);

function fieldsOf(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function stateOf(pid: number): string {
  return fieldsOf(pid)[0]!;
}

/** Includes the children that it has waited for. */
function cpuOf(pid: number): string {
  return fieldsOf(pid).slice(11, 15).join(" ");
}

function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1");
  return text.split(" ").filter(Boolean).map(Number);
}
