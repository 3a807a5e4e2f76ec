import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { planEdits } from "../../src/edit/plan-edits.ts";
import { showDiff } from "../../src/edit/rewrite/show-diff.ts";

const changes: readonly [before: string, find: string, replace: string][] = [
  ["a\nb\nc\n", "b", "x\ny"],
  ["a\nb\nc", "a", "x"],
  ["a\nb", "b", "b\nc"],
  ["a\nb\n", "b\n", "b"],
  ["a\nb", "b", "b\n"],
  ["a\nb", "\nb", ""],
  ["a", "a", ""],
  ["1\n2\n3\n4\n5\n6\n7\n8\n9\n1", "1", "x"],
];

it.each(changes)("shows a diff that git applies: %j, %j becomes %j", (before, find, replace) => {
  const request = { kind: "replace", path: "a.txt", edits: [{ find, replace, all: true }] } as const;
  const [plan] = planEdits(request, () => Buffer.from(before));
  const folder = mkdtempSync(join(tmpdir(), "show diff "));
  try {
    writeFileSync(join(folder, "a.txt"), before);
    execFileSync("git", ["apply", "-"], { cwd: folder, input: showDiff(plan!) });
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe(before.replaceAll(find, replace));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
