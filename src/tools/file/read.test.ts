import { hash } from "node:crypto";
import { appendFileSync, mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { schemaFaults, toolFixture } from "../../../test/support/tool-fixture.ts";
import { type FileReadInput, fileRead } from "./read.ts";
import { fileWrite } from "./write.ts";

const png = "iVBORw0KGgoAAAANSUhEUgAAAAcAAAAFCAIAAAAG+GGPAAAADElEQVR4XmNgoCcAAABuAAGxmO/SAAAAAElFTkSuQmCC";

const plain = { encoding: "utf-8", lineEnd: "lf", nextOffset: undefined } as const;

describe("file.read", () => {
  it("numbers the lines of a text file", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("poem.txt"), "Two roads\n\n  diverged\n");
    expect(await opened.run(fileRead, { path: "poem.txt" })).toEqual({
      data: {
        files: [
          {
            ...plain,
            kind: "text",
            path: "poem.txt",
            text: "Two roads\n\n  diverged\n",
            firstLine: 1,
            lines: 3,
            totalLines: 3,
            bytes: 22,
            hash: hashOf("Two roads\n\n  diverged\n"),
          },
        ],
      },
      text: "1 | Two roads\n2 | \n3 |   diverged",
      showsData: true,
    });
  });

  it("shows plain text without line numbers, including the last newline", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("with.txt"), "a\r\nb\r\n");
    writeFileSync(opened.at("without.txt"), "a\nb");
    const shown = async (path: string) => (await opened.run(fileRead, { path, line_numbers: false })).text;
    expect([await shown("with.txt"), await shown("without.txt")]).toEqual(["a\nb\n", "a\nb"]);
  });

  it("shows a part and how to continue", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("numbers.txt"), numbers(10));
    expect(await opened.run(fileRead, { path: "numbers.txt", offset: 3, limit: 2 })).toEqual({
      data: {
        files: [
          {
            ...plain,
            kind: "text",
            path: "numbers.txt",
            text: "3\n4\n",
            firstLine: 3,
            lines: 2,
            totalLines: 10,
            nextOffset: 5,
            bytes: 21,
          },
        ],
      },
      text: "3 | 3\n4 | 4",
      showsData: true,
      continuation: "numbers.txt: lines 3 to 4 of 10; continue with offset 5.",
    });
  });

  it("shows 2000 lines by default", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("numbers.txt"), numbers(2001));
    const output = await opened.run(fileRead, { path: "numbers.txt", line_numbers: false });
    expect(output.text).toBe(numbers(2000));
    expect(output.continuation).toBe("numbers.txt: lines 1 to 2000 of 2001; continue with offset 2001.");
  });

  it("counts from the end, with the real line numbers", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("numbers.txt"), numbers(100));
    const last = await opened.run(fileRead, { path: "numbers.txt", offset: -2 });
    expect([last.text, last.continuation]).toEqual(["99 | 99\n100 | 100", undefined]);
    const middle = await opened.run(fileRead, { path: "numbers.txt", offset: -50, limit: 2 });
    expect([middle.text, middle.continuation]).toEqual([
      "51 | 51\n52 | 52",
      "numbers.txt: lines 51 to 52 of 100; continue with offset 53.",
    ]);
    const all = await opened.run(fileRead, { path: "numbers.txt", offset: -500, limit: 1 });
    expect(all.text).toBe("1 | 1");
  });

  it("numbers from the end when counting the whole file would take too long", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("large.log"), `${"x".repeat(99)}\n`.repeat(200_000));
    appendFileSync(opened.at("large.log"), numbers(3));
    const output = await opened.run(fileRead, { path: "large.log", offset: -3, limit: 2 });
    expect([output.text, output.continuation]).toEqual([
      "-3 | 1\n-2 | 2",
      "large.log: lines -3 to -2, more follow; continue with offset -1.",
    ]);
    const rest = await opened.run(fileRead, { path: "large.log", offset: -1 });
    expect(rest.text).toBe("-1 | 3");
  });

  it("continues where it stopped while the file grows", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("growing.log"), numbers(5));
    const first = await opened.run(fileRead, { path: "growing.log", limit: 4 });
    appendFileSync(opened.at("growing.log"), "6\n7\n");
    const [file] = first.data.files;
    const offset = file?.kind === "text" ? file.nextOffset : undefined;
    expect((await opened.run(fileRead, { path: "growing.log", offset })).text).toBe("5 | 5\n6 | 6\n7 | 7");
  });

  it("reports that a file is empty, with or without a byte-order mark", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("empty"), "");
    writeFileSync(opened.at("mark"), "\ufeff");
    const empty = {
      ...plain,
      kind: "text",
      text: "",
      firstLine: 1,
      lines: 0,
      totalLines: 0,
      lineEnd: "none",
    };
    expect(await opened.run(fileRead, { path: "empty", offset: 7 })).toEqual({
      data: { files: [{ ...empty, path: "empty", bytes: 0, hash: hashOf("") }] },
      text: "[The file is empty.]",
    });
    expect(await opened.run(fileRead, { path: "mark" })).toEqual({
      data: { files: [{ ...empty, path: "mark", encoding: "utf-8-bom", bytes: 3, hash: hashOf("\ufeff") }] },
      text: "[The file is empty.]",
    });
  });

  it("reports every encoding except plain UTF-8", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("mark"), "\ufeffGrüße\n");
    writeFileSync(opened.at("little"), Buffer.from("\ufeffGrüße\nĊ\n", "utf16le"));
    writeFileSync(opened.at("big"), Buffer.from("\ufeffGrüße\nĊ\n", "utf16le").swap16());
    writeFileSync(opened.at("latin"), Buffer.from("Grüße\n", "latin1"));
    const shown = async (path: string) => (await opened.run(fileRead, { path, offset: -2 })).text;
    expect(await Promise.all(["mark", "little", "big", "latin"].map(shown))).toEqual([
      "1 | Grüße\n[encoding: utf-8-bom]",
      "1 | Grüße\n2 | Ċ\n[encoding: utf-16le]",
      "1 | Grüße\n2 | Ċ\n[encoding: utf-16be]",
      "1 | Grüße\n[encoding: latin1, because it is not valid UTF-8]",
    ]);
  });

  it("returns the hash of the whole file, including its byte-order mark, in any encoding", async () => {
    await using opened = toolFixture();
    const contents = {
      "plain 8": Buffer.from("Grüße\n"),
      "marked 8": Buffer.from("\ufeffGrüße\n"),
      "plain 16": Buffer.from("All in ASCII\n", "utf16le"),
      "little 16": Buffer.from("\ufeffGrüße\n", "utf16le"),
      "big 16": Buffer.from("\ufeffGrüße\n", "utf16le").swap16(),
      latin: Buffer.from("Grüße\n", "latin1"),
    };
    for (const [name, bytes] of Object.entries(contents)) writeFileSync(opened.at(name), bytes);
    const { data } = await opened.run(fileRead, { paths: Object.keys(contents) });
    expect(data.files.map((file) => (file.kind === "text" ? file.hash : file))).toEqual(
      Object.values(contents).map(hashOf),
    );
  });

  it("returns line endings in its data", async () => {
    await using opened = toolFixture();
    const texts = { lf: "a\nb\n", crlf: "a\r\nb\r\n", mixed: "a\nb\r\n", none: "a" };
    for (const [name, text] of Object.entries(texts)) writeFileSync(opened.at(name), text);
    const { data, text } = await opened.run(fileRead, { paths: Object.keys(texts) });
    expect(data.files.map((file) => (file.kind === "text" ? file.lineEnd : file))).toEqual(
      Object.keys(texts),
    );
    expect(text).toBe(
      "==> lf <==\n1 | a\n2 | b\n==> crlf <==\n1 | a\n2 | b\n==> mixed <==\n1 | a\n2 | b\n==> none <==\n1 | a",
    );
  });

  it("returns long lines whole; the pipeline shows their beginning", async () => {
    await using opened = toolFixture();
    const line = `${"x".repeat(1999)}😀${"y".repeat(100)}`;
    writeFileSync(opened.at("bundle.js"), `${line}\nshort\n`);
    const { data, text } = await opened.run(fileRead, { path: "bundle.js" });
    expect(text).toBe(`1 | ${line}\n2 | short`);
    expect(data.files).toEqual([
      {
        ...plain,
        kind: "text",
        path: "bundle.js",
        text: `${line}\nshort\n`,
        firstLine: 1,
        lines: 2,
        totalLines: 2,
        bytes: 2110,
        hash: hashOf(`${line}\nshort\n`),
      },
    ]);
  });

  it("cuts a line of megabytes without reading it into memory, and continues after it", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("huge.json"), `${"ä".repeat(1_500_000)}\nend\n`);
    const { text, continuation } = await opened.run(fileRead, { path: "huge.json" });
    expect(text).toBe(`1 | ${"ä".repeat(524_288)}`);
    expect(continuation).toBe(
      "huge.json: line 1 of 2; continue with offset 2. 1951424 more bytes of this line: find text in them with search.grep, or print a part with the command tail -c.",
    );
    expect((await opened.run(fileRead, { path: "huge.json", offset: 2 })).text).toBe("2 | end");
  });

  it("returns images", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("dot.png"), Buffer.from(png, "base64"));
    expect(await opened.run(fileRead, { path: "dot.png", offset: 2 })).toEqual({
      data: {
        files: [
          {
            kind: "image",
            path: "dot.png",
            mediaType: "image/png",
            base64: png,
            width: 7,
            height: 5,
            bytes: 69,
          },
        ],
      },
      text: "dot.png: PNG image (image/png), 7 × 5 pixels, 69 bytes",
      images: [{ mediaType: "image/png", base64: png }],
    });
  });

  it("reads several files, and shows an error in place of one that fails", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.txt"), numbers(3));
    writeFileSync(opened.at("dot.png"), Buffer.from(png, "base64"));
    const missing = {
      code: "not-found",
      message: "notes/b.txt does not exist",
      hint: "List the directory or search for the name to find the right path.",
    } as const;
    expect(await opened.run(fileRead, { paths: ["a.txt", "notes/b.txt", "dot.png"], limit: 2 })).toEqual({
      data: {
        files: [
          {
            ...plain,
            kind: "text",
            path: "a.txt",
            text: "1\n2\n",
            firstLine: 1,
            lines: 2,
            totalLines: 3,
            nextOffset: 3,
            bytes: 6,
          },
          { kind: "error", path: "notes/b.txt", ...missing },
          {
            kind: "image",
            path: "dot.png",
            mediaType: "image/png",
            base64: png,
            width: 7,
            height: 5,
            bytes: 69,
          },
        ],
      },
      text: [
        "==> a.txt <==\n1 | 1\n2 | 2",
        `==> notes/b.txt <==\n[not-found: ${missing.message}. ${missing.hint}]`,
        "==> dot.png <==\ndot.png: PNG image (image/png), 7 × 5 pixels, 69 bytes",
      ].join("\n"),
      continuation: "a.txt: lines 1 to 2 of 3; continue with offset 3.",
      images: [{ mediaType: "image/png", base64: png }],
    });
  });

  it("fails when none of several files can be read", async () => {
    await using opened = toolFixture();
    mkdirSync(opened.at("src"));
    expect(await opened.refusal(fileRead, { paths: ["../x", "src"] })).toEqual({
      code: "outside-workspace",
      message: [
        `outside-workspace: ../x leads outside the workspace. Use a path inside ${opened.workspace}; links must stay inside it too.`,
        "unsupported: src is a directory, not a file. List it with file.list. Find files in it with search.glob.",
      ].join("\n"),
      hint: "Correct the paths and call again.",
    });
  });

  it("reads files that match patterns, each once, and files whose names look like patterns", async () => {
    await using opened = toolFixture();
    mkdirSync(opened.at("src/deep"), { recursive: true });
    const names = [
      "src/b.ts",
      "src/a.ts",
      "src/deep/c.ts",
      "src/[id].ts",
      "src/i.ts",
      "src/ignored.ts",
      "top.ts",
    ];
    for (const name of names) writeFileSync(opened.at(name), "x\n");
    writeFileSync(opened.at(".gitignore"), "ignored.ts\n");
    const read = async (...paths: string[]) =>
      (await opened.run(fileRead, { paths })).data.files.map(({ kind, path }) => `${kind} ${path}`);
    expect(await read("src/*.ts", "src/a.ts", "src/no*")).toEqual([
      "text src/[id].ts",
      "text src/a.ts",
      "text src/b.ts",
      "text src/i.ts",
      "error src/no*",
    ]);
    expect(await read("src/[id].ts")).toEqual(["text src/[id].ts"]);
    expect(await read(`${opened.workspace}/src/**/c.{ts,js}`, "*op.ts")).toEqual([
      "text src/deep/c.ts",
      "text top.ts",
    ]);
  });

  it("reads at most 50 files, and reports how many more there are", async () => {
    await using opened = toolFixture();
    for (let number = 1; number <= 52; number++) writeFileSync(opened.at(`${number}.txt`), "");
    const { data, continuation } = await opened.run(fileRead, { paths: ["*.txt"] });
    expect([data.files.length, continuation]).toEqual([
      50,
      "2 more files not read: narrow the patterns, or name files.",
    ]);
  });

  it("omits excluded files, and includes ignored files on request", async () => {
    await using opened = toolFixture();
    for (const name of ["docs", "out"]) mkdirSync(opened.at(name));
    for (const name of ["a.md", "b.md", "docs/a.md", "out/c.md"]) writeFileSync(opened.at(name), "x\n");
    writeFileSync(opened.at(".gitignore"), "out/\n");
    const named = async (input: Partial<FileReadInput>) =>
      (await opened.run(fileRead, { paths: ["*.md"], ...input })).data.files.map(({ path }) => path);
    expect([
      await named({ exclude: ["docs/", "b.*"] }),
      await named({ exclude: ["a.md"], no_ignore: true }),
    ]).toEqual([["a.md"], ["b.md", "out/c.md"]]);
  });

  it("refuses patterns that lead outside, and those that match nothing", async () => {
    await using opened = toolFixture();
    expect(await opened.refusal(fileRead, { paths: ["../*", "*.none"] })).toEqual({
      code: "outside-workspace",
      message: [
        `outside-workspace: .. leads outside the workspace. Use a path inside ${opened.workspace}; links must stay inside it too.`,
        "not-found: No file matches *.none. Correct the pattern; for hidden or ignored files, give exact paths.",
      ].join("\n"),
      hint: "Correct the paths and call again.",
    });
  });

  it("shows at most 10 MB of images in one call", async () => {
    await using opened = toolFixture();
    for (const name of ["one.png", "two.png"]) {
      writeFileSync(opened.at(name), Buffer.from(png, "base64"));
      truncateSync(opened.at(name), 6 * 1024 * 1024);
    }
    const { data, images } = await opened.run(fileRead, { paths: ["one.png", "two.png"] });
    expect(data.files.map(({ kind }) => kind)).toEqual(["image", "error"]);
    expect(images?.length).toBe(1);
    expect(data.files[1]).toEqual({
      kind: "error",
      path: "two.png",
      code: "too-large",
      message:
        "two.png is a PNG image of 6291456 bytes; 4194304 bytes of images can still be shown in this call",
      hint: "Read it in a separate call; scale down an image above 10 MiB first.",
    });
  });

  it("reads stored outputs by their handles", async () => {
    await using opened = toolFixture();
    writeFileSync(join(opened.outputs, "out_0123456789abcdef"), numbers(3));
    const { text } = await opened.run(fileRead, { path: "out_0123456789abcdef", offset: 2, limit: 1 });
    expect(text).toBe("2 | 2");
  });

  it("returns the old or the new content while a file is being replaced, never a mixture", async () => {
    await using opened = toolFixture();
    const contents = ["a", "b"].map((letter) => `${letter.repeat(60)}\n`.repeat(1500));
    await opened.run(fileWrite, { path: "changing.txt", content: contents[0]! });
    const writing = Array.from({ length: 20 }, (_, turn) =>
      opened.run(fileWrite, { path: "changing.txt", content: contents[turn % 2]! }),
    );
    const reading = Array.from({ length: 40 }, async () => {
      const { data } = await opened.run(fileRead, { path: "changing.txt" });
      const [file] = data.files;
      return file?.kind === "text" && contents.includes(file.text);
    });
    await Promise.all(writing);
    expect(new Set(await Promise.all(reading))).toEqual(new Set([true]));
  });

  it("stops when it is cancelled", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.txt"), "a\n");
    const cancelled = AbortSignal.abort();
    const refusal = { code: "cancelled", message: "The call was cancelled", hint: undefined };
    expect(await opened.refusal(fileRead, { path: "a.txt" }, cancelled)).toEqual(refusal);
    expect(await opened.refusal(fileRead, { paths: ["a.txt", "b.txt"] }, cancelled)).toEqual(refusal);
  });

  it("declares what it reads", () => {
    expect(fileRead.accesses({ path: "a" })).toEqual([{ kind: "read", path: "a" }]);
    expect(fileRead.accesses({ paths: ["src/*/a", "/*", "*", "./x?"] })).toEqual(
      ["src", "/", ".", "."].map((path) => ({ kind: "read", path })),
    );
    expect(fileRead.accesses({ paths: ["a", "out_b"] })).toEqual([
      { kind: "read", path: "a" },
      { kind: "read", path: "out_b" },
    ]);
  });

  it("accepts either a path or paths, lines from 1, and at least one line", () => {
    const faults = [{}, { path: "a", paths: ["b"] }, { paths: [] }, { path: "a", offset: 0 }].map((input) =>
      schemaFaults(fileRead, input),
    );
    expect(faults).toEqual([
      [": give either `path` or `paths`"],
      [": give either `path` or `paths`"],
      ["paths: Invalid input"],
      ["offset: must not be 0: lines count from 1, negative numbers from the end"],
    ]);
    expect(
      [
        { path: "a", limit: 0 },
        { path: "a", offset: 1.5 },
        { path: 1 },
        { path: "a", offset: -1, limit: 1 },
        { paths: ["a"], line_numbers: false },
      ].map((input) => schemaFaults(fileRead, input).length),
    ).toEqual([1, 1, 1, 0, 0]);
  });
});

function numbers(count: number): string {
  return Array.from({ length: count }, (_, index) => `${index + 1}\n`).join("");
}

function hashOf(content: string | Uint8Array): string {
  return hash("sha256", content, "hex");
}
