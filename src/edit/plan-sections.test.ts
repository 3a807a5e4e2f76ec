import { describe, expect, it } from "vitest";
import { ToolError } from "../contract/error.ts";
import type { FilePlan, ReadFile } from "./edit-request.ts";
import { planEdits } from "./plan-edits.ts";

const content = "one\ntwo\nthree\n";

function reading(files: Readonly<Record<string, string>>): ReadFile {
  return (path) => (Object.hasOwn(files, path) ? Buffer.from(files[path]!) : undefined);
}

function planOf(files: Readonly<Record<string, string>>, ...diff: readonly string[]): readonly FilePlan[] {
  return planEdits({ kind: "diff", diff: `${diff.join("\n")}\n` }, reading(files));
}

function refusalOf(files: Readonly<Record<string, string>>, ...diff: readonly string[]): ToolError {
  try {
    planOf(files, ...diff);
  } catch (error) {
    if (error instanceof ToolError) return error;
  }
  throw new Error("The diff was not refused.");
}

const header = ["diff --git a/a.txt b/b.txt", "copy from a.txt", "copy to b.txt"];
const hunk = ["--- a/a.txt", "+++ b/b.txt", "@@ -1,3 +1,3 @@", " one", "-two", "+2", " three"];

describe("copy sections", () => {
  it("copy a file unchanged and leave the source alone", () => {
    expect(planOf({ "a.txt": content }, ...header)).toEqual([
      {
        action: "copy",
        from: "a.txt",
        path: "b.txt",
        before: Buffer.from(content),
        after: Buffer.from(content),
        changes: [],
        notes: [],
      },
    ]);
  });

  it("apply their hunks to the copy only", () => {
    expect(planOf({ "a.txt": content }, ...header, ...hunk)).toMatchObject([
      {
        action: "copy",
        from: "a.txt",
        path: "b.txt",
        before: Buffer.from(content),
        after: Buffer.from("one\n2\nthree\n"),
        changes: [{ firstLine: 2, removedLines: 1, addedLines: 1, tier: "exact" }],
      },
    ]);
  });

  it("may copy a file that another section changes, from its original content", () => {
    const git = "diff --git a/a.txt b/a.txt";
    const update = [git, "--- a/a.txt", "+++ b/a.txt", "@@ -1,3 +1,3 @@", "-one", "+1", " two", " three"];
    const plans = planOf({ "a.txt": content }, ...header, ...update);
    expect(plans.map(({ action, path }) => [action, path])).toEqual([
      ["copy", "b.txt"],
      ["update", "a.txt"],
    ]);
    expect(plans.map((plan) => String(plan.action === "delete" ? "" : plan.after))).toEqual([
      content,
      "1\ntwo\nthree\n",
    ]);
  });

  it("refuse a target that exists, a missing source, and a copy onto itself", () => {
    const taken = refusalOf({ "a.txt": content, "b.txt": "x\n" }, ...header);
    const missing = refusalOf({}, ...header);
    const same = refusalOf(
      { "a.txt": content },
      "diff --git a/a.txt b/a.txt",
      "copy from a.txt",
      "copy to a.txt",
    );
    expect([taken, missing, same].map(({ code, message }) => `${code}: ${message}`)).toEqual([
      "already-exists: b.txt already exists",
      "not-found: There is no file a.txt",
      "invalid-input: The patch moves a.txt onto itself",
    ]);
    expect(taken.hint).toBe("Delete it first in a separate patch, or copy a.txt to another path.");
  });

  it("name the source in an error about its lines", () => {
    const { code, details } = refusalOf({ "a.txt": "other\n" }, ...header, ...hunk);
    expect({ code, details }).toEqual({ code: "no-match", details: { kind: "in-file", path: "a.txt" } });
  });
});
