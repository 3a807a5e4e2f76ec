import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rounds } from "../../../test/support/rounds.ts";
import { parseIgnoreRules } from "./ignore-rules.ts";

/** The files that remain, without everything below an ignored directory. */
function kept(text: string, files: readonly string[]): string[] {
  const rules = parseIgnoreRules(text);
  return files.filter((file) => {
    const names = file.split("/");
    return names.every((_, index) => {
      const kind = index === names.length - 1 ? "file" : "directory";
      return rules.decide(names.slice(0, index + 1).join("/"), kind) !== "ignore";
    });
  });
}

describe("parseIgnoreRules", () => {
  it("applies the last matching line", () => {
    const rules = parseIgnoreRules("*.log\n!keep.log\nkeep.log\n!keep.log\n");
    expect(["a.log", "keep.log", "a.txt"].map((file) => rules.decide(file, "file"))).toEqual([
      "ignore",
      "include",
      undefined,
    ]);
  });

  it("lets a pattern override a plain name only when it comes later", () => {
    const rules = parseIgnoreRules("!a*\nab\n!b*\nbc\nb?\n!bc\n");
    expect(["ab", "bc", "bd"].map((file) => rules.decide(file, "file"))).toEqual([
      "ignore",
      "include",
      "ignore",
    ]);
  });

  it("reads line ends, comments, escapes, blanks and the byte order mark as git does", () => {
    const text = "\uFEFFfirst\r\n# comment\n\\#hash\n\\!bang\nblank   \nkept\\ \n\n\t\nlast";
    expect(
      kept(text, ["first", "# comment", "#hash", "!bang", "blank", "kept", "kept ", "\t", "last", "other"]),
    ).toEqual(["# comment", "kept", "other"]);
  });

  it("anchors a pattern with a slash, and matches only directories with a trailing slash", () => {
    const files = ["build", "src/build/a", "doc/a.txt", "src/doc/a.txt", "out", "src/out"];
    expect(kept("build/\ndoc/*.txt\n/out\n", files)).toEqual(["build", "src/doc/a.txt", "src/out"]);
  });

  it("skips invalid lines", () => {
    expect(kept("[a\n[[:nope:]]\nend\\\n/\n!\nb\n", ["[a", "a", "b", "end\\"])).toEqual(["[a", "a", "end\\"]);
  });

  describe("compared with git", () => {
    const names = ["a", "ab", "b", "b.c", "a b", "[", "]", "x-y", "{a,b}", "!a", "#a", "\\", "*"];
    const files = names.flatMap((first) => [
      `${first}.txt`,
      ...names.slice(0, 6).flatMap((second) => [`${first}/${second}`, `${first}/${second}.d/${first}`]),
    ]);
    let repository = "";
    const git = (...args: string[]) =>
      execFileSync("git", args, {
        cwd: repository,
        encoding: "utf8",
        env: { PATH: process.env.PATH, HOME: repository },
      });

    beforeAll(() => {
      repository = fs.mkdtempSync(path.join(os.tmpdir(), "toolcrib ignore "));
      git("init", "-q");
      for (const file of files) {
        fs.mkdirSync(path.join(repository, path.dirname(file)), { recursive: true });
        fs.writeFileSync(path.join(repository, file), "");
      }
    });
    afterAll(() => fs.rmSync(repository, { recursive: true }));

    const classes = [
      "[a-c]",
      "[!a]",
      "[^b]",
      "[]a]",
      "[[:alpha:]]",
      "[\\]x]",
      "[a/b]",
      "[b-a]",
      "[]-]",
      "[a-",
    ];
    const piece = fc.oneof(
      fc.constantFrom(...names, ".txt", ".d", "c"),
      fc.constantFrom("*", "**", "?", "/", "/**/", "**/", "/**", "***"),
      fc.constantFrom(...classes, "[", "[:x:]", "[[:nope:]]"),
      fc.constantFrom("\\", "\\*", "\\ ", " ", "\t", "\r", "!", "#", "\\!", "\\#", "{a,b}"),
    );
    // Two cases in which git differs from its documentation and we, like ripgrep, do not: "a**/b" after a literal
    // start, and "**\/".
    const line = fc
      .array(piece, { maxLength: 4 })
      .map((pieces) => pieces.join(""))
      .filter((text) => !/[^/*]\*\*|\*\*\\\//.test(text));
    const ignoreFile = fc.tuple(fc.array(line, { maxLength: 5 }), fc.constantFrom("\n", "\r\n"));

    it("ignores the same files", { tags: "slow" }, () => {
      fc.assert(
        fc.property(ignoreFile, ([lines, lineEnd]) => {
          const text = lines.join(lineEnd);
          fs.writeFileSync(path.join(repository, ".gitignore"), text);
          const listed = git("ls-files", "-o", "-z", "--exclude-standard").split("\0");
          expect(kept(text, files).sort()).toEqual(files.filter((file) => listed.includes(file)).sort());
        }),
        { numRuns: rounds(30) },
      );
    });
  });
});
