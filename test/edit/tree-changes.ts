import { executable, type Files } from "./trees.ts";

/** Realistic changes of files, and the options with which git prints them. */
export type TreeChange = readonly [name: string, before: Files, after: Files, ...options: readonly string[]];

const numbers = "one two three four five six seven eight nine ten eleven twelve";
const text = `${numbers.replaceAll(" ", "\n")}\n`;
const changed = text.replace("two", "TWO").replace("eleven", "ELEVEN");
const marked = `\ufeff${text}`;

export const treeChanges: readonly TreeChange[] = [
  ["lines changed in several hunks", { a: text }, { a: changed }],
  ["several files changed", { a: text, "b/c": text }, { a: changed, "b/c": `${text}end\n` }],
  ["a file added", { a: text }, { a: text, "new/file": "hello\n" }],
  ["an empty file added", { a: text }, { a: text, empty: "" }],
  ["a file added without final line end", {}, { a: "one\ntwo" }],
  ["a file added with carriage returns", {}, { a: "one\r\ntwo\r\n" }],
  ["an executable file added", {}, { run: executable("#!/bin/sh\n") }],
  ["a file deleted", { a: text, b: text }, { a: text }],
  ["a file deleted without final line end", { a: "x", b: text }, { b: text }],
  ["an empty file deleted", { a: "", b: text }, { b: text }],
  ["a file renamed", { old: text }, { "new/name": text }],
  ["a file renamed and changed", { "lib/old": text }, { "lib/new": changed }],
  ["a file renamed and made executable", { old: text }, { new: executable(text) }],
  ["a file copied", { a: text }, { a: text, b: text }, "-C", "--find-copies-harder"],
  ["a file copied and changed", { a: text }, { a: text, b: changed }, "-C", "--find-copies-harder"],
  ["a file made executable", { a: text }, { a: executable(text) }],
  ["a file made executable and changed", { a: text }, { a: executable(changed) }],
  ["a file no longer executable", { a: executable(text) }, { a: text }],
  ["a final line end added", { a: text.trimEnd() }, { a: text }],
  ["a final line end removed", { a: text }, { a: text.trimEnd() }],
  ["the last line changed, without line end", { a: "one\ntwo" }, { a: "one\n2" }],
  ["a line added below a last one without line end", { a: "one\ntwo" }, { a: "one\ntwo\nthree" }],
  ["the last line removed, without line end", { a: "one\ntwo\nthree" }, { a: "one\ntwo" }],
  ["carriage returns kept", { a: crlf(text) }, { a: crlf(changed) }],
  ["carriage returns removed", { a: crlf(text) }, { a: text }],
  ["carriage returns added", { a: text }, { a: crlf(text) }],
  ["a byte-order mark added", { a: text }, { a: marked }],
  ["the line with a byte-order mark changed", { a: marked }, { a: marked.replace("one", "1") }],
  ["everything removed from a file", { a: text }, { a: "" }],
  ["an only line without line end removed", { a: "x" }, { a: "" }],
  ["an empty file filled", { a: "" }, { a: text }],
  ["blank lines removed", { a: "a\n\n\n\nb\n" }, { a: "a\n\nb\n" }],
  ["a file of blank lines changed", { a: "\n\n\n" }, { a: "\nx\n\n" }],
  [
    "lines that look like headers",
    { a: "-- a/x\n++ b/x\n@@ -1 +1 @@\n" },
    { a: "++ b/y\n-- a/y\n@@ -1 +1 @@\n" },
  ],
  ["lines that look like a signature", { a: "a\n- \n2.39.5\n" }, { a: "a\n2.39.5\n" }],
  ["names with blanks", { "my file": text }, { "my file": changed }],
  ["names that git quotes", { 'ä"b\\c': text }, { 'ä"b\\c': changed }],
  ["names like prefixes", { "a/b": text, "b/b": text }, { "a/b": changed, "b/b": text }],
  ["the second of twins", { a: text + text }, { a: text + changed }, "-U1"],
  ["an insertion without context", { a: text }, { a: text.replace("six", "six\n6") }, "-U0"],
  ["a removal without context", { a: text }, { a: text.replace("six\n", "") }, "-U0"],
];

function crlf(content: string): string {
  return content.replaceAll("\n", "\r\n");
}
