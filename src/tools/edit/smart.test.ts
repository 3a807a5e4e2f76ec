import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { codeFixture } from "../../../test/support/code-fixture.ts";
import { temporaryToolcrib } from "../../../test/support/temporary-toolcrib.ts";
import { byteOrderMarkLength } from "../../lib/text/encoding.ts";
import { type EditSmartInput, editSmart } from "./smart.ts";

const code = `/// A counter.
struct Counter {
    count: u32,
}

impl Counter {
    /// Adds one.
    fn add(&mut self) {
        self.count += 1;
    }

    fn reset(&mut self) {
        self.count = 0;
    }
}
`;

const opened = codeFixture();
afterAll(() => opened[Symbol.asyncDispose]());

/** The content of a file after an edit. */
async function edited(
  content: string | Uint8Array,
  input: Omit<EditSmartInput, "path">,
  path = "counter.rs",
): Promise<string> {
  show(path, content);
  await opened.run(editSmart, { path, ...input });
  return readFileSync(opened.at(path), "utf8");
}

/** Writes a file, and records that the caller has seen it. */
function show(path: string, content: string | Uint8Array): void {
  writeFileSync(opened.at(path), content);
  const bytes = readFileSync(opened.at(path));
  opened.context.seen.note(path, { bytes: bytes.subarray(byteOrderMarkLength(bytes)), lines: "all" });
}

describe("text", () => {
  it("is replaced exactly, and everything else stays", { tags: "slow" }, async () => {
    const input = { location: "count += 1", operation: "replace", content: "count += 2" } as const;
    expect(await edited(code, input)).toBe(code.replace("+= 1", "+= 2"));
  });

  it("is replaced with the indentation of the file if it was found with another", {
    tags: "slow",
  }, async () => {
    const input = {
      location: "fn reset(&mut self) {\n  self.count = 0;\n}",
      operation: "replace",
      content: "fn reset(&mut self) {\n  self.count = 1;\n}",
    } as const;
    expect(await edited(code, input)).toBe(code.replace("count = 0", "count = 1"));
  });

  it("gets new lines before and after, with its own indentation", async () => {
    const content = "if self.count > 9 {\n    return;\n}";
    const lines = "        if self.count > 9 {\n            return;\n        }\n";
    const line = "        self.count += 1;\n";
    const location = "self.count += 1;";
    expect([
      await edited(code, { location, operation: "insert_before", content }),
      await edited(code, { location, operation: "insert_after", content }),
    ]).toEqual([code.replace(line, lines + line), code.replace(line, line + lines)]);
  });

  it("is deleted, with its line if nothing else is on it", async () => {
    expect([
      await edited(code, { location: "self.count = 0;", operation: "delete" }),
      await edited(code, { location: "/// Adds one.\n", operation: "delete" }),
      await edited("a, b, c\n", { location: ", b", operation: "delete" }, "list.unknown"),
      await edited("a\rb\rc\r", { location: "b", operation: "delete" }, "list.unknown"),
    ]).toEqual([
      code.replace("        self.count = 0;\n", ""),
      code.replace("    /// Adds one.\n", ""),
      "a, c\n",
      "a\rc\r",
    ]);
  });
});

describe("lines", () => {
  const text = "one\n\ttwo\n\nfour";

  it("are replaced, without their last newline", async () => {
    const replace = (location: string, content: string) =>
      edited(text, { location, operation: "replace", content }, "lines.unknown");
    expect([
      await replace("lines 1-2", "1\n2\n"),
      await replace("line 2", "zwei"),
      await replace("line 4", "vier"),
    ]).toEqual(["1\n2\n\nfour", "one\n\tzwei\n\nfour", "one\n\ttwo\n\nvier"]);
  });

  it("get new lines before and after, with their indentation or that of the new lines", async () => {
    const insert = (location: string, operation: "insert_before" | "insert_after", content: string) =>
      edited(text, { location, operation, content }, "lines.unknown");
    expect([
      await insert("line 2", "insert_before", "new"),
      await insert("line 2", "insert_after", "\t\tnew"),
      await insert("line 1", "insert_after", "\tnew\n\n"),
      await insert("line 4", "insert_after", "new\n"),
      await edited("", { location: "line 1", operation: "insert_after", content: "new" }, "lines.unknown"),
    ]).toEqual([
      "one\n\tnew\n\ttwo\n\nfour",
      "one\n\ttwo\n\t\tnew\n\nfour",
      "one\n\tnew\n\n\ttwo\n\nfour",
      "one\n\ttwo\n\nfour\nnew",
      "new\n",
    ]);
  });

  it("keep the line endings of their neighbours", async () => {
    const insert = (mixed: string, operation: "insert_before" | "insert_after") =>
      edited(mixed, { location: "line 2", operation, content: "X\nY\n" }, "lines.unknown");
    expect([
      await insert("a\r\nb\nc\r\n", "insert_after"),
      await insert("a\nb\r\nc\n", "insert_after"),
      await insert("a\r\nb", "insert_after"),
      await insert("a\r\nb\nc\r\n", "insert_before"),
    ]).toEqual([
      "a\r\nb\nX\nY\nc\r\n",
      "a\nb\r\nX\r\nY\r\nc\n",
      "a\r\nb\r\nX\r\nY",
      "a\r\nX\r\nY\r\nb\nc\r\n",
    ]);
  });

  it("are deleted with their newlines; a file without a final newline stays so", async () => {
    const remove = (location: string) => edited(text, { location, operation: "delete" }, "lines.unknown");
    expect([await remove("lines 1-2"), await remove("line 4"), await remove("lines 1-4")]).toEqual([
      "\nfour",
      "one\n\ttwo\n",
      "",
    ]);
  });
});

