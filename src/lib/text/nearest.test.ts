import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nearest } from "./nearest.ts";

const keys = ["path", "paths", "offset", "limit", "line_numbers"];
const tools = [
  "file.read",
  "file.write",
  "file.list",
  "file.delete",
  "file.move",
  "search.grep",
  "search.glob",
];

describe("nearest", () => {
  it("prefers another case or another separator", () => {
    expect(nearest("PATHS", keys)).toBe("paths");
    expect(nearest("lineNumbers", keys)).toBe("line_numbers");
    expect(nearest("file_read", tools)).toBe("file.read");
  });

  it("tolerates letters added, left out, replaced or swapped", () => {
    const meant = ["offseet", "ofset", "offzet", "fofset", "limt", "file.raed"].map((word) =>
      nearest(word, [...keys, ...tools]),
    );
    expect(meant).toEqual(["offset", "offset", "offset", "offset", "limit", "file.read"]);
  });

  it("does not compare words that no user writes", () => {
    expect(nearest(`${"a_".repeat(5_000_000)}path`, keys)).toBeUndefined();
  });

  it("prefers fewer errors, then the earlier candidate", () => {
    expect(nearest("pathss", ["path", "paths"])).toBe("paths");
    expect(nearest("bat", ["cat", "hat"])).toBe("cat");
  });

  it("finds the only candidate with the same last word", () => {
    expect(nearest("file_path", keys)).toBe("path");
    expect(nearest("filePath", keys)).toBe("path");
    expect(nearest("grep", tools)).toBe("search.grep");
    expect(nearest("tool.read", ["file.read", "document.read"])).toBe(undefined);
  });

  it("does not guess a different word", () => {
    expect(nearest("encoding", keys)).toBe(undefined);
    expect(nearest("x", ["id"])).toBe(undefined);
    expect(nearest("", keys)).toBe(undefined);
    expect(nearest("--", keys)).toBe(undefined);
    expect(nearest("path", [])).toBe(undefined);
  });

  it("finds every candidate by its own name and with two adjacent letters swapped", () => {
    const words = fc.stringMatching(/^[a-z]{4,12}$/);
    fc.assert(
      fc.property(words, fc.nat(), (word, position) => {
        const at = position % (word.length - 1);
        const swapped = word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2);
        expect(nearest(word, ["zzzzzzzzzzzzzzzzzzzz", word])).toBe(word);
        expect(nearest(swapped, ["zzzzzzzzzzzzzzzzzzzz", word])).toBe(word);
      }),
    );
  });

  it("returns quickly for an endless word", () => {
    expect(nearest("x".repeat(10_000_000), keys)).toBe(undefined);
  });
});
