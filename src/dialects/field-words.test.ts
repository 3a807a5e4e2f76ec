import { expect, it } from "vitest";
import { rename } from "./rename.ts";
import { reshape } from "./reshape.ts";
import { Shelf } from "./shelf.ts";

const shelf = new Shelf({
  name: "small",
  tools: [
    rename("edit.replace", {
      name: "edit",
      fields: { find: "old_text", replace: "new_text" },
      omit: ["all", "expect_count", "edits"],
    }),
    reshape(["shell.run"], {
      name: "run",
      summary: "Run a command.",
      input: (z) => z.strictObject({ command: z.string(), seconds: z.optional(z.int()) }),
      means: ({ command }) => ["shell.run", { command }],
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
  ["run", "Give a larger `timeout_ms`, or let it run on with `background`.", "Give a larger `seconds`."],
  ["run", "Use `ls -l`; quote `$HOME`, or leave it.", "Use `ls -l`; quote `$HOME`, or leave it."],
  ["edit.replace", "Set `all`.", "Set `all`."],
])("tells %s what it can do with the fields it has", async (name, text, expected) => {
  const input = name === "run" ? { command: "ls" } : { path: "a", find: "b", replace: "c" };
  const { tool } = await shelf.find(
    name,
    name === "edit" ? { path: "a", old_text: "b", new_text: "c" } : input,
  );
  expect((tool.wording ?? String)(text)).toBe(expected);
});
