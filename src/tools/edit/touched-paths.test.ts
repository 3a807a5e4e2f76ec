import { describe, expect, it } from "vitest";
import { accessesOf } from "./touched-paths.ts";

describe("what an edit announces", () => {
  it("is every file of a patch, as it is touched", () => {
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

  it("is every spelling of a name that may be meant", () => {
    const diff = "--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-x\n+y\n";
    expect(accessesOf({ kind: "diff", diff }).map((access) => "path" in access && access.path)).toEqual([
      "x.ts",
      "b/x.ts",
      "a/x.ts",
    ]);
  });

  it("does not miss what stands in wrappings, escapes or padded markers", () => {
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

  it("is nothing for a text that cannot be read: that is refused at once", () => {
    expect(() => accessesOf({ kind: "patch", patch: "nothing" })).toThrow(
      expect.objectContaining({ code: "invalid-input" }),
    );
  });
});