describe("a block", () => {
  it("is replaced with its comments, indented to fit", async () => {
    const input = {
      location: "fn add",
      operation: "replace",
      content: "/// Adds some.\nfn add(&mut self, more: u32) {\n    self.count += more;\n}",
    } as const;
    expect(await edited(code, input)).toBe(
      code
        .replace("one", "some")
        .replace("add(&mut self)", "add(&mut self, more: u32)")
        .replace("1;", "more;"),
    );
  });

  it("gets another before or after, with the same spacing as others", async () => {
    const input = { location: "Counter::reset", content: "fn get(&self) -> u32 {\n    self.count\n}" };
    const block = "    fn get(&self) -> u32 {\n        self.count\n    }\n";
    expect([
      await edited(code, { ...input, operation: "insert_before" }),
      await edited(code, { ...input, operation: "insert_after" }),
    ]).toEqual([
      code.replace("    fn reset", `${block}\n    fn reset`),
      code.replace("= 0;\n    }\n", `= 0;\n    }\n\n${block}`),
    ]);
  });

  it("is deleted with its comments, found by its description", async () => {
    const input = { location: "the method that adds one", operation: "delete" } as const;
    const [start, end] = [code.indexOf("    /// Adds"), code.indexOf("    fn reset")];
    expect(await edited(code, input)).toBe(code.slice(0, start) + code.slice(end));
  });
});

describe("edit.smart keeps every other byte", () => {
  it("with Windows line endings and a byte-order mark", async () => {
    const text = `\ufeff${code.replaceAll("\n", "\r\n")}`;
    const content = "fn zero(&mut self) {\n    self.count = 0;\n}";
    expect([
      await edited(text, { location: "fn reset", operation: "replace", content }),
      await edited(text, { location: "line 3", operation: "insert_after", content: "other: u32,\n" }),
      await edited(text, { location: "self.count += 1;", operation: "delete" }),
    ]).toEqual([
      text.replace("reset", "zero"),
      text.replace("count: u32,\r\n", "count: u32,\r\n    other: u32,\r\n"),
      text.replace("        self.count += 1;\r\n", ""),
    ]);
  });

  it("in UTF-16, and in a single-byte encoding", async () => {
    const wide = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le");
    const insert = { operation: "insert_after", content: "café" } as const;
    await edited(wide("eins\r\nzwei\r\n"), { location: "line 1", ...insert }, "wide.unknown");
    await edited(
      Buffer.from("na\xefve\nend\n", "latin1"),
      { location: "naïve", ...insert },
      "narrow.unknown",
    );
    expect([readFileSync(opened.at("wide.unknown")), readFileSync(opened.at("narrow.unknown"))]).toEqual([
      wide("eins\r\ncafé\r\nzwei\r\n"),
      Buffer.from("na\xefve\ncaf\xe9\nend\n", "latin1"),
    ]);
  });
});

