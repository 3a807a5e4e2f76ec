import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { ownerHasEnded, thisProcess } from "./process-identity.ts";

const hour = 3_600_000;

it("recognizes this process, however old its record is", () => {
  expect([ownerHasEnded(thisProcess(), 0), ownerHasEnded(thisProcess(), hour)]).toEqual([false, false]);
});

// When a process started, and in which namespace, is read from /proc.
it.runIf(process.platform === "linux")("distinguishes another process with the same number", async () => {
  const [pid, start, boot, namespace] = thisProcess().split("-");
  const child = spawn("/bin/true");
  await once(child, "close");
  expect({
    otherStart: ownerHasEnded([pid, `${start}0`, boot, namespace].join("-"), 0),
    otherBoot: ownerHasEnded([pid, start, "00000000", namespace].join("-"), 0),
    ended: ownerHasEnded([child.pid, start, boot, namespace].join("-"), 0),
    nonsense: ownerHasEnded("nonsense", 0),
  }).toEqual({ otherStart: true, otherBoot: true, ended: true, nonsense: true });
});

it.runIf(process.platform === "linux")(
  "waits for a process in another container, which it cannot see",
  () => {
    const elsewhere = thisProcess().replace(/\d+$/, "1");
    expect([ownerHasEnded(elsewhere, 0), ownerHasEnded(elsewhere, hour)]).toEqual([false, true]);
  },
);
