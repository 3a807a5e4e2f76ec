import { afterAll, describe, expect, it } from "vitest";
import { codeFixture } from "../../../test/support/code-fixture.ts";
import { codeReferences } from "./references.ts";

const files = {
  "a.ts": "export function load() {\n  // load\n  return 'load';\n}\nload(); unload();\n",
  "lib/b.py": "from a import load\nload()\n",
  "lib/c.hs": "load x = x -- load\n",
  "notes.txt": "load\n",
  "style.css": "a { --my-size: 1px; width: var(--my-size); }\n",
};

const opened = codeFixture(files);
afterAll(() => opened[Symbol.asyncDispose]());

describe("references", () => {
  it("are the definitions and uses in the code of all files", { tags: "slow" }, async () => {
    const { data, text } = await opened.run(codeReferences, { name: "load" });
    expect(data).toEqual({
      files: [
        {
          path: "a.ts",
          language: "typescript",
          places: [
            { line: 1, column: 17, role: "definition", text: "export function load() {" },
            { line: 5, column: 1, role: "reference", text: "load(); unload();" },
          ],
        },
        {
          path: "lib/b.py",
          language: "python",
          places: [
            { line: 1, column: 15, role: "definition", text: "from a import load" },
            { line: 2, column: 1, role: "reference", text: "load()" },
          ],
        },
        {
          path: "lib/c.hs",
          language: "haskell",
          places: [{ line: 1, column: 1, role: "definition", text: "load x = x -- load" }],
        },
      ],
      notCode: ["notes.txt"],
      unread: [],
      next: null,
      by: "names",
    });
    expect(text).toBe(
      [
        "`load`: 3 definitions, 2 uses in 3 files",
        "a.ts",
        "  1 (definition): export function load() {",
        "  5: load(); unload();",
        "lib/b.py",
        "  1 (definition): from a import load",
        "  2: load()",
        "lib/c.hs",
        "  1 (definition): load x = x -- load",
        "Also mentioned outside code: notes.txt",
      ].join("\n"),
    );
  });

  it("can be limited to a folder, a file, or one role", { tags: "slow" }, async () => {
    const paths = async (input: Partial<Parameters<typeof codeReferences.run>[0]>) => {
      const { data } = await opened.run(codeReferences, { name: "load", ...input });
      return data.files.map(({ path, places }) => `${path}: ${places.map(({ line }) => line)}`);
    };
    expect([
      await paths({ path: "lib" }),
      await paths({ path: "lib/b.py" }),
      await paths({ role: "reference" }),
    ]).toEqual([["lib/b.py: 1,2", "lib/c.hs: 1"], ["lib/b.py: 1,2"], ["a.ts: 5", "lib/b.py: 2"]]);
  });

  it("continue where the limit was reached", async () => {
    const seen: string[] = [];
    let from: string | undefined;
    do {
      const { data, continuation } = await opened.run(codeReferences, { name: "load", limit: 2, from });
      for (const { path, places } of data.files) for (const { line } of places) seen.push(`${path}:${line}`);
      from = data.next ?? undefined;
      expect(continuation).toBe(from === undefined ? undefined : `Continue with \`from\`: "${from}".`);
    } while (from !== undefined);
    expect(seen).toEqual(["a.ts:1", "a.ts:5", "lib/b.py:1", "lib/b.py:2", "lib/c.hs:1"]);
  });

  it("continue in the same line", async () => {
    const first = await opened.run(codeReferences, { name: "--my-size", limit: 1 });
    expect(first.data.next).toBe("style.css:1:32");
    const second = await opened.run(codeReferences, { name: "--my-size", limit: 1, from: "style.css:1:32" });
    expect(second.data).toEqual({
      files: [expect.objectContaining({ places: [expect.objectContaining({ column: 32 })] })],
      notCode: [],
      unread: [],
      next: null,
      by: "names",
    });
  });

  it("include names with special characters", async () => {
    const { data } = await opened.run(codeReferences, { name: "--my-size" });
    expect(data.files).toEqual([
      {
        path: "style.css",
        language: "css",
        places: [expect.objectContaining({ column: 5 }), expect.objectContaining({ column: 32 })],
      },
    ]);
  });

  it("are empty for a name that does not occur", async () => {
    const { text } = await opened.run(codeReferences, { name: "loa" });
    expect(text).toBe("`loa` does not occur in the code.");
    const dotted = await opened.run(codeReferences, { name: "a.load" });
    expect(dotted.text).toBe("`a.load` does not occur in the code.\nSearch for the last part only: load");
  });
});
