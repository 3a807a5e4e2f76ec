import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { languageNames } from "../src/code/languages/languages.ts";
import { scopeRulesOf } from "../src/code/scopes/rules-of.ts";
import { rulesOf } from "../src/code/symbols/rules-of.ts";

const read = (path: string) => readFileSync(join(import.meta.dirname, "..", path), "utf8");

it("the document lists for every language what works in it", () => {
  const [, table = ""] =
    /^\| what works \| languages \|\n\|---\|---\|\n((?:\|.*\n)+)/m.exec(read("docs/code.md")) ?? [];
  const documented = table
    .trim()
    .split("\n")
    .map((row) => row.split("|")[2]!.trim().split(", "));
  const renamed = (name: string) => scopeRulesOf(name) !== undefined;
  const outlined = (name: string) => rulesOf(name) !== undefined;
  const names = languageNames.toSorted();
  expect(documented).toEqual([
    names.filter((name) => renamed(name) && outlined(name)),
    names.filter((name) => !renamed(name) && outlined(name)),
    names.filter((name) => !outlined(name)),
  ]);
});

it("the documents state the right number of languages", () => {
  const outlined = languageNames.filter((name) => rulesOf(name) !== undefined).length;
  expect(read("README.md")).toContain(`classes and keys in ${outlined} languages`);
  expect(read("docs/code.md")).toContain(`${languageNames.length} languages, and symbols of ${outlined}`);
});
