/** @module-tag slow */
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { makeTask, runTask, textFiles } from "../../bench/edit/anchored-tasks.ts";

const files = textFiles(fileURLToPath(new URL("../../node_modules/zod", import.meta.url)), 40);

it("applies edits by current anchors exactly, and refuses every stale one", async () => {
  const mistakes: string[] = [];
  for (let number = 1; number <= 300; number += 1) {
    const task = makeTask(number, files[number % files.length]!);
    const verdict = await runTask(task, "with memory");
    if (verdict !== (task.expected ? "applied" : "refused"))
      mistakes.push(`${number} ${task.kind}: ${verdict}`);
  }
  expect(mistakes).toEqual([]);
});

it("never makes a wrong edit for a caller that has only the anchors", async () => {
  const wrong: string[] = [];
  for (let number = 301; number <= 600; number += 1) {
    const task = makeTask(number, files[number % files.length]!);
    if ((await runTask(task, "without memory")) === "wrong") wrong.push(`${number} ${task.kind}`);
  }
  expect(wrong).toEqual([]);
});
