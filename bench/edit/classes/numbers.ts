import type { Random } from "../../data/random.ts";
import { type Damage, damagedClass, rewriting, type TaskClass } from "../draft.ts";

type Numbers = readonly [oldStart: number, oldCount: number, newStart: number, newCount: number];

function renumber(change: (numbers: Numbers, random: Random) => string): Damage {
  return rewriting((text, _, random) =>
    text.replace(/^@@ -(\d+),(\d+) \+(\d+),(\d+) @@/gm, (_line, ...groups) =>
      change(groups.slice(0, 4).map(Number) as unknown as Numbers, random),
    ),
  );
}

export const wrongStarts: Damage = renumber(([oldStart, oldCount, newStart, newCount], random) => {
  const off = (random.fraction() < 0.5 ? -1 : 1) * (1 + random.below(random.pick([4, 60])));
  return `@@ -${Math.max(1, oldStart + off)},${oldCount} +${Math.max(1, newStart + off)},${newCount} @@`;
});

export const wrongCounts: Damage = renumber(([oldStart, oldCount, newStart, newCount], random) => {
  const off = () => random.pick([-2, -1, 0, 1, 2, 5]);
  return `@@ -${oldStart},${Math.max(1, oldCount + off())} +${newStart},${Math.max(1, newCount + off())} @@`;
});

const wrongEverything: Damage = renumber((_, random) => {
  const any = () => 1 + random.below(300);
  return `@@ -${any()},${1 + random.below(12)} +${any()},${1 + random.below(12)} @@`;
});

export const noNumbers: Damage = rewriting((text, _, random) => {
  const mark = random.pick(["@@", "@@ @@", "@@ ... @@", "@@ -0,0 +0,0 @@", "@@ -1,1 +1,1 @@"]);
  return text.replace(/^@@ -\d+,\d+ \+\d+,\d+ @@/gm, mark);
});

export const numberClasses: readonly TaskClass[] = [
  damagedClass({ kind: "wrong line numbers", forms: ["udiff"], damage: [wrongStarts] }),
  damagedClass({ kind: "wrong line counts", forms: ["udiff"], damage: [wrongCounts] }),
  damagedClass({ kind: "wrong line numbers and counts", forms: ["udiff"], damage: [wrongEverything] }),
  damagedClass({ kind: "no line numbers", forms: ["udiff"], damage: [noNumbers] }),
];
