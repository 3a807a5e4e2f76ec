import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { temporaryToolcrib } from "../../../test/support/temporary-toolcrib.ts";
import { type ToolFixture, toolFixture } from "../../../test/support/tool-fixture.ts";
import { fileRead } from "../file/read.ts";
import { editAnchored } from "./anchored.ts";
import { editReplace } from "./replace.ts";

const five = "one\ntwo\nthree\nfour\nfive\n";

/** Writes a file, reads it with anchors, and returns them by line number. */
async function anchorsOf(opened: ToolFixture, content: string | Uint8Array): Promise<Record<number, string>> {
  writeFileSync(opened.at("a.txt"), content);
  return readAnchors(opened);
}

async function readAnchors(opened: ToolFixture): Promise<Record<number, string>> {
  const { text } = await opened.run(fileRead, { path: "a.txt", anchors: true });
  return byNumber(text);
}

function byNumber(text: string): Record<number, string> {
  const lines = text.split("\n").filter((line) => /^\d+:[0-9a-z]{4}\|/.test(line));
  return Object.fromEntries(lines.map((line) => [Number.parseInt(line, 10), line.split("|")[0]!]));
}

function contentOf(opened: ToolFixture, encoding: BufferEncoding = "utf8"): string {
  return readFileSync(opened.at("a.txt"), encoding);
}

