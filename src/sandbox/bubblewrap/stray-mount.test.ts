import { expect, it } from "vitest";
import type { Mount } from "./mounts.ts";
import { findStrayMount } from "./mounts.ts";

const outside = `
1 0 8:1 / / rw - ext4 /dev/a rw
2 1 0:5 / /proc rw - proc proc rw
3 1 8:2 /data /home/me/work\\040space/data rw - ext4 /dev/b rw
`.trim();

const shown = (target: string): Mount => ({ show: "read-only", source: target, target });
const work = "/home/me/work space";
const meant = [
  shown("/"),
  shown(work),
  shown(`${work}/.git`),
  shown(`${work}/data/fixed`),
  { show: "blank", target: `${work}/secrets`, permissions: "000" },
  { show: "writable", source: "/state/home", target: "/home/me" },
] as const satisfies Mount[];

const good = [
  "10 9 8:1 / / ro - ext4 /dev/a rw",
  "11 10 0:9 / /proc rw - proc proc rw",
  "12 10 0:8 / /dev/pts rw - devpts devpts rw",
  "13 10 8:1 /state/home /home/me rw - ext4 /dev/a rw",
  "14 13 8:1 /home/me/work\\040space /home/me/work\\040space rw - ext4 /dev/a rw",
  "15 14 8:2 /data /home/me/work\\040space/data rw - ext4 /dev/b rw",
  "16 14 8:1 /home/me/work\\040space/.git /home/me/work\\040space/.git rw - ext4 /dev/a rw",
  "17 15 8:2 /data/fixed /home/me/work\\040space/data/fixed ro - ext4 /dev/b rw",
  "18 14 0:7 / /home/me/work\\040space/secrets rw - tmpfs tmpfs rw",
];

const check = (inside: readonly string[]) =>
  findStrayMount(meant, { inside: `${inside.join("\n")}\n`, outside });

it("finds nothing when all mounts are as planned, or what they show has vanished", () => {
  expect([check(good), check(good.toSpliced(6, 2))]).toEqual([undefined, undefined]);
});

it("finds a path whose mount is missing", () => {
  const withRoot: readonly Mount[] = [...meant, shown("/usr")];
  expect([check(good.slice(0, 8)), findStrayMount(withRoot, { inside: good.join("\n"), outside })]).toEqual([
    `${work}/secrets`,
    "/usr",
  ]);
});

it("checks the last of several mounts at one path", () => {
  const home = "19 13 8:1 /home/me /home/me ro - ext4 /dev/a rw";
  const both = [...meant, shown("/home/me")];
  const checkBoth = (...last: string[]) =>
    findStrayMount(both, { inside: [...good, ...last].join("\n"), outside });
  expect([checkBoth(home), checkBoth(home, home.replace("8:1 /home/me", "8:1 /root"))]).toEqual([
    undefined,
    "/home/me",
  ]);
});

it("finds a path that shows something else", () => {
  const swapped = good.map((line) => line.replace("8:1 /home/me/work\\040space/.git ", "8:1 /home/me/.ssh "));
  expect(check(swapped)).toBe(`${work}/.git`);
});

it("finds a mount that was not planned", () => {
  expect(check([...good, "19 13 8:1 /home/me/.ssh /home/me/.ssh ro - ext4 /dev/a rw"])).toBe("/home/me/.ssh");
});

it("accepts a directory that commands can write where a mount around it shows it", () => {
  const own = "19 10 8:1 /state/home /state/home ro - ext4 /dev/a rw";
  expect([check([...good, own]), check([...good, own.replace("8:1 /state/home", "8:1 /root")])]).toEqual([
    undefined,
    "/state/home",
  ]);
});

it("finds another disk with the same path", () => {
  expect(check(good.map((line) => line.replace("8:2 /data/fixed", "8:1 /data/fixed")))).toBe(
    `${work}/data/fixed`,
  );
});
