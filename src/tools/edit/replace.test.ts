import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { toolContext } from "../../../test/support/tool-context.ts";
import { schemaFaults, toolFixture } from "../../../test/support/tool-fixture.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { MemoryEnvironment } from "../../environment/memory/memory-environment.ts";
import { fileRead } from "../file/read.ts";
import { editReplace } from "./replace.ts";

describe("edit.replace", () => {
  it("reports what it changed, where, and the old and new hash", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("greet.ts"), "const name = 'Ada';\nconsole.log(name);\n");
    const output = await opened.run(editReplace, { path: "greet.ts", find: "'Ada'", replace: "'Grace'" });
    const diff = "@@ -1,2 +1,2 @@\n-const name = 'Ada';\n+const name = 'Grace';\n console.log(name);";
    const [before, after] = ["Ada", "Grace"].map((name) =>
      hashOf(`const name = '${name}';\nconsole.log(name);\n`),
    );
    expect(output).toEqual({
      data: {
        files: [
          {
            action: "update",
            path: "greet.ts",
            from: undefined,
            target: undefined,
            beforeHash: before,
            afterHash: after,
            changes: [{ firstLine: 1, removedLines: 1, addedLines: 1, tier: "exact" }],
            mode: undefined,
            notes: [],
            diff: `--- a/greet.ts\n+++ b/greet.ts\n${diff}\n`,
          },
        ],
      },
      text: `Edited greet.ts at line 1 (${before!.slice(0, 12)} → ${after!.slice(0, 12)}):\n${diff}`,
    });
    expect(readFileSync(opened.at("greet.ts"), "utf8")).toBe("const name = 'Grace';\nconsole.log(name);\n");
  });

  it("counts a line that loses its start as changed, not as removed", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.txt"), "one two\r\nthree\n");
    const { data } = await opened.run(editReplace, { path: "a.txt", find: "one ", replace: "" });
    expect(data.files[0]?.changes).toEqual([{ firstLine: 1, removedLines: 1, addedLines: 1, tier: "exact" }]);
  });

  it("reports in plain words which differences it ignored to find the text", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.py"), "class A:\n\tdef f(self):\n\t\treturn 1\n");
    writeFileSync(opened.at("b.md"), "It’s “quoted” — so.\r\nNext.\r\n");
    const indented = await opened.run(editReplace, {
      path: "a.py",
      find: "    def f(self):\n        return 1",
      replace: "    def f(self):\n        value = 1\n        return value",
    });
    const glyphs = await opened.run(editReplace, {
      path: "b.md",
      edits: [
        { find: 'It\'s "quoted" - so.', replace: 'It\'s "quoted" - so there.' },
        { find: "7 | Next.", replace: "7 | Last." },
      ],
    });
    expect([indented, glyphs].map(({ data }) => data.files[0]!.notes)).toEqual([
      ["found with other indentation; the new lines were fitted"],
      ["found with other quotes, dashes or spaces; the file's were kept", "line numbers removed"],
    ]);
    expect(["a.py", "b.md"].map((path) => readFileSync(opened.at(path), "utf8"))).toEqual([
      "class A:\n\tdef f(self):\n\t\tvalue = 1\n\t\treturn value\n",
      "It’s “quoted” — so there.\r\nLast.\r\n",
    ]);
  });

  it("applies all edits of a call or none", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.txt"), "one\ntwo\n");
    const edits = [
      { find: "one", replace: "1" },
      { find: "three", replace: "3" },
    ];
    expect(await opened.refusal(editReplace, { path: "a.txt", edits })).toEqual({
      code: "no-match",
      message: "a.txt: edit 2 was not found, and nothing similar",
      hint: "Read the file again and copy the old lines as they are now.",
    });
    expect(readFileSync(opened.at("a.txt"), "utf8")).toBe("one\ntwo\n");
  });

  it("changes the first occurrence on request, and counts those that do not overlap", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.txt"), "x\naaaa\nx\nx\n");
    const first = { path: "a.txt", exact: true, first: true };
    const [one] = (await opened.run(editReplace, { ...first, find: "x", replace: "y" })).data.files;
    const [two] = (await opened.run(editReplace, { ...first, find: "aa", replace: "b" })).data.files;
    const [three] = (await opened.run(editReplace, { path: "a.txt", first: true, find: "y", replace: "z" }))
      .data.files;
    expect([one, two, three].map((file) => file?.occurrences)).toEqual([3, 2, 1]);
    expect(readFileSync(opened.at("a.txt"), "utf8")).toBe("z\nbaa\nx\nx\n");
    expect(schemaFaults(editReplace, { ...first, find: "x", replace: "y", all: true })).toEqual([
      ": give `first` only with `find` and `replace`",
    ]);
  });

  it("uses line numbers of the changed file", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.txt"), "one\ntwo\nthree\nfour\nfive\n");
    const edits = [
      { find: "one\n", replace: "" },
      { find: "three", replace: "3\n3½" },
      { find: "five", replace: "5" },
    ];
    const { text } = await opened.run(editReplace, { path: "a.txt", edits });
    expect(text.split("\n")[0]).toMatch(/^Edited a\.txt at lines 1, 2-3 and 5 /);
  });

  it("shows a line with several changes once", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.txt"), "a b a\na\nb\na b\nb a");
    const { data, text } = await opened.run(editReplace, {
      path: "a.txt",
      find: "a",
      replace: "a\nA",
      all: true,
    });
    const unclosed = "\\ No newline at end of file";
    expect(text.split("\n").slice(1)).toEqual([
      ..."@@ -1,5 +1,10 @@\n-a b a\n+a\n+A b a\n+A\n-a\n+a\n+A\n b\n-a b\n+a\n+A b\n-b a".split("\n"),
      unclosed,
      "+b a",
      "+A",
      unclosed,
    ]);
    expect(data.files[0]!.changes.map((change) => Object.values(change).join(" "))).toEqual([
      "1 1 3 exact",
      "2 1 2 exact",
      "4 1 2 exact",
      "5 1 2 exact",
    ]);
  });

  it("shows the changed part of long lines", async () => {
    await using opened = toolFixture();
    const [head, tail] = ["é".repeat(1000), "o".repeat(1000)];
    writeFileSync(opened.at("a.md"), `${tail}\n${head} one ${tail}\n${tail}\n`);
    const { text } = await opened.run(editReplace, { path: "a.md", find: " one ", replace: " two\nthree " });
    expect(text.split("\n").slice(2)).toEqual([
      ` ${tail.slice(0, 300)}…`,
      `-…${head.slice(0, 79)} one ${tail.slice(0, 216)}…`,
      `+…${head.slice(0, 79)} two`,
      `+three ${tail.slice(0, 294)}…`,
      ` ${tail.slice(0, 300)}…`,
    ]);
  });

  it("shows the first of many changes, and returns all as data", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.txt"), "x\n\n\n\n\n\n\n\n".repeat(30));
    const { data, text } = await opened.run(editReplace, {
      path: "a.txt",
      find: "x",
      replace: "y",
      all: true,
    });
    const lines = text.split("\n");
    expect([lines[0]!.split(" (")[0], ...lines.slice(-2)]).toEqual([
      "Edited a.txt at lines 1, 9, 17, 25, 33, 41, 49, 57, 65, 73 and 20 more",
      "… 117 more lines of difference",
      "… 10 more changes",
    ]);
    expect([data.files[0]!.changes.length, data.files[0]!.diff.match(/^[+-][xy]$/gm)?.length]).toEqual([
      30, 60,
    ]);
  });

  it("finds an invalid byte as a read shows it, and keeps it", async () => {
    await using opened = toolFixture();
    const around = (text: string) => [Buffer.from(`Grüße\ncaf`), Buffer.of(0xe9), Buffer.from(` ${text}\n`)];
    writeFileSync(opened.at("a.txt"), Buffer.concat(around("zu")));
    const { text } = await opened.run(fileRead, { path: "a.txt", line_numbers: false });
    const find = text.split("\n")[1]!;
    await opened.run(editReplace, { path: "a.txt", find, replace: find.replace("zu", "für") });
    expect([find, readFileSync(opened.at("a.txt"))]).toEqual(["caf\ufffd zu", Buffer.concat(around("für"))]);
  });

  it("creates a file from empty text, with its directories", async () => {
    await using opened = toolFixture();
    const { text } = await opened.run(editReplace, { path: "new/a.txt", find: "", replace: "one\ntwo\n" });
    expect([text, readFileSync(opened.at("new/a.txt"), "utf8")]).toEqual([
      `Created new/a.txt, 2 lines (${hashOf("one\ntwo\n").slice(0, 12)}).`,
      "one\ntwo\n",
    ]);
  });

  it("keeps the mode, edits the target of a link, and reports it", async () => {
    await using opened = toolFixture();
    mkdirSync(opened.at("bin"));
    writeFileSync(opened.at("bin/run.sh"), "echo one\n");
    chmodSync(opened.at("bin/run.sh"), 0o750);
    symlinkSync("bin/run.sh", opened.at("run"));
    const { data, text } = await opened.run(editReplace, { path: "run", find: "one", replace: "two" });
    expect([data.files[0]!.target, text.split(" at ")[0]]).toEqual([
      "bin/run.sh",
      "Edited run (a link: the file is bin/run.sh)",
    ]);
    expect([
      readFileSync(opened.at("bin/run.sh"), "utf8"),
      statSync(opened.at("bin/run.sh")).mode & 0o777,
    ]).toEqual(["echo two\n", 0o750]);
    expect(lstatSync(opened.at("run")).isSymbolicLink()).toBe(true);
  });

  it("does not report a link to the workspace as a link to the file", async () => {
    await using opened = toolFixture();
    await using folder = temporaryFolder();
    mkdirSync(opened.at("src"));
    writeFileSync(opened.at("src/a.txt"), "one\n");
    const alias = join(folder.path, "alias");
    symlinkSync(opened.workspace, alias);
    const environment = openLocalEnvironment({ workspace: alias });
    const edit = { path: join(alias, "src/a.txt"), find: "one", replace: "two" };
    const { data } = await editReplace.run(edit, toolContext(environment));
    await environment.close();
    expect([data.files[0]!.target, readFileSync(opened.at("src/a.txt"), "utf8")]).toEqual([
      undefined,
      "two\n",
    ]);
  });

  it("breaks hard links unless asked to keep them", async () => {
    await using opened = toolFixture();
    for (const name of ["broken", "kept"]) {
      writeFileSync(opened.at(name), "one\n");
      linkSync(opened.at(name), opened.at(`${name} too`));
    }
    const edit = { find: "one", replace: "two" };
    await opened.run(editReplace, { path: "broken", ...edit });
    await opened.run(editReplace, { path: "kept", ...edit, hard_links: "keep" });
    const contents = ["broken", "broken too", "kept", "kept too"].map((name) =>
      readFileSync(opened.at(name), "utf8"),
    );
    expect(contents).toEqual(["two\n", "one\n", "two\n", "two\n"]);
  });

  it("refuses a file whose hash differs from the expected one, and reports its hash", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.txt"), "one\n");
    const edit = { path: "a.txt", find: "one", replace: "two" };
    expect(await opened.refusal(editReplace, { ...edit, expected_hash: "0123456789" })).toEqual({
      code: "stale",
      message: `a.txt has the hash ${hashOf("one\n")}, not the expected 0123456789`,
      hint: "Nothing was written. Read the file again, then edit its current content.",
    });
    expect(readFileSync(opened.at("a.txt"), "utf8")).toBe("one\n");
    const digits = hashOf("one\n").slice(0, 8).toUpperCase();
    await opened.run(editReplace, { ...edit, expected_hash: digits });
    expect(readFileSync(opened.at("a.txt"), "utf8")).toBe("two\n");
  });

  it("refuses files that are not editable text, with a hint", async () => {
    await using opened = toolFixture();
    mkdirSync(opened.at("src"));
    execFileSync("/usr/bin/env", ["mkfifo", opened.at("pipe")]);
    writeFileSync(opened.at("dot.png"), Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"));
    writeFileSync(opened.at("huge.log"), "");
    truncateSync(opened.at("huge.log"), 64 * 1024 * 1024 + 1);
    symlinkSync("/etc/passwd", opened.at("away"));
    const refusals = ["src", "pipe", "dot.png", "huge.log", "away", "../x", "greet.txt", "nul\0"];
    writeFileSync(opened.at("greet.ts"), "");
    const edit = { find: "one", replace: "two" };
    const given: unknown[] = [];
    for (const path of refusals) given.push(await opened.refusal(editReplace, { path, ...edit }));
    const outside = `Use a path inside ${opened.context.environment.workspace}; links must stay inside it too.`;
    expect(given).toEqual([
      refusal("unsupported", "src is a directory, not a file", "List the directory, then name a file in it."),
      refusal(
        "unsupported",
        "pipe is a FIFO, device or socket, not a file",
        "Use the path of a regular file.",
      ),
      refusal(
        "unsupported",
        "dot.png is a binary file that does not contain the text exactly once",
        "Give text that matches the file byte for byte.",
      ),
      refusal(
        "too-large",
        "huge.log is too large to edit: the limit is 64 MB",
        "Change it with a command or script.",
      ),
      refusal("outside-workspace", "away leads outside the workspace", outside),
      refusal("outside-workspace", "../x leads outside the workspace", outside),
      refusal("not-found", "greet.txt does not exist", "Did you mean greet.ts?"),
      refusal("invalid-input", expect.stringContaining("NUL"), expect.any(String)),
    ]);
  });

  it("refuses text that occurs more than 200000 times", async () => {
    const environment = new MemoryEnvironment({ files: { "a.txt": "x\n".repeat(200_001) } });
    const refusals = [{ all: true }, {}].map(async (choice) => {
      const edit = editReplace.run(
        { path: "a.txt", find: "x", replace: "y", ...choice },
        toolContext(environment),
      );
      return edit.catch(({ code, message }) => ({ code, message }));
    });
    const refusal = { code: "too-large", message: "a.txt: the text occurs more than 200000 times" };
    expect(await Promise.all(refusals)).toEqual([refusal, refusal]);
  });

  it("does not write a read-only file", { tags: "root" }, async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.txt"), "one\n");
    chmodSync(opened.at("a.txt"), 0o444);
    const edit = { path: "a.txt", find: "one", replace: "two" };
    // Permission bits do not apply to root.
    if (process.getuid?.() === 0) await opened.run(editReplace, edit);
    else expect((await opened.refusal(editReplace, edit)).code).toBe("denied");
    expect([readFileSync(opened.at("a.txt"), "utf8"), statSync(opened.at("a.txt")).mode & 0o777]).toEqual([
      process.getuid?.() === 0 ? "two\n" : "one\n",
      0o444,
    ]);
  });

  it("leaves the file unchanged when it is cancelled", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.txt"), "one\n");
    const edit = { path: "a.txt", find: "one", replace: "two" };
    expect((await opened.refusal(editReplace, edit, AbortSignal.abort())).code).toBe("cancelled");
    expect(readFileSync(opened.at("a.txt"), "utf8")).toBe("one\n");
  });

  it("plans again when another process writes between its read and its write", async () => {
    /** Another process writes just before each of the first two changes. */
    class BusyEnvironment extends MemoryEnvironment {
      #others = ["one\n2\n", "one\n2\nthree\n"];

      override async change(...call: Parameters<MemoryEnvironment["change"]>) {
        const content = this.#others.shift();
        if (content !== undefined) await this.writeFile("a.txt", Buffer.from(content));
        return super.change(...call);
      }
    }
    const environment = new BusyEnvironment({ files: { "a.txt": "one\ntwo\n" } });
    await editReplace.run({ path: "a.txt", find: "one", replace: "1" }, toolContext(environment));
    const { bytes } = await environment.readFile("a.txt", { maxBytes: 100 });
    expect(Buffer.from(bytes).toString()).toBe("1\n2\nthree\n");
  });

  it("declares only the path it writes", () => {
    expect(editReplace.accesses({ path: join("a", "b.txt"), find: "x", replace: "y" })).toEqual([
      { kind: "write", path: "a/b.txt" },
    ]);
  });

  it("accepts one edit or a list, and reports missing fields", () => {
    const edit = { find: "a", replace: "b" };
    const inputs = [
      { path: "x", ...edit },
      { path: "x", edits: [edit] },
      { path: "x", find: "", replace: "", all: false, edits: [edit] },
      { path: "x", ...edit, edits: [] },
      { path: "x" },
      { path: "x", replace: "b" },
      { path: "x", find: "a" },
      { path: "x", ...edit, edits: [edit] },
      { path: "x", ...edit, expected_hash: "abc" },
      { path: "x", ...edit, expect_count: 0 },
      { ...edit, file: "x" },
    ];
    expect(inputs.map((input) => schemaFaults(editReplace, input))).toEqual([
      [],
      [],
      [],
      [],
      [": give `find` and `replace`, or `edits`"],
      [": `find` is missing: the text to replace"],
      [": `replace` is missing: the new text, empty to remove"],
      [": give `find` and `replace`, or `edits`, not both"],
      ["expected_hash: must be a SHA-256 in hex, or at least its first 8 digits"],
      ["expect_count: Invalid input"],
      ["path: Invalid input", ": Invalid input"],
    ]);
  });
});