describe("edit.anchored", () => {
  it("replaces, deletes and inserts lines in one call", async () => {
    await using opened = toolFixture();
    const at = await anchorsOf(opened, five);
    const { text } = await opened.run(editAnchored, {
      path: "a.txt",
      edits: [
        { op: "insert_after", from: at[5]!, text: "six" },
        { op: "replace", from: at[2]!, to: at[3]!, text: "2\n3\n" },
        { op: "insert_before", from: at[1]!, text: "zero\n" },
        { op: "delete", from: at[4]! },
      ],
    });
    expect(contentOf(opened)).toBe("zero\none\n2\n3\nfive\nsix\n");
    const fresh = await readAnchors(opened);
    const shown = ["zero", "one", "2", "3", "five", "six"].map(
      (line, index) => `${fresh[index + 1]}|${line}`,
    );
    expect(text.split("\n").slice(1)).toEqual(shown);
  });

  it("accepts anchors with the text of their lines, and in capitals", async () => {
    await using opened = toolFixture();
    const at = await anchorsOf(opened, five);
    await opened.run(editAnchored, {
      path: "a.txt",
      edits: [{ op: "replace", from: `${at[2]!.toUpperCase()}|two`, to: ` ${at[3]}|`, text: "\n" }],
    });
    expect(contentOf(opened)).toBe("one\n\nfour\nfive\n");
  });

  it.each([
    ["carriage returns", "one\r\ntwo\r\nthree\r\n", "one\r\nzwei\r\nnew\r\nthree\r\n"],
    ["a byte-order mark", "\ufeffone\ntwo\nthree\n", "\ufeffone\nzwei\nnew\nthree\n"],
    ["no final line end", "one\ntwo", "one\nzwei\nnew"],
    ["a carriage return in a line", "one\rone\ntwo\nthree\n", "one\rone\nzwei\nnew\nthree\n"],
    ["repeated lines", "}\n}\n}\n}\n", "}\nzwei\nnew\n}\n}\n"],
  ])("keeps every other byte of a file with %s", async (_, before, after) => {
    await using opened = toolFixture();
    const at = await anchorsOf(opened, before);
    await opened.run(editAnchored, {
      path: "a.txt",
      edits: [{ op: "replace", from: at[2]!, text: "zwei\r\nnew\r\n" }],
    });
    expect(contentOf(opened)).toBe(after);
  });

  it.each(["latin1", "utf16le"] as const)("keeps the encoding %s", async (encoding) => {
    await using opened = toolFixture();
    const mark = encoding === "utf16le" ? "\ufeff" : "";
    const at = await anchorsOf(opened, Buffer.from(`${mark}Größe\nfür\nalle\n`, encoding));
    const edits = [{ op: "replace" as const, from: at[2]!, text: "über" }];
    await opened.run(editAnchored, { path: "a.txt", edits });
    expect(contentOf(opened, encoding)).toBe(`${mark}Größe\nüber\nalle\n`);
  });

  it("deletes the end of a file without a final line end, next to another edit", async () => {
    await using opened = toolFixture();
    const at = await anchorsOf(opened, "one\ntwo\nthree");
    await opened.run(editAnchored, {
      path: "a.txt",
      edits: [
        { op: "delete", from: at[3]! },
        { op: "replace", from: at[2]!, text: "2" },
      ],
    });
    expect(contentOf(opened)).toBe("one\n2");
  });

  it("refuses a line that has changed, and shows the current lines with anchors to send again", async () => {
    await using opened = toolFixture();
    const at = await anchorsOf(opened, five);
    writeFileSync(opened.at("a.txt"), five.replace("three", "THREE"));
    const stale = { path: "a.txt", edits: [{ op: "delete" as const, from: at[3]! }] };
    const refusal = await opened.refusal(editAnchored, stale);
    const fresh = byNumber(refusal.message);
    expect(refusal).toEqual({
      code: "stale",
      message: [
        `a.txt: ${at[3]} is stale: line 3 or a line next to it has changed.`,
        "The current lines:",
        ...["one", "two", "THREE", "four", "five"].map((line, index) => `${fresh[index + 1]}|${line}`),
      ].join("\n"),
      hint: "Nothing was written. Send the edit again with the current anchors, or give `expected_hash`.",
    });
    expect(contentOf(opened)).toBe(five.replace("three", "THREE"));
    await opened.run(editAnchored, { path: "a.txt", edits: [{ op: "delete", from: fresh[3]! }] });
    expect(contentOf(opened)).toBe("one\ntwo\nfour\nfive\n");
  });

  it("shows where a line has moved, and does not follow it", async () => {
    await using opened = toolFixture();
    const at = await anchorsOf(opened, five);
    writeFileSync(opened.at("a.txt"), `new\nlines\n${five}`);
    const refusal = await opened.refusal(editAnchored, {
      path: "a.txt",
      edits: [{ op: "delete", from: at[3]! }],
    });
    expect(refusal.message.split("\n")[0]).toBe(`a.txt: ${at[3]} is now line 5.`);
    const fresh = byNumber(refusal.message);
    await opened.run(editAnchored, { path: "a.txt", edits: [{ op: "delete", from: fresh[5]! }] });
    expect(contentOf(opened)).toBe("new\nlines\none\ntwo\nfour\nfive\n");
  });

  it("refuses a range in which another program has changed a line", async () => {
    await using opened = toolFixture();
    const lines = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`);
    const at = await anchorsOf(opened, `${lines.join("\n")}\n`);
    const changed = `${lines.with(5, "by the user").join("\n")}\n`;
    writeFileSync(opened.at("a.txt"), changed);
    const edits = [{ op: "delete" as const, from: at[2]!, to: at[11]! }];
    expect(await opened.refusal(editAnchored, { path: "a.txt", edits })).toMatchObject({
      code: "stale",
      message: expect.stringContaining("line 6 has changed or moved since you last saw it"),
    });
    expect(contentOf(opened)).toBe(changed);
  });

  it("refuses repeated lines when it is unclear which of them was removed", async () => {
    await using opened = toolFixture();
    const block = "  {\n    a: 1,\n  },\n";
    const at = await anchorsOf(opened, `[\n${block.repeat(5)}]\n`);
    writeFileSync(opened.at("a.txt"), `[\n${block.repeat(4)}]\n`);
    const edits = [{ op: "delete" as const, from: at[6]! }];
    expect((await opened.refusal(editAnchored, { path: "a.txt", edits })).code).toBe("stale");
  });

  it("edits one of several equal places only if no line above it can have changed", async () => {
    await using opened = toolFixture();
    const block = "  {\n    a: 1,\n  },\n";
    const at = await anchorsOf(opened, `[\n${block.repeat(4)}]\n`);
    await using other = toolFixture();
    writeFileSync(other.at("a.txt"), contentOf(opened));
    const call = { path: "a.txt", edits: [{ op: "delete" as const, from: at[6]! }] };
    const refusal = await other.refusal(editAnchored, call);
    expect(refusal.message).toContain(`${at[6]} is one of several equal places`);
    await other.run(editAnchored, call);
    const { text } = await opened.run(fileRead, { path: "a.txt", anchors: true, offset: 6, limit: 1 });
    await opened.run(editAnchored, { ...call, edits: [{ op: "delete", from: text }] });
    expect(contentOf(opened)).toBe(contentOf(other));
  });

  it("edits a file that has changed elsewhere, and says so", async () => {
    await using opened = toolFixture();
    const at = await anchorsOf(opened, five);
    writeFileSync(opened.at("a.txt"), five.replace("five", "FIVE"));
    const { text } = await opened.run(editAnchored, {
      path: "a.txt",
      edits: [{ op: "replace", from: at[2]!, text: "2" }],
    });
    expect(contentOf(opened)).toBe("one\n2\nthree\nfour\nFIVE\n");
    expect(text).toContain("(changed since you last saw it, at line 5; your edit still fits)");
  });

  it("keeps anchors that are two lines away from an edit with as many lines", async () => {
    await using opened = toolFixture();
    const at = await anchorsOf(opened, five);
    await opened.run(editReplace, { path: "a.txt", find: "one", replace: "1" });
    await opened.run(editAnchored, { path: "a.txt", edits: [{ op: "delete", from: at[3]! }] });
    expect(contentOf(opened)).toBe("1\ntwo\nfour\nfive\n");
  });

  it("refuses to remove lines that the caller has not read, unless it gives the hash of the file", async () => {
    await using opened = toolFixture();
    const lines = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`);
    const at = await anchorsOf(opened, `${lines.join("\n")}\n`);
    await using other = toolFixture();
    writeFileSync(other.at("a.txt"), contentOf(opened));
    const call = { path: "a.txt", edits: [{ op: "delete" as const, from: at[2]!, to: at[11]! }] };
    expect(await other.refusal(editAnchored, call)).toEqual({
      code: "stale",
      message: "a.txt: the edit would remove line 4, which you have not read",
      hint: "Read lines 2 to 11 first, or give `expected_hash`.",
    });
    const { data } = await opened.run(fileRead, { path: "a.txt" });
    const [file] = data.files;
    await other.run(editAnchored, { ...call, expected_hash: (file as { hash: string }).hash });
    expect(contentOf(other)).toBe("line 1\nline 12\n");
  });

  it("reads the same anchors in a part of a file", async () => {
    await using opened = toolFixture();
    const all = await anchorsOf(opened, five);
    const { text } = await opened.run(fileRead, { path: "a.txt", anchors: true, offset: -3, limit: 2 });
    expect(text).toBe(`${all[3]}|three\n${all[4]}|four`);
  });

  it.each([
    [
      "overlapping ranges",
      [
        ["replace", 1, 3, "x"],
        ["delete", 3, 4],
      ],
      "edit 1 and edit 2 change the same text at line 3",
    ],
    [
      "two insertions at one position",
      [
        ["insert_after", 2, 0, "x"],
        ["insert_before", 3, 0, "y"],
      ],
      "edit 1 and edit 2 change the same text at line 3",
    ],
    ["an edit that changes nothing", [["replace", 2, 0, "two"]], "the edit would change nothing"],
    ["a replacement without text", [["replace", 2, 0, ""]], "the edit has no `text`"],
    ["a deletion with text", [["delete", 2, 0, "x"]], "the edit has op delete and `text`"],
    ["an insertion with two anchors", [["insert_after", 2, 3, "x"]], "the edit has op insert_after and `to`"],
    ["a range that ends before it begins", [["delete", 3, 2]], "the edit ends at line 2, before it begins"],
    [
      "a placeholder",
      [["replace", 2, 0, "// ... existing code ..."]],
      "the new text contains a placeholder instead of code: // ... existing code ...",
    ],
  ] as const)("refuses %s", async (_, wanted, problem) => {
    await using opened = toolFixture();
    const at = await anchorsOf(opened, five);
    const edits = wanted.map(([op, from, to, text]) => ({
      op,
      from: at[from]!,
      ...(to > 0 && { to: at[to]! }),
      ...(text !== undefined && { text }),
    }));
    const refusal = await opened.refusal(editAnchored, { path: "a.txt", edits });
    expect(refusal).toMatchObject({ code: "invalid-input", message: `a.txt: ${problem}` });
    expect(contentOf(opened)).toBe(five);
  });

  it("refuses anchors that it cannot read, and new lines with anchors", async () => {
    await using opened = toolFixture();
    const at = await anchorsOf(opened, five);
    const refusalOf = (from: string, text: string) =>
      opened.refusal(editAnchored, { path: "a.txt", edits: [{ op: "replace", from, text }] });
    expect((await refusalOf("line 2", "x")).message).toBe('a.txt: the edit has an invalid anchor: "line 2"');
    expect(await refusalOf(at[2]!, `${at[2]}|TWO`)).toEqual({
      code: "invalid-input",
      message: `a.txt: the text of the edit contains anchors: ${at[2]}|TWO`,
      hint: "Give the new lines without anchors.",
    });
    expect((await refusalOf("99:0000", "x")).message).toContain(
      "99:0000 is not in the file, which has 5 lines",
    );
  });

  it("shows the diff for approval, redacts secrets in a refusal, and is undone like other edits", async () => {
    const key = "AKIAIOSFODNN7EXAMPLQ";
    const previews: string[] = [];
    await using opened = await temporaryToolcrib({
      rules: ["ask write secret.txt"],
      approve: async ({ preview }) => {
        previews.push(preview ?? "");
        return { allow: true };
      },
    });
    const { crib, read, write } = opened;
    write("secret.txt", `one\naws_access_key_id = ${key}\nthree\n`);
    const shown = await crib.call("file.read", { path: "secret.txt", anchors: true });
    const stale = { path: "secret.txt", edits: [{ op: "delete" as const, from: "2:0000" }] };
    const refused = await crib.call("edit.anchored", stale);
    expect([shown.content.includes(key), refused.error?.code, refused.content.includes(key)]).toEqual([
      false,
      "stale",
      false,
    ]);
    const from = byNumber(shown.content)[1]!;
    const edited = await crib.call("edit.anchored", {
      path: "secret.txt",
      edits: [{ op: "replace", from, text: "ONE" }],
    });
    expect([edited.isError, read("secret.txt").split("\n")[0]]).toEqual([false, "ONE"]);
    expect(previews.at(-1)).toContain("-one\n+ONE\n");
    await crib.call("journal.undo", { last: 1 });
    expect(read("secret.txt")).toBe(`one\naws_access_key_id = ${key}\nthree\n`);
  });

  it("makes one of two edits of a line that two callers send at once, and refuses the other", async () => {
    await using opened = await temporaryToolcrib();
    const { crib, read, write } = opened;
    write("a.txt", five);
    const other = await crib.addCaller({});
    const callers = [crib, other];
    const calls = await Promise.all(
      callers.map(async (caller, index) => {
        const { content } = await caller.call("file.read", { path: "a.txt", anchors: true });
        return {
          path: "a.txt",
          edits: [{ op: "replace" as const, from: byNumber(content)[3]!, text: `${index}` }],
        };
      }),
    );
    const results = await Promise.all(
      calls.map((call, index) => callers[index]!.call("edit.anchored", call)),
    );
    const made = results.findIndex(({ isError }) => !isError);
    expect(results[1 - made]?.error?.code).toBe("stale");
    expect(read("a.txt")).toBe(five.replace("three", `${made}`));
  });

  it("does not follow a file that was replaced by a link out of the workspace", async () => {
    await using opened = await temporaryToolcrib();
    await using outside = toolFixture();
    const at = await anchorsOf(outside, five);
    symlinkSync(outside.at("a.txt"), opened.at("a.txt"));
    const edits = [{ op: "delete" as const, from: at[3]! }];
    const { error, content } = await opened.crib.call("edit.anchored", { path: "a.txt", edits });
    expect([error?.code, content.includes("three"), contentOf(outside)]).toEqual([
      "outside-workspace",
      false,
      five,
    ]);
  });
});
