import { strict as assert } from "node:assert";
import { type Loopback, serveTurns } from "../loopback.ts";

/** Behaves like the Responses API, and is as strict: invalid tools, or a call without its answer, are an error. */
export function startProvider(): Promise<Loopback> {
  const reading = [
    call("call_1", "file_read", { path: "poem.txt", paths: null, offset: null, limit: null }),
    { ...call("call_2", "file_write", {}), arguments: '{"path": "poem.txt", "content": "Two ro' },
  ];
  const patch =
    "*** Begin Patch\n*** Update File: poem.txt\n@@\n-Two roads diverged in a blue wood\n+Two roads diverged in a yellow wood\n*** End Patch\n";
  const editing = [
    { type: "custom_tool_call", id: "ctc_3", call_id: "call_3", name: "edit_patch", input: patch },
  ];
  return serveTurns([
    ({ tools, input }) => {
      for (const tool of tools) checkTool(tool);
      assert.deepEqual(input, [{ role: "user", content: "Correct the poem." }]);
      return response(reading);
    },
    ({ input }) => {
      const [, ...items] = input;
      const [first, second, ...answers] = items;
      assert.deepEqual([first.call_id, second.call_id], ["call_1", "call_2"]);
      assert.deepEqual(answers.map(answerOf), [
        ["function_call_output", "call_1", "1 | Two roads diverged in a blue wood"],
        ["function_call_output", "call_2", "The arguments are not valid JSON"],
      ]);
      return response(editing);
    },
    ({ input }) => {
      assert.deepEqual(answerOf(input.at(-1)), ["custom_tool_call_output", "call_3", "Edited poem.txt"]);
      return response([message("The wood is yellow.")]);
    },
  ]);
}

function checkTool(tool: Schema): void {
  assert.match(tool.name, /^[a-zA-Z0-9_-]{1,64}$/);
  if (tool.type === "custom") assert.equal(tool.format.syntax, "lark");
  else if (tool.strict) checkStrict(tool.parameters, tool.name);
}

/** Strict mode requires every property, and allows no others. */
function checkStrict(schema: Schema, at: string): void {
  for (const inner of schema.anyOf ?? []) checkStrict(inner, at);
  if (schema.items) checkStrict(schema.items, at);
  if (schema.properties === undefined) return;
  assert.equal(schema.additionalProperties, false, at);
  assert.deepEqual(schema.required, Object.keys(schema.properties), at);
  for (const [name, inner] of Object.entries(schema.properties))
    checkStrict(inner as Schema, `${at}.${name}`);
}

// biome-ignore lint/suspicious/noExplicitAny: any JSON
type Schema = any;

/** The first words of an answer are enough to identify it. */
function answerOf({ type, call_id, output }: { type: string; call_id: string; output: string }) {
  return [type, call_id, output.split(/[:\n]| at line/)[0]];
}

function call(id: string, name: string, input: object) {
  return { type: "function_call", id: `fc_${id}`, call_id: id, name, arguments: JSON.stringify(input) };
}

function message(text: string) {
  const content = [{ type: "output_text", text, annotations: [] }];
  return { type: "message", id: "msg_1", role: "assistant", status: "completed", content };
}

function response(output: readonly object[]) {
  return { id: "resp_1", object: "response", status: "completed", model: "gpt-5", output };
}
