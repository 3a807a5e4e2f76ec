/** @module-tag slow */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ToolError } from "../../src/contract/error.ts";
import type { EditRequest, FilePlan } from "../../src/edit/edit-request.ts";
import { planEdits } from "../../src/edit/plan-edits.ts";
import { showDiff } from "../../src/edit/rewrite/show-diff.ts";
import { anyCodePoint } from "../support/any-code-point.ts";
import { rounds } from "../support/rounds.ts";
import { path } from "./attempt.ts";
import { slips } from "./slips.ts";

const numRuns = rounds(250);

/** Pieces that have a meaning somewhere, in random order. */
const pieces = fc.oneof(
  fc.constantFrom(
    ..."\n \n\n\r\n\r\t ab".match(/[\s\S]/g)!,
    ...["+", "-", "@", "*", "\\", '"', "'", "`", "$", "#", "1", "“", "–", "é", "e\u0301", "\u00a0", "\ufeff"],
    ...[
      "\u200b",
      "\ufffd",
      "\uf7ff",
      "😀",
      "\ud83d",
      "\0",
      "\u2028",
      "…",
      "...",
      "\\n",
      "\\\\n",
      '\\"',
      "```",
      "```ts\n",
    ],
    ...[
      "*** Begin Patch\n",
      "*** End Patch\n",
      "*** Update File: file.txt\n",
      "*** Add File: b\n",
      "*** Delete File: file.txt\n",
    ],
    ...[
      "*** Move to: c\n",
      "*** End of File\n",
      "@@\n",
      "@@ a\n",
      "@@ -1,2 +1,2 @@\n",
      "@@ -0,0 +1 @@\n",
      "@@ -3 +3,0 @@ a\n",
    ],
    ...[
      "--- a/file.txt\n+++ b/file.txt\n",
      "--- /dev/null\n+++ b/b\n",
      "--- a/file.txt\n+++ /dev/null\n",
      "diff --git a/file.txt b/file.txt\n",
    ],
    ...[
      "diff --git a/file.txt b/c\n",
      "rename from file.txt\nrename to c\n",
      "new file mode 100755\n",
      "deleted file mode 100644\n",
    ],
    ...[
      "copy from file.txt\ncopy to c\n",
      "new mode 100755\n",
      "new mode 120000\n",
      "index 1..2 100644\n",
      "Binary files a and b differ\n",
    ],
    ...[
      "GIT binary patch\n",
      "\\ No newline at end of file\n",
      '--- "a/\\303\\244"\n',
      "-- \n2.39\n",
      "<<'EOF'\n",
      "EOF\n",
    ],
    ...[
      " a\n",
      "-a\n",
      "+b\n",
      " \n",
      "-\n",
      "+\n",
      "1 | a\n",
      "2\tb\n",
      "L3: a\n",
      "// rest of the code unchanged\n",
    ],
  ),
  fc.string({ maxLength: 3, unit: anyCodePoint }),
);
const text = fc.array(pieces, { maxLength: 14 }).map((parts) => parts.join(""));

const bytes: fc.Arbitrary<Uint8Array> = fc.oneof(
  text.map((content) => Buffer.from(content)),
  text.map((content) => Buffer.from(`\ufeff${content}`, "utf16le")),
  text.map((content) => Buffer.from(content, "latin1")),
  fc.uint8Array({ maxLength: 30 }),
);

const edit = fc.record(
  { find: text, replace: text, all: fc.boolean(), expectCount: fc.integer({ min: -1, max: 3 }) },
  { requiredKeys: ["find", "replace"] },
);

const wrapped = (before: string, after: string) => text.map((body) => `${before}${body}${after}`);

const requests: fc.Arbitrary<EditRequest> = fc.oneof(
  fc.record({
    kind: fc.constant("replace" as const),
    path: fc.constant(path),
    edits: fc.array(edit, { maxLength: 3 }),
  }),
  fc.record({
    kind: fc.constant("patch" as const),
    patch: fc.oneof(text, wrapped("*** Begin Patch\n*** Update File: file.txt\n", "\n*** End Patch")),
  }),
  fc.record({
    kind: fc.constant("diff" as const),
    diff: fc.oneof(text, wrapped("--- a/file.txt\n+++ b/file.txt\n@@ -1 +1 @@\n", "\n")),
  }),
);

describe("any request", () => {
  it("is planned, or refused with a hint", () => {
    fc.assert(
      fc.property(requests, bytes, (request, file) => judge(plansOf(request, file))),
      { numRuns },
    );
  });

  it("with small mistakes is planned, or refused with a hint", () => {
    fc.assert(
      fc.property(slips, ({ request, file }) => judge(plansOf(request, file))),
      { numRuns },
    );
  });
});

/** A plan changes something and can be shown; a refusal has a hint. */
function judge(plans: readonly FilePlan[] | ToolError): void {
  if (plans instanceof ToolError) {
    expect(plans.hint).toMatch(/\S/);
    return;
  }
  for (const plan of plans) {
    const hasChanges = plan.changes.length > 0;
    expect(showDiff(plan) !== "").toBe(hasChanges || "from" in plan);
    if (plan.action === "update") expect(Buffer.from(plan.after).equals(plan.before)).toBe(!hasChanges);
  }
}

function plansOf(request: EditRequest, file: Uint8Array): readonly FilePlan[] | ToolError {
  const copy = Buffer.from(file);
  try {
    return planEdits(request, (name) => (name === path ? file : undefined));
  } catch (error) {
    if (error instanceof ToolError) return error;
    throw error;
  } finally {
    expect(copy.equals(file)).toBe(true);
  }
}