describe("a file that cannot be parsed", () => {
  it("is edited as text, and reports it", { tags: "slow" }, async () => {
    show("data.rs", `fn a() {}\n// ${"filled up ".repeat(800_000)}\n`);
    const { text } = await opened.run(editSmart, {
      path: "data.rs",
      location: "line 1",
      operation: "delete",
    });
    expect(text).toMatch(/\(its syntax was not checked: data\.rs is too large to parse/);
  });

  it("without an extension is still checked when its shebang is deleted", async () => {
    const script = "#!/bin/bash\nrun() {\n  true\n}\n";
    const input = { location: "line 1", operation: "delete" } as const;
    expect(await edited(script, input, "script")).toBe(script.slice(script.indexOf("\n") + 1));
  });
});

describe("edit.smart writes nothing", () => {
  beforeEach(() => show("counter.rs", code));

  it.each([
    [
      "when the file would no longer parse",
      { location: "line 9", operation: "replace", content: "self.count += (1;" } as const,
      {
        code: "invalid-input",
        message:
          "counter.rs would no longer parse:\n9:25: missing `)`\n9 |         self.count += (1;\n  |                         ^",
        hint: expect.stringMatching(/^Nothing was written; line numbers are those of the changed file/),
      },
    ],
    [
      "when the location is ambiguous",
      { location: "self.count", operation: "delete" } as const,
      {
        code: "ambiguous-match",
        message:
          'counter.rs: the location "self.count" matches 2 locations:\n  line 9: text: "self.count += 1;"\n  line 13: text: "self.count = 0;"',
        hint: 'Nothing was written. Give more of the text, with a neighbouring line, or its lines, such as "lines 10-20".',
      },
    ],
    [
      "when the new block contains a placeholder",
      {
        location: "fn add",
        operation: "replace",
        content: "fn add(&mut self) {\n    // ... existing code ...\n}",
      } as const,
      {
        code: "invalid-input",
        message: "counter.rs: the new code contains a placeholder instead of code: // ... existing code ...",
        hint: "Write the block out in full, or change only some of its lines with edit.replace.",
      },
    ],
  ])("%s", async (_, input, refusal) => {
    expect(await opened.refusal(editSmart, { path: "counter.rs", ...input })).toEqual(refusal);
    expect(readFileSync(opened.at("counter.rs"), "utf8")).toBe(code);
  });

  it("into a binary file", async () => {
    writeFileSync(opened.at("picture"), Buffer.of(0, 1, 2, 255));
    expect(
      await opened.refusal(editSmart, { path: "picture", location: "line 1", operation: "delete" }),
    ).toEqual({
      code: "unsupported",
      message: "picture is a binary file, which has no lines to edit",
      hint: "Use edit.replace with text that matches byte for byte.",
    });
  });
});

describe("in the pipeline", () => {
  const input = { path: "counter.rs", location: "fn reset", operation: "delete" };
  const after = code.replace("\n    fn reset(&mut self) {\n        self.count = 0;\n    }\n", "");
  const hunk = [
    "(the location names Method reset [12-14] in Impl Counter)",
    "@@ -8,8 +8,4 @@",
    "     fn add(&mut self) {",
    "         self.count += 1;",
    "     }",
    "-",
    "-    fn reset(&mut self) {",
    "-        self.count = 0;",
    "-    }",
    " }",
  ];
  const steady = (text: string) => text.replace(/[0-9a-f]{12} → [0-9a-f]{12}/, "# → #").split("\n");

  it("returns the diff and the checkpoint for undo", { tags: "slow" }, async () => {
    await using crib = await temporaryToolcrib({ mode: "yolo" });
    crib.write("counter.rs", code);
    const result = await crib.crib.call("edit_smart", input);
    expect([steady(result.content), crib.read("counter.rs")]).toEqual([
      [
        "Edited counter.rs at line 11 (# → #):",
        ...hunk,
        "To undo: journal_undo with checkpoint checkpoint-1.",
      ],
      after,
    ]);
    expect(result.data).toEqual({
      files: [expect.objectContaining({ action: "update", path: "counter.rs" })],
      place: { way: "symbol", firstLine: 12, lastLine: 14, score: 1 },
      checkpoint: "checkpoint-1",
    });
    await crib.crib.call("journal_undo", { checkpoint: "checkpoint-1" });
    expect(crib.read("counter.rs")).toBe(code);
  });

  it("only shows the change with `preview`: it writes nothing and sets no checkpoint", {
    tags: "slow",
  }, async () => {
    await using crib = await temporaryToolcrib({ mode: "yolo" });
    crib.write("counter.rs", code);
    const result = await crib.crib.call("edit_smart", { ...input, preview: true });
    const { content } = await crib.crib.call("journal_checkpoint", { list: true });
    expect([steady(result.content), crib.read("counter.rs"), content]).toEqual([
      ["Would edit counter.rs at line 11 (# → #):", ...hunk],
      code,
      "There are no checkpoints.",
    ]);
  });

  it("refuses numbers of lines that others have changed or moved since they were seen", async () => {
    await using crib = await temporaryToolcrib({ mode: "yolo" });
    const call = (location: string) =>
      crib.crib.call("edit_smart", { path: "poem.unknown", location, operation: "delete" });
    crib.write("poem.unknown", "one\ntwo\nthree\nfour\nfive\n");
    await crib.crib.call("file_read", { path: "poem.unknown", offset: 2, limit: 2 });
    crib.write("poem.unknown", "zero\none\ntwo\nthree\nfour\nfive\n");
    const [moved, unseen, named] = [await call("lines 2-3"), await call("line 5"), await call("two")];
    expect([moved.content, unseen.isError, named.isError, crib.read("poem.unknown")]).toEqual([
      "poem.unknown has changed at lines 2-3 since you last saw it\n" +
        "Nothing was written. Read the file again, or give the location as text or a symbol.",
      false,
      false,
      "zero\none\nthree\nfive\n",
    ]);
  });

  it.each([
    [{ operation: "replace" }, "`content` is missing: the new text; to remove it use delete"],
    [{ operation: "insert_after", content: "" }, "`content` is missing: what to insert"],
    [{ operation: "delete", location: " " }, "is empty: describe the location"],
  ])("refuses %j", async (fields, reason) => {
    await using crib = await temporaryToolcrib({ mode: "yolo" });
    crib.write("a.txt", "one\n");
    const result = await crib.crib.call("edit_smart", { path: "a.txt", location: "one", ...fields });
    expect([result.error?.code, crib.read("a.txt")]).toEqual(["invalid-input", "one\n"]);
    expect(result.content).toContain(reason);
  });
});
