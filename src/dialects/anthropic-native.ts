import { ToolError } from "../contract/error.ts";
import type { CanonicalName } from "../tools/catalog.ts";
import type { Dialect } from "./dialect.ts";
import { renameTool } from "./rename.ts";
import { reshapeTool } from "./reshape.ts";
import { agentTools } from "./shared/agent-tools.ts";
import { failureLines } from "./shared/outputs.ts";

/** Sent with the tool, to tell the model how much of a file it sees at once. */
const maxCharacters = 30_000;

const editor = reshapeTool(["file.read", "file.write", "edit.replace", "edit.smart"], {
  name: "str_replace_based_edit_tool",
  description: "View, create and edit files.",
  native: { type: "text_editor_20250728", max_characters: maxCharacters },
  limits: { maxChars: maxCharacters, keep: "head" },
  fields: { find: "old_str", replace: "new_str", content: "file_text" },
  input: (z) =>
    z.strictObject({
      command: z.enum(["view", "create", "str_replace", "insert"]),
      path: z.string(),
      view_range: z.optional(z.array(z.int())),
      file_text: z.optional(z.string()),
      old_str: z.optional(z.string()),
      new_str: z.optional(z.string()),
      insert_line: z.optional(z.int()),
      insert_text: z.optional(z.string()),
    }),
  resolve: ({ command, path, ...given }) => {
    switch (command) {
      case "view":
        return ["file.read", { path, ...linesIn(given.view_range) }];
      case "create":
        return ["file.write", { path, content: needed(given.file_text, "file_text") }];
      case "str_replace":
        return [
          "edit.replace",
          { path, find: needed(given.old_str, "old_str"), replace: given.new_str ?? "" },
        ];
      case "insert": {
        const line = needed(given.insert_line, "insert_line");
        const text = needed(given.insert_text ?? given.new_str, "insert_text");
        checkInsertion(line, text);
        const operation = line === 0 ? ("insert_before" as const) : ("insert_after" as const);
        return ["edit.smart", { path, location: `line ${line || 1}`, operation, content: text, as_is: true }];
      }
    }
  },
});

const bash = reshapeTool(["shell.run", "process.stop"], {
  name: "bash",
  description: "Run commands in a persistent bash session.",
  native: { type: "bash_20250124" },
  input: (z) => z.strictObject({ command: z.optional(z.string()), restart: z.optional(z.boolean()) }),
  resolve: ({ command, restart }) =>
    restart
      ? ["process.stop", { name: "bash" }]
      : ["shell.run", { command: needed(command, "command"), session: "bash" }],
});

const others: readonly CanonicalName[] = ["file.list", "search.grep", "search.glob", "journal.undo"];

/** The tools that Anthropic's models know by type, and canonical ones for everything else. */
export const anthropicNativeDialect: Dialect = {
  name: "anthropic-native",
  failure: (failure) =>
    failure.details?.kind === "unknown-process"
      ? "Bash is not running. The next command starts it."
      : failureLines(failure),
  tools: [
    editor,
    bash,
    ...others.map((name) => renameTool(name, { name: name.replace(".", "_") })),
    ...agentTools,
  ],
};

/** Reads `[11, 20]`, or `[11, -1]` for line 11 to the end. */
function linesIn(range: readonly number[] | undefined): { offset?: number; limit?: number } {
  if (range === undefined) return {};
  const [first = 1, last = -1] = range;
  if (range.length !== 2 || first < 1 || (last !== -1 && last < first))
    throw new ToolError("invalid-input", `view_range [${range.join(", ")}] is not a valid range`, {
      hint: "Give the first and the last line, starting at 1: [11, 20], or [11, -1] for the rest of the file.",
    });
  return last === -1 ? { offset: first } : { offset: first, limit: last - first + 1 };
}

function checkInsertion(line: number, text: string): void {
  if (line < 0)
    throw new ToolError("invalid-input", `Line ${line} does not exist`, {
      hint: "Give the line to insert after, starting at 1, or 0 to insert at the beginning.",
    });
  if (text === "")
    throw new ToolError("invalid-input", "`insert_text` is empty", {
      hint: "Give the text to insert. A line break inserts an empty line.",
    });
}

function needed<Value>(value: Value | undefined, name: string): Value {
  if (value !== undefined) return value;
  throw new ToolError("invalid-input", `\`${name}\` is missing`, {
    hint: `Give \`${name}\` for this command.`,
  });
}
