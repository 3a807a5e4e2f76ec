import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ToolError } from "../../contract/error.ts";
import { planEdits } from "../../edit/plan-edits.ts";
import { accessesOf, touchesOf } from "./touched-paths.ts";

describe("the declared paths of an edit", () => {
  it("are every file of a patch, with its kind of access", () => {
    const patch = [
      "*** Begin Patch",
      "*** Add File: ./new.ts\n+x",
      "*** Update File: old.ts\n@@\n-x\n+y",
      "*** Update File: from.ts\n*** Move to: to.ts\n@@\n-x\n+y",
      "*** Delete File: gone.ts",
      "*** End Patch",
    ].join("\n");
    expect(accessesOf({ kind: "patch", patch })).toEqual([
      { kind: "write", path: "new.ts" },
      { kind: "write", path: "old.ts" },
      { kind: "write", path: "from.ts", link: "itself" },
      { kind: "write", path: "to.ts" },
      { kind: "delete", path: "gone.ts" },
    ]);
  });

  it("are every possible spelling of a name", () => {
    const diff = "--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-x\n+y\n";
    expect(accessesOf({ kind: "diff", diff }).map((access) => "path" in access && access.path)).toEqual([
      "x.ts",
      "b/x.ts",
      "a/x.ts",
    ]);
  });

  it("include names in wrappers, escapes or padded markers", () => {
    const section = "*** Update File: x.ts\n@@\n-x\n+y\n*** Delete File: z.ts";
    const plain = `*** Begin Patch\n${section}\n*** End Patch`;
    const wrapped = [
      `Here it is:\n\`\`\`\n${plain}\n\`\`\`\n`,
      `apply_patch <<'EOF'\n${plain}\nEOF`,
      JSON.stringify(plain),
      plain.replaceAll(/^\*\*\*/gm, "  ***"),
      section,
    ];
    const expected = [
      { kind: "write", path: "x.ts" },
      { kind: "delete", path: "z.ts" },
    ];
    for (const patch of wrapped)
      expect(accessesOf({ kind: "patch", patch })).toEqual(expect.arrayContaining(expected));
  });

  it("are all that the engine ever reads, however the text is damaged", { tags: "slow" }, () => {
    fc.assert(
      fc.property(damagedText, fc.infiniteStream(fc.boolean()), (text, exists) => {
        for (const request of [
          { kind: "patch", patch: text } as const,
          { kind: "diff", diff: text } as const,
        ]) {
          const asked = new Map<string, Uint8Array | undefined>();
          const read = (path: string) => {
            if (!asked.has(path)) asked.set(path, exists.next().value ? Buffer.from("one\n") : undefined);
            return asked.get(path);
          };
          attempt(() => planEdits(request, read));
          const announced = attempt(() => touchesOf(request)) ?? [];
          const paths = new Set(announced.flatMap(({ paths, to = paths[0] }) => [...paths, to]));
          expect([...asked.keys()].filter((path) => !paths.has(path))).toEqual([]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("are empty for text that cannot be parsed and is refused at once", () => {
    expect(() => accessesOf({ kind: "patch", patch: "nothing" })).toThrow(
      expect.objectContaining({ code: "invalid-input" }),
    );
  });
});

/** The patches and diffs of the scenarios, as lines. */
const scenarios = join(import.meta.dirname, "../../../test/scenarios/edit");
const texts = globSync("*/call.json", { cwd: scenarios })
  .map((file) => JSON.parse(readFileSync(join(scenarios, file), "utf8")))
  .map(({ patch, diff }) => patch ?? diff)
  .filter((text) => text !== undefined)
  .map((text: string | string[]) => (Array.isArray(text) ? text : text.split("\n")));

type Damage = (lines: readonly string[], at: number) => readonly string[];

const damages: readonly Damage[] = [
  (lines, at) => (lines.length > 1 ? lines.toSpliced(at, 1) : lines),
  (lines, at) => lines.toSpliced(at, 0, lines[at] ?? ""),
  (lines, at) => lines.with(at, `  ${lines[at]}`),
  (lines, at) => lines.with(at, lines[at]!.slice(1)),
  (lines) => [JSON.stringify(lines.join("\n"))],
  (lines) => ["```", ...lines, "```"],
  (lines, at) => [...lines.slice(at), ...lines.slice(0, at)],
];

const damagedText = fc
  .tuple(
    fc.constantFrom(...texts),
    fc.array(fc.tuple(fc.constantFrom(...damages), fc.nat()), { maxLength: 4 }),
  )
  .map(([lines, steps]) =>
    steps
      .reduce<readonly string[]>((text, [damage, at]) => damage(text, at % text.length), [...lines, ""])
      .join("\n"),
  );

function attempt<Result>(act: () => Result): Result | undefined {
  try {
    return act();
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}
