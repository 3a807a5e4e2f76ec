import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { findParent, openTaskGroup } from "./kernel-limits.ts";

const mount = (root: string, point: string, end: string) =>
  `36 35 0:30 ${root} ${point} rw,relatime shared:9 - ${end}`;
const first = mount("/", "/sys/fs/cgroup/pids", "cgroup cgroup rw,pids");
const second = mount("/", "/sys/fs/cgroup", "cgroup2 cgroup2 rw,nsdelegate");

it("creates groups inside its own group with cgroups version 1", () => {
  const memory = mount("/", "/sys/fs/cgroup/memory", "cgroup cgroup rw,memory");
  const groups = "8:pids:/user.slice\n4:memory:/other\n0::/user.slice";
  expect([
    findParent(groups, [memory, first].join("\n")),
    findParent("8:cpu,pids:/", first),
    findParent("8:pids:/docker/1/a", mount("/docker/1", "/cgroup", "cgroup cgroup rw,cpu,pids")),
    findParent("8:pids:/elsewhere", mount("/docker/1", "/cgroup", "cgroup cgroup rw,cpu,pids")),
    findParent("8:memory:/", memory),
    findParent("", ""),
  ]).toEqual([
    "/sys/fs/cgroup/pids/user.slice",
    "/sys/fs/cgroup/pids",
    "/cgroup/a",
    undefined,
    undefined,
    undefined,
  ]);
});

it("creates groups next to its own group with cgroups version 2, where processes are counted", () => {
  const group = "0::/user.slice/user-0.slice/session-1.scope";
  const slice = "/sys/fs/cgroup/user.slice/user-0.slice";
  const counts = (directory: string) => directory === slice;
  expect([
    findParent(group, second, counts),
    findParent("0::/system.slice/sshd.service", second, counts),
    findParent("0::/", second, counts),
  ]).toEqual([slice, undefined, undefined]);
});

const group = openTaskGroup(20);

it.skipIf(group === undefined)("limits the number of concurrent processes", async () => {
  const before = group!.wasFull();
  const line =
    "read word; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 0.3 & done; wait";
  const child = spawn("/bin/sh", ["-c", line], { stdio: ["pipe", "ignore", "ignore"] });
  writeFileSync(group!.members, String(child.pid));
  child.stdin.end("go\n");
  await once(child, "exit");
  const after = group!.wasFull();
  group!.close();
  expect([before, after]).toEqual([false, true]);
});
