import { expect, it } from "vitest";
import { renameTool } from "./rename.ts";
import { reshapeTool } from "./reshape.ts";
import { namesOf, rewriteToolNames } from "./rewrite-names.ts";
import { Toolset } from "./toolset.ts";

const ours = new Set(["file.read", "file.list", "search.grep"]);
const wording = rewriteToolNames(
  new Map([
    ["file.read", "Read"],
    ["search.grep", "Grep"],
  ]),
  (name) => ours.has(name),
);

it("uses the tool names that the model knows", () => {
  expect(wording("Give it as a path to file.read or search.grep.")).toBe(
    "Give it as a path to Read or Grep.",
  );
});

it("drops a sentence that names only missing tools, and keeps one that also names another", () => {
  expect([
    wording("Use search.grep to find it. To see a directory use file.list."),
    wording("To find something use search.grep; to see a directory use file.list."),
    wording("To see a directory use file.list; to find something use search.grep."),
    wording("See it with file.list. search.grep finds it."),
    wording("Look with file.list or file.read."),
    wording("See what is in it with file.list."),
    wording("See it (file.list), then change it."),
    wording("See it with file.list, then change it. Or ask, look with file.list, or use search.grep."),
    wording("Look. To see a directory, use file.list. Did you mean file.list? Use search.grep."),
  ]).toEqual([
    "Use Grep to find it.",
    "To find something use Grep.",
    "To find something use Grep.",
    "Grep finds it.",
    "Look with Read.",
    "",
    "See it, then change it.",
    "Use Grep.",
    "Look. Did you mean file.list? Use Grep.",
  ]);
});

it("uses the name of a combined tool when no other tool matches alone", () => {
  const names = namesOf([
    { name: "Bash", canonical: "shell.run", also: ["process.start", "process.stop"] },
    { name: "Stop", canonical: "process.stop" },
    { name: "Kill", canonical: "process.stop" },
  ]);
  expect(Object.fromEntries(names)).toEqual({
    "shell.run": "Bash",
    "process.start": "Bash",
    "process.stop": "Stop",
  });
});

it("ignores text that only looks like the name of a tool", () => {
  const texts = ["Read package.json, not file.reader", "Did you mean file.read?", "Did you mean file.list?"];
  expect(texts.map(wording)).toEqual(texts);
});

const toolset = new Toolset({
  name: "small",
  tools: [
    renameTool("edit.replace", {
      name: "edit",
      fields: { find: "old_text", replace: "new_text" },
      only: ["path", "find", "replace"],
    }),
    reshapeTool(["shell.run"], {
      name: "run",
      description: "Run a command.",
      input: (z) => z.strictObject({ command: z.string(), seconds: z.optional(z.int()) }),
      resolve: ({ command }) => ["shell.run", { command }],
      fields: { timeout_ms: "seconds" },
    }),
  ],
});

it.each([
  [
    "edit",
    "Copy it into `find` again, or set `all` to change every place.",
    "Copy it into `old_text` again.",
  ],
  ["edit", "Give `edits`. Then read the file.", "Then read the file."],
  ["edit", "Set `all`.", ""],
  ["run", "Give a larger `timeout_ms`, or run it with `background`.", "Give a larger `seconds`."],
  ["run", "Use `ls -l`; quote `$HOME`, or leave it.", "Use `ls -l`; quote `$HOME`, or leave it."],
  ["edit.replace", "Set `all`.", "Set `all`."],
])("describes for %s only options that its fields support", async (name, text, expected) => {
  const input = name === "run" ? { command: "ls" } : { path: "a", find: "b", replace: "c" };
  const { tool } = await toolset.find(
    name,
    name === "edit" ? { path: "a", old_text: "b", new_text: "c" } : input,
  );
  expect((tool.wording ?? String)(text)).toBe(expected);
});
