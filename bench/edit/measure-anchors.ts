import { fileURLToPath } from "node:url";
import type { CaseResult } from "../harness.ts";
import { makeTask, runTask, textFiles, type Verdict } from "./anchored-tasks.ts";

const modules = fileURLToPath(new URL("../../node_modules", import.meta.url));

/** Makes edits by anchors of real files, half of them after a change that makes the anchors stale. */
export async function measureAnchors(count: number): Promise<CaseResult> {
  const files = textFiles(modules, 3_000);
  const rows = new Map<string, Record<Verdict, number>>();
  for (let number = 1; number <= count; number += 1) {
    const task = makeTask(number, files[(number * 7919) % files.length]!);
    for (const memory of ["with memory", "without memory"] as const) {
      const row = `${memory}: ${task.kind}`;
      const verdicts = rows.get(row) ?? { applied: 0, refused: 0, wrong: 0, "false alarm": 0 };
      verdicts[await runTask(task, memory)] += 1;
      rows.set(row, verdicts);
    }
  }
  const sorted = [...rows].sort(([one], [other]) => one.localeCompare(other));
  const all = sorted.map(([, verdicts]) => verdicts);
  const wrong = all.reduce((sum, each) => sum + each.wrong, 0);
  const alarms = sorted
    .filter(([row]) => row.startsWith("with memory"))
    .reduce((sum, [, each]) => sum + each["false alarm"], 0);
  return {
    group: "edit",
    name: "edits by anchors",
    about: `${count} generated edits of real files, each by the anchors of an earlier read. Half of the files changed in between, so that the anchors are stale and the edit must be refused. *With memory*, the caller that edits has read the file itself. *Without memory*, it has only the anchors: then edits of long ranges and of repeated lines are refused (false alarms), because nothing proves that they are unchanged.`,
    contenders: [],
    table: [
      ["", "applied exactly", "refused rightly", "refused needlessly", "WRONG"],
      ...sorted.map(([row, each]) => [
        row,
        ...[each.applied, each.refused, each["false alarm"], each.wrong].map(String),
      ]),
    ],
    verdicts: [
      { goal: "no wrong edit", measured: `${wrong}`, met: wrong === 0 },
      { goal: "with memory, every clean edit applied", measured: `${alarms} refused`, met: alarms === 0 },
    ],
  };
}
