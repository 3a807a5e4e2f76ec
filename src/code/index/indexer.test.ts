import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { rgPath } from "@vscode/ripgrep";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  openTestIndex,
  type TestIndex,
  workerBreakingOver,
} from "../../../test/support/code-index/open-index.ts";
import { rounds } from "../../../test/support/rounds.ts";
import type { CandidatePattern } from "../../contract/code.ts";

const { signal } = new AbortController();

function ripgrep(index: TestIndex, ...args: string[]): string[] {
  const isRepository = fs.existsSync(index.path(".git"));
  const flags = ["--no-config", "--null", "-g", "!.git", ...(isRepository ? [] : ["--no-require-git"])];
  try {
    const output = execFileSync(rgPath, [...flags, ...args, "./"], {
      cwd: index.workspace,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return output
      .split("\0")
      .filter((found) => found !== "")
      .map((found) => found.slice("./".length))
      .sort();
  } catch (error) {
    // It exits with 1 when nothing matches, and with 2 when a file could not be read.
    const { status, stdout } = error as { status: number; stdout: string };
    if (status === 1) return [];
    return stdout
      .split("\0")
      .filter((found) => found !== "")
      .map((found) => found.slice("./".length))
      .sort();
  }
}

describe("the index", () => {
  it("reflects new, changed, moved and deleted files", async () => {
    await using index = openTestIndex({ "a.txt": "alpha", "b/c.txt": "beta", "b/d.txt": "alphabet" });
    expect(await index.withText("alpha")).toEqual(["a.txt", "b/d.txt"]);
    index.write("a.txt", "gamma");
    index.write("e.txt", "alpha");
    expect(await index.withText("alpha")).toEqual(["b/d.txt", "e.txt"]);
    fs.renameSync(index.path("b"), index.path("f"));
    expect(await index.withText("alpha")).toEqual(["e.txt", "f/d.txt"]);
    fs.rmSync(index.path("f"), { recursive: true });
    expect(await index.withText("alpha")).toEqual(["e.txt"]);
  });

  it("detects other content of the same size, written in the same moment", { tags: "slow" }, async () => {
    await using index = openTestIndex({ "a.txt": "alpha" });
    for (const word of ["gamma", "delta", "alpha", "omega"]) {
      index.write("a.txt", word);
      expect(await index.withText(word)).toEqual(["a.txt"]);
    }
    expect(await index.withText("alpha")).toEqual([]);
  });

  it("detects changed content when the times are reset", async () => {
    await using index = openTestIndex({ "a.txt": "alpha" });
    const { atime, mtime } = fs.statSync(index.path("a.txt"));
    await index.built();
    index.write("a.txt", "gamma");
    fs.utimesSync(index.path("a.txt"), atime, mtime);
    expect(await index.withText("gamma")).toEqual(["a.txt"]);
  });

  it("respects ignore files", { tags: "slow" }, async () => {
    await using index = openTestIndex({ "a.txt": "alpha", "b/c.txt": "alpha", ".hidden": "alpha" });
    expect(await index.withText("alpha")).toEqual(["a.txt", "b/c.txt"]);
    index.write(".gitignore", "b/\n");
    expect(await index.withText("alpha")).toEqual(["a.txt"]);
    index.write(".ignore", "!b/\na.txt\n");
    expect(await index.withText("alpha")).toEqual(["b/c.txt"]);
    fs.rmSync(index.path(".ignore"));
    fs.rmSync(index.path(".gitignore"));
    expect(await index.withText("alpha")).toEqual(["a.txt", "b/c.txt"]);
  });

  it("leaves out files that may not be read, and drops their content", { tags: "slow" }, async () => {
    let secret = /never/;
    await using index = openTestIndex(
      { "a.ts": "function alpha() {}", "b.ts": "function alphabet() {}" },
      { mayRead: (given) => !secret.test(given) },
    );
    await index.built();
    expect((await index.symbols({ name: "alpha", limit: 9 }, { signal })).map(({ path: at }) => at)).toEqual([
      "a.ts",
    ]);
    secret = /a\.ts$/;
    await using other = index.another({ mayRead: (given) => !secret.test(given) });
    expect([
      await other.withText("alpha"),
      await other.symbols({ name: "alpha", limit: 9 }, { signal }),
    ]).toEqual([["b.ts"], []]);
    expect(await other.built()).toMatchObject({ files: 1, indexed: 1 });
    fs.writeFileSync(index.path("c.ts"), "function alpha2() {}");
    expect(await other.withText("alpha")).toEqual(["b.ts", "c.ts"]);
  });

  it("does not follow symlinks, and includes only regular files", async () => {
    await using index = openTestIndex({ "a.txt": "alpha", "b/c.txt": "alpha" });
    await index.built();
    fs.rmSync(index.path("a.txt"));
    fs.symlinkSync("b/c.txt", index.path("a.txt"));
    fs.symlinkSync("b", index.path("d"));
    execFileSync("mkfifo", [index.path("fifo")]);
    expect(await index.withText("alpha")).toEqual(["b/c.txt"]);
  });

  it("accepts text in any encoding and any file name, and marks binary files", async () => {
    await using index = openTestIndex({
      "utf16.txt": Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("alpha", "utf16le")]),
      "latin1.txt": Buffer.from("stra\xdfe alpha", "latin1"),
      "line\nend.txt": "alpha",
      "Case.txt": "alpha",
      "case.txt": "beta",
      "binary.bin": Buffer.from("beta\0alpha"),
      "empty.txt": "",
    });
    expect(await index.withText("alpha")).toEqual(["Case.txt", "latin1.txt", "line\nend.txt", "utf16.txt"]);
    expect(await index.built()).toEqual({ files: 7, indexed: 7, outlined: 0, outlinable: 0 });
    const { ino } = fs.statSync(path.join(index.directory, "index.db"));
    await using again = index.another();
    expect(await again.withText("alpha")).toHaveLength(4);
    expect(fs.statSync(path.join(index.directory, "index.db")).ino).toBe(ino);
  });

  it("always offers files that are too large to index", { tags: "slow" }, async () => {
    await using index = openTestIndex({ "a.txt": "alpha" });
    fs.writeFileSync(index.path("large.log"), "");
    fs.truncateSync(index.path("large.log"), 1024 ** 3);
    expect(await index.withText("alpha")).toEqual(["a.txt", "large.log"]);
    expect(await index.built()).toEqual({ files: 2, indexed: 2, outlined: 0, outlinable: 0 });
  });

  it("keeps the words of a file that crashes its parser, and the symbols of all others", {
    tags: "slow",
  }, async () => {
    const bad = "function alpha() {}";
    const files = { "bad.ts": bad, "copy.ts": bad, "good.ts": "function beta() {}", "other.ts": bad };
    await using index = openTestIndex(files, { worker: workerBreakingOver("bad.ts") });
    expect(await index.built()).toEqual({ files: 4, indexed: 4, outlined: 1, outlinable: 1 });
    const found = await index.search({ words: "alpha", limit: 9 }, { signal });
    expect(found.map(({ path: at }) => at).sort()).toEqual(["bad.ts", "copy.ts", "other.ts"]);
    const named = async (name: string) =>
      (await index.symbols({ name, limit: 9 }, { signal })).map(({ path: at }) => at);
    expect([await named("alpha"), await named("beta")]).toEqual([[], ["good.ts"]]);
    // New content is tried again.
    index.write("bad.ts", "function gamma() {}");
    await index.built();
    expect(await named("gamma")).toEqual(["bad.ts"]);
  });

  it("finds symbols by the last words of their names, with their containers", { tags: "slow" }, async () => {
    await using index = openTestIndex({
      "b.ts": "/** Reads. */\nexport class Reader {\n  readToken(): void {}\n}\n",
      "a.py": "def read_token():\n    pass\n\ndef unread():\n    pass\n",
    });
    await index.built();
    const method = {
      path: "b.ts",
      kind: "method",
      name: "readToken",
      within: ["Reader"],
      firstLine: 3,
      lastLine: 3,
      signature: "readToken(): void",
      doc: undefined,
    };
    const all = await index.symbols({ name: "token", limit: 9 }, { signal });
    expect([all.map(({ path: at, name }) => `${at} ${name}`), all[1]]).toEqual([
      ["a.py read_token", "b.ts readToken"],
      method,
    ]);
    expect(await index.symbols({ name: "readToken", limit: 9, language: "ts" }, { signal })).toEqual([
      method,
    ]);
    expect(await index.symbols({ name: "read", limit: 9 }, { signal })).toEqual([]);
    const begun = async (name: string) =>
      (await index.symbols({ name, isStart: true, limit: 9 }, { signal })).map((symbol) => symbol.name);
    expect([await begun("readT"), await begun("tok"), await begun("read"), await begun("x")]).toEqual([
      ["read_token", "readToken"],
      ["read_token", "readToken"],
      ["read_token", "Reader", "readToken"],
      [],
    ]);
    expect(
      await index.symbols({ name: "reader", kind: "class", path: "*.ts", limit: 9 }, { signal }),
    ).toEqual([
      {
        ...method,
        kind: "class",
        name: "Reader",
        within: [],
        firstLine: 1,
        lastLine: 4,
        signature: "export class Reader",
        doc: "Reads.",
      },
    ]);
  });

  it("puts candidates first that define a symbol, then code, tests and the other roles", async () => {
    await using index = openTestIndex({
      "a.md": "read_token",
      "a.test.ts": "readToken();\n",
      "b.ts": "readToken();\n",
      "c.test.ts": "export function readToken() {}\n",
      "d.ts": "export class Reader {\n  readToken() {}\n}\n",
    });
    await index.built();
    const pattern = { kind: "literal", text: "readToken", ignoreCase: false } as const;
    const found = (symbol?: string) => index.candidates({ ...pattern, symbol }, { signal });
    expect(await found()).toEqual(["a.test.ts", "b.ts", "c.test.ts", "d.ts"]);
    expect(await found("readToken")).toEqual(["c.test.ts", "d.ts", "b.ts", "a.test.ts"]);
    const limited = (limit: number) =>
      index.candidates({ ...pattern, symbol: "readToken", limit }, { signal });
    expect(await Promise.all([1, 2, 3].map(limited))).toEqual([
      ["c.test.ts"],
      ["c.test.ts", "d.ts"],
      ["c.test.ts", "d.ts", "b.ts"],
    ]);
    expect(await found("=>")).toEqual(["b.ts", "d.ts", "a.test.ts", "c.test.ts"]);
    // Code that is new in a known file, and prose in a new one.
    index.write("b.ts", "export function readToken() {}\n");
    index.write("0.md", "readToken");
    await index.built();
    expect(await found("readToken")).toEqual(["b.ts", "c.test.ts", "d.ts", "a.test.ts", "0.md"]);
  });

  it("puts candidates that are not indexed yet in the order of their roles", { tags: "slow" }, async () => {
    const use = "readToken();\n";
    await using index = openTestIndex({
      "a.test.ts": use,
      "c.ts": "export function readToken() {}\n",
      "d.md": "readToken",
    });
    await index.built();
    // So many changed files are not read before a query.
    const uses = Array.from({ length: 80 }, (_, number) => `use${10 + number}.test.ts`);
    for (const name of ["c.ts", ...uses]) index.write(name, use);
    await index.refresh({ signal, progress: () => {}, patienceMs: 0 });
    const pattern = { kind: "literal", text: "readToken", ignoreCase: false, symbol: "readToken" } as const;
    const found = await index.candidates(pattern, { signal });
    expect(found).toEqual(["c.ts", "a.test.ts", ...uses, "d.md"]);
  });

  it("returns the symbols around lines, with their parents", async () => {
    const methods = ["one", "two", "three"].map((name) => `  ${name}() {\n    f();\n  }\n`).join("");
    await using index = openTestIndex({
      "a.ts": `function f() {}\nclass A {\n${methods}}\nclass B {\n  four() {}\n}\n`,
      "b.txt": "text",
    });
    await index.built();
    const around = async (...lines: number[]) => {
      const [answer] = await index.symbolsAround([{ path: "a.ts", lines }], { signal });
      return answer?.symbols.map(({ name, parent }) => [name, parent]);
    };
    expect(await around(7)).toEqual([
      ["A", undefined],
      ["two", 0],
    ]);
    expect(await around(1, 4, 14)).toEqual([
      ["f", undefined],
      ["A", undefined],
      ["one", 1],
      ["B", undefined],
      ["four", 3],
    ]);
    expect(await around(12)).toEqual([["A", undefined]]);
    expect(await around(99)).toEqual([]);
    const texts = ["b.txt", "missing.ts"].map((path) => ({ path, lines: [1] }));
    expect(await index.symbolsAround(texts, { signal })).toEqual([
      { hash: expect.stringMatching(/^[0-9a-f]{64}$/), symbols: [] },
      undefined,
    ]);
  });

  it("follows a branch switch", { tags: "slow" }, async () => {
    const names = Array.from({ length: 60 }, (_, number) => `a/f${number}.ts`);
    await using index = openTestIndex(Object.fromEntries(names.map((name) => [name, `alpha("${name}")`])));
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
        cwd: index.workspace,
        stdio: "pipe",
      });
    git("init", "--quiet", "--initial-branch=main");
    git("add", ".");
    git("commit", "--quiet", "-m", "main");
    git("checkout", "--quiet", "-b", "other");
    git("mv", "a", "b");
    for (const name of names) index.write(name.replace("a/", "b/"), `gamma("${name}")`);
    index.write(".gitignore", "b/f1*\n");
    git("add", ".");
    git("commit", "--quiet", "-m", "other");
    for (const branch of ["main", "other", "main"]) {
      git("checkout", "--quiet", branch);
      expect({
        branch,
        alpha: await index.withText("alpha("),
        gamma: await index.withText("gamma("),
      }).toEqual({
        branch,
        alpha: ripgrep(index, "-l", "-F", "alpha("),
        gamma: ripgrep(index, "-l", "-F", "gamma("),
      });
    }
  });

  it("keeps few segments and correct results, however often files change", { tags: "slow" }, async () => {
    await using index = openTestIndex(
      Object.fromEntries(
        Array.from({ length: 30 }, (_, number) => [`f${number}.ts`, `class Made${number} {}`]),
      ),
    );
    index.write("empty.ts", "");
    await using watching = index.another();
    await watching.built();
    for (let round = 0; round < 60; round++) {
      index.write(`f${round % 30}.ts`, `class Again${round} {}`);
      await index.built();
    }
    const named = async (name: string) =>
      (await index.symbols({ name, limit: 99 }, { signal })).map(({ path: at }) => at);
    expect([
      await index.withText("class Made"),
      await index.withText("Again41"),
      await named("Again41"),
    ]).toEqual([[], ["f11.ts"], ["f11.ts"]]);
    // A reader that has not refreshed still finds everything, and drops nothing.
    const text = { kind: "literal", text: "Again59", ignoreCase: false } as const;
    expect(await watching.candidates(text, { signal })).toContain("f29.ts");
    await using again = index.another();
    expect(await again.built()).toEqual({ files: 31, indexed: 31, outlined: 31, outlinable: 31 });
    const database = new DatabaseSync(path.join(index.directory, "index.db"));
    // The index was never rebuilt: file numbers continue.
    const { seq } = database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'files'").get()!;
    expect(seq).toBe(31 + 60);
    const counts = database.prepare("SELECT kind, count(*) AS count FROM segments GROUP BY kind").all();
    database.close();
    expect(counts.filter(({ count }) => Number(count) > 40)).toEqual([]);
  });

  describe("after any changes", () => {
    const directories = ["", "a", "a/b", "c"];
    const names = directories.flatMap((directory) =>
      ["x.txt", "y.ts", ".z"].map((name) => path.posix.join(directory, name)),
    );
    const word = fc.constantFrom(
      "alpha",
      "Alphabet",
      "beta",
      "K\u212aelvin",
      "straße",
      "文字列",
      "foo(bar)",
      "x",
    );
    const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(" "));
    const content = fc.oneof(
      text.map((given) => Buffer.from(given)),
      text.map((given) => Buffer.from(`\ufeff${given}`, "utf16le")),
      fc.tuple(text, text).map(([one, other]) => Buffer.from(`${one}\0${other}`)),
      text.map((given) => Buffer.from(given, "latin1")),
    );
    const rules = fc.constantFrom("a/\n", "*.ts\n", "!x.txt\n", "b\n!b\n", "/c/\nx.txt\n");
    const change = fc.oneof(
      { weight: 4, arbitrary: fc.record({ write: fc.constantFrom(...names), content }) },
      fc.record({ remove: fc.constantFrom(...names, "a", "a/b", "c") }),
      fc.record({ move: fc.constantFrom(...names, "a", "c"), to: fc.constantFrom(...names, "a", "d") }),
      fc.record({ link: fc.constantFrom(...names), to: fc.constantFrom("../a", "x.txt") }),
      fc.record({
        write: fc.constantFrom(".gitignore", ".ignore", "a/.gitignore", ".git/info/exclude", "c/.git/HEAD"),
        content: rules,
      }),
    );
    const pattern: fc.Arbitrary<CandidatePattern> = fc.record({
      kind: fc.constant("literal" as const),
      text: fc.oneof(word, fc.constantFrom("lph", "ß", "kelvin", "文字")),
      ignoreCase: fc.boolean(),
    });
    const expression: fc.Arbitrary<CandidatePattern> = fc.record({
      kind: fc.constant("regex" as const),
      text: fc.constantFrom(
        "al.*bet",
        "(?i)ALPHA",
        "alpha|beta",
        "foo\\(",
        "kelvin|STRASSE",
        "^beta",
        "\\w+列",
      ),
      ignoreCase: fc.boolean(),
    });

    it("misses no file that ripgrep finds, and returns none that ripgrep would skip", {
      tags: "slow",
    }, async () => {
      const step = fc.record({
        changes: fc.array(change, { maxLength: 5 }),
        asked: fc.oneof(pattern, expression),
      });
      const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        await using index = openTestIndex(Object.fromEntries(names.map((name) => [name, "alpha"])));
        for (const { changes, asked } of steps) {
          for (const one of changes) apply(one, index);
          const { files } = await index.built();
          const found = await index.candidates(asked, { signal });
          const flags = [...(asked.kind === "literal" ? ["-F"] : []), ...(asked.ignoreCase ? ["-i"] : [])];
          const matching = ripgrep(index, "-l", ...flags, "-e", asked.text);
          const all = ripgrep(index, "--files");
          expect({ missed: matching.filter((name) => !found.includes(name)), files }).toEqual({
            missed: [],
            files: all.length,
          });
          expect(found.filter((name) => !all.includes(name))).toEqual([]);
        }
      });
      await fc.assert(property, { numRuns: rounds(4) });
    });

    function apply(one: object, index: TestIndex): void {
      const { write, remove, move, link, to, content: bytes } = one as Record<string, string>;
      try {
        if (write !== undefined) index.write(write, bytes!);
        if (remove !== undefined) fs.rmSync(index.path(remove), { recursive: true });
        if (move !== undefined) fs.renameSync(index.path(move), index.path(to!));
        if (link !== undefined) {
          fs.rmSync(index.path(link), { recursive: true });
          fs.symlinkSync(to!, index.path(link));
        }
      } catch {
        // Some of the changes are impossible.
      }
    }
  });
});