function refusal(code: string, message: string, hint: string) {
  return { code, message, hint };
}

function hashOf(content: string): string {
  return hash("sha256", content, "hex");
}

describe("edit.replace in a file without typographic characters", () => {
  const code = `const a = "one";\nlog('it', a - 1);\n`;
  const replaced = async (content: string, find: string, replace: string) => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.js"), content);
    await opened.run(editReplace, { path: "a.js", find, replace });
    return readFileSync(opened.at("a.js"), "utf8");
  };

  it("writes plain quotes, dashes and blanks when the text to find had typographic ones", async () => {
    expect([
      await replaced(code, "const a = “one”;", "const a = “two”;\nconst b = ‘three’;"),
      await replaced(code, "log(‘it’, a – 1);", "log(‘it’, a – 2, “…”);"),
      await replaced(code, 'const a\u00a0= "one";', "const a\u00a0= f(“x”)\u00a0- 1;"),
    ]).toEqual([
      code.replace('"one";', "\"two\";\nconst b = 'three';"),
      code.replace("1)", '2, "...")'),
      code.replace('"one"', 'f("x") - 1'),
    ]);
  });

  it("keeps typographic characters that an exact match adds, or that the file has too", async () => {
    expect([
      await replaced(code, '"one"', '"“one”"'),
      await replaced(`${code}// “So.”\n`, "const a = “one”;", "const a = “one” + “–”;"),
    ]).toEqual([code.replace("one", "“one”"), `${code.replace('"one"', '"one" + "–"')}// “So.”\n`]);
  });

  it("writes no blanks at line ends that the text to find had and the file has not", async () => {
    expect([
      await replaced("one\ntwo\n", "one  \ntwo\n", "one  \nnew  \nhard\t\ntwo\n"),
      await replaced("one\ntwo  \n", "one\ntwo \n", "one\nnew \ntwo \n"),
    ]).toEqual(["one\nnew\nhard\t\ntwo\n", "one\nnew \ntwo  \n"]);
  });
});
