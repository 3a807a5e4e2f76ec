/** What a model without tool calls of its own asks for, by one JSON object in its reply. */
export type Action =
  | { readonly action: "tool_call"; readonly tool: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly action: "respond"; readonly message: string }
  | { readonly action: "done"; readonly summary: string };

/** How each is written. */
export const actionExamples: Readonly<Record<Action["action"], string>> = {
  tool_call: '{"action": "tool_call", "tool": "read_file", "args": {"path": "src/main.rs"}}',
  respond: '{"action": "respond", "message": "What you want to say"}',
  done: '{"action": "done", "summary": "What was done"}',
};
