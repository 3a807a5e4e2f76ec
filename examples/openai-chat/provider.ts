import { strict as assert } from "node:assert";
import { type Loopback, serveTurns } from "../loopback.ts";

/** Behaves like the Chat Completions API: the answers of all calls must follow their message. */
export function startProvider(): Promise<Loopback> {
  const reading = [
    call("call_1", "file_read", { path: "poem.txt" }),
    call("call_2", "file_read", { path: "prose.txt" }),
  ];
  const edit = { path: "poem.txt", find: "blue", replace: "yellow" };
  return serveTurns([
    ({ tools, messages }) => {
      for (const { type, function: tool } of tools) {
        assert.equal(type, "function");
        assert.match(tool.name, /^[a-zA-Z0-9_-]{1,64}$/);
        assert.equal(tool.parameters.type, "object");
      }
      assert.deepEqual(messages, [{ role: "user", content: "Correct the poem." }]);
      return completion({ content: null, tool_calls: reading });
    },
    ({ messages }) => {
      assert.deepEqual(messages.slice(1), [
        { role: "assistant", content: null, tool_calls: reading },
        { role: "tool", tool_call_id: "call_1", content: "1 | Two roads diverged in a blue wood" },
        { role: "tool", tool_call_id: "call_2", content: messages.at(-1).content },
      ]);
      assert.match(messages.at(-1).content, /prose\.txt/);
      return completion({ content: null, tool_calls: [call("call_3", "edit_replace", edit)] });
    },
    ({ messages }) => {
      assert.equal(messages.at(-1).tool_call_id, "call_3");
      assert.match(messages.at(-1).content, /^Edited poem.txt/);
      return completion({ content: "The wood is yellow." });
    },
  ]);
}

function call(id: string, name: string, input: object) {
  return { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
}

function completion(message: { content: string | null; tool_calls?: readonly object[] }) {
  const finish_reason = message.tool_calls ? "tool_calls" : "stop";
  return {
    id: "chatcmpl_1",
    object: "chat.completion",
    created: 0,
    model: "any",
    choices: [{ index: 0, finish_reason, message: { role: "assistant", ...message } }],
  };
}
