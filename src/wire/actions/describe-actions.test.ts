import { expect, it } from "vitest";
import { describeActions } from "./describe-actions.ts";
import { readActions } from "./read-actions.ts";

const grep = {
  name: "grep",
  description: "Search files.",
  inputSchema: {
    type: "object",
    properties: {
      pattern: { type: "string", description: "What to look for." },
      glob: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
      mode: { enum: ["content", "files"], description: "What to show." },
    },
    required: ["pattern"],
  },
};

it("describes the format of actions and the tools", () => {
  expect(describeActions([grep, { name: "now", description: "The time.", inputSchema: {} }])).toBe(`\
To act, reply with exactly one JSON object:
  {"action": "tool_call", "tool": "grep", "args": {"pattern": "TODO"}}
  {"action": "respond", "message": "Your message"}
  {"action": "done", "summary": "What you did"}
\`tool_call\` calls one tool; its result comes in the next message. Both others end your turn: \`respond\` with a message, such as a question, \`done\` with a summary of the finished task. In strings, write line breaks as \\n, quotes as \\" and backslashes as \\\\.

Tools:
- grep: Search files.
  pattern (string): What to look for.
  glob (string | list of string, optional)
  mode ("content" | "files", optional): What to show.
- now: The time.`);
});

it("shows only valid examples", () => {
  expect(readActions(describeActions([grep]))).toEqual({
    actions: [
      { action: "tool_call", tool: "grep", args: { pattern: "TODO" } },
      { action: "respond", message: "Your message" },
      { action: "done", summary: "What you did" },
    ],
    fault: undefined,
  });
});
