import { expect, it } from "vitest";
import { wordingFor } from "./wording.ts";

const ours = new Set(["file.read", "file.list", "search.grep"]);
const wording = wordingFor(
  new Map([
    ["file.read", "Read"],
    ["search.grep", "Grep"],
  ]),
  (name) => ours.has(name),
);

it("calls tools as the model knows them", () => {
  expect(wording("Give it as a path to file.read or search.grep.")).toBe(
    "Give it as a path to Read or Grep.",
  );
});

it("leaves out a sentence that leads nowhere, and keeps one that also leads somewhere", () => {
  expect([
    wording("Use search.grep to find it. To see a directory use file.list."),
    wording("To find something use search.grep; to see a directory use file.list."),
    wording("To see a directory use file.list; to find something use search.grep."),
    wording("See it with file.list. search.grep finds it."),
    wording("Look with file.list or file.read."),
    wording("See what is in it with file.list."),
  ]).toEqual([
    "Use Grep to find it.",
    "To find something use Grep.",
    "To find something use Grep.",
    "Grep finds it.",
    "Look with file.list or Read.",
    "See what is in it with file.list.",
  ]);
});

it("leaves alone what only looks like the name of a tool", () => {
  expect(wording("Read package.json, not file.reader")).toBe("Read package.json, not file.reader");
});
