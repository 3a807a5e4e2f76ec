import fc from "fast-check";
import { expect, it } from "vitest";
import { byteLines, fromByteLines, mergeContents } from "./merge.ts";

const bytes = (text: string, encoding: BufferEncoding = "utf8") =>
  new Uint8Array(Buffer.from(text, encoding));

const merged = (base: string, ours: string, theirs: string) => {
  const merge = mergeContents(bytes(base), bytes(ours), bytes(theirs));
  return merge.kind === "merged" ? Buffer.from(merge.content).toString() : merge;
};

it("combines changes that are apart", () => {
  expect(merged("a\nb\nc\nd\ne\n", "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n")).toBe("A\nb\nc\nd\nE\n");
  expect(merged("a\nb\nc\n", "new\na\nb\nc\n", "a\nb\n")).toBe("new\na\nb\n");
});

it("takes a change that both sides made once", () => {
  expect(merged("a\nb\nc\n", "a\nB\nc\n", "a\nB\nc\n")).toBe("a\nB\nc\n");
});

it("shows what both sides changed, and where", () => {
  expect(merged("a\nb\nc\nd\n", "first\na\nours\nc\nd\n", "a\ntheirs\nc\nd\n")).toEqual({
    kind: "collides",
    collisions: [{ base: ["b\n"], ours: ["ours\n"], theirs: ["theirs\n"], line: 3 }],
  });
});

it("does not guess the order of adjacent changes", () => {
  expect(merged("a\nb\n", "A\nb\n", "a\nB\n")).toEqual({
    kind: "collides",
    collisions: [{ base: ["a\n", "b\n"], ours: ["A\n", "b\n"], theirs: ["a\n", "B\n"], line: 1 }],
  });
  expect(merged("a\n", "a\nours\n", "a\ntheirs\n")).toMatchObject({ kind: "collides" });
});

it("merges files of any number of lines", () => {
  const many = "line\n".repeat(200_000);
  expect(merged(many, `first\n${many}`, `${many}last\n`)).toBe(`first\n${many}last\n`);
});

it("keeps every byte: line ends, stray bytes, marks, a missing final line end", () => {
  const base = bytes("\xef\xbb\xbfa\r\nb\xff\r\nc\nd", "latin1");
  const ours = bytes("\xef\xbb\xbfA\r\nb\xff\r\nc\nd", "latin1");
  const theirs = bytes("\xef\xbb\xbfa\r\nb\xff\r\nc\nD", "latin1");
  const result = bytes("\xef\xbb\xbfA\r\nb\xff\r\nc\nD", "latin1");
  expect(mergeContents(base, ours, theirs)).toEqual({ kind: "merged", content: Buffer.from(result) });
});

it("merges UTF-16 by its own lines", () => {
  const wide = (text: string) => bytes(`\ufeff${text}`, "utf16le");
  expect(mergeContents(wide("aਊ\nb\nc\n"), wide("Aਊ\nb\nc\n"), wide("aਊ\nb\nC\n"))).toEqual({
    kind: "merged",
    content: Buffer.from(wide("Aਊ\nb\nC\n")),
  });
});

it("refuses to merge binary files", () => {
  expect(mergeContents(bytes("a\0b"), bytes("a\0c"), bytes("a\0d"))).toEqual({ kind: "binary" });
});

const lines = fc.array(fc.constantFrom("a\n", "b\n", "c\n", "d\n", "e"), { maxLength: 12 });
const text = lines.map((parts) => bytes(parts.join("")));

it("returns the changed side when only one changed, and is symmetric", () => {
  fc.assert(
    fc.property(text, text, text, (base, left, right) => {
      expect(mergeContents(base, base, right)).toEqual({ kind: "merged", content: Buffer.from(right) });
      expect(mergeContents(base, left, base)).toEqual({ kind: "merged", content: Buffer.from(left) });
      expect(mergeContents(base, left, left)).toEqual({ kind: "merged", content: Buffer.from(left) });
      const [there, back] = [mergeContents(base, left, right), mergeContents(base, right, left)];
      expect(there.kind).toBe(back.kind);
      if (there.kind === "merged") expect(there).toEqual(back);
    }),
  );
});

it("keeps every line that either side added in a clean merge", () => {
  const numbered = fc.uniqueArray(fc.integer({ min: 0, max: 999 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(numbered, fc.nat(20), fc.nat(20), (numbers, at, other) => {
      const base = numbers.map((number) => `${number}\n`);
      const ours = base.toSpliced(at, 0, "ours\n");
      const theirs = base.toSpliced(other, 0, "theirs\n");
      const result = merged(base.join(""), ours.join(""), theirs.join(""));
      const isApart = Math.min(at, base.length) !== Math.min(other, base.length);
      if (!isApart) expect(result).toMatchObject({ kind: "collides" });
      else {
        const first =
          at < other ? base.toSpliced(other, 0, "theirs\n").toSpliced(at, 0, "ours\n") : undefined;
        const second = base.toSpliced(at, 0, "ours\n").toSpliced(other, 0, "theirs\n");
        expect(result).toBe((first ?? second).join(""));
      }
    }),
  );
});

it("splits any bytes into lines that join to the same bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (content) => {
      const parts = byteLines(content);
      if (parts !== undefined) expect(fromByteLines(parts)).toEqual(Buffer.from(content));
    }),
  );
});
