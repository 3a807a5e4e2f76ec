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

it("tells how actions are written, and what tools there are", () => {
  expect(describeActions([grep, { name: "now", description: "The time.", inputSchema: {} }])).toBe(`\
Reply with one JSON object, and nothing else that looks like one:
  {"action": "tool_call", "tool": "grep", "args": {"pattern": "TODO"}}
  {"action": "respond", "message": "What you want to say"}
  {"action": "done", "summary": "What was done"}
\`tool_call\` runs a tool, and you are told its result; \`respond\` speaks to the person; \`done\` ends the task. Inside strings write line breaks as \\n, quotes as \\" and backslashes as \\\\.

Tools:
- grep: Search files.
  pattern (string): What to look for.
  glob (string | list of string, optional)
  mode ("content" | "files", optional): What to show.
- now: The time.`);
});

it("shows nothing that would not be understood", () => {
  expect(readActions(describeActions([grep]))).toEqual({
    actions: [
      { action: "tool_call", tool: "grep", args: { pattern: "TODO" } },
      { action: "respond", message: "What you want to say" },
      { action: "done", summary: "What was done" },
    ],
    fault: undefined,
  });
});
