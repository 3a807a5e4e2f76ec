import { strict as assert } from "node:assert";
import { type Loopback, serveTurns } from "../loopback.ts";

/** Behaves like the Messages API: the message after calls must begin with their answers, each exactly once. */
export function startProvider(): Promise<Loopback> {
  const reading = [
    { type: "text", text: "I look at it." },
    call("toolu_1", "file_read", { path: "poem.txt" }),
    call("toolu_2", "file_read", { path: "prose.txt" }),
  ];
  const edit = { path: "poem.txt", find: "blue", replace: "yellow" };
  return serveTurns([
    ({ tools, messages }) => {
      for (const { name, input_schema } of tools) {
        assert.match(name, /^[a-zA-Z0-9_-]{1,128}$/);
        assert.equal(input_schema.type, "object", name);
        assert.deepEqual(
          [input_schema.anyOf, input_schema.oneOf, input_schema.allOf],
          [undefined, undefined, undefined],
        );
      }
      assert.equal(messages.length, 1);
      return message(reading, "tool_use");
    },
    ({ messages }) => {
      const [, assistant, { role, content }] = messages;
      assert.deepEqual(assistant, { role: "assistant", content: reading });
      assert.equal(role, "user");
      assert.deepEqual(content[0], {
        type: "tool_result",
        tool_use_id: "toolu_1",
        content: "1 | Two roads diverged in a blue wood",
      });
      assert.deepEqual([content[1].tool_use_id, content[1].is_error, content.length], ["toolu_2", true, 2]);
      return message([call("toolu_3", "edit_replace", edit)], "tool_use");
    },
    ({ messages }) => {
      const [answer, ...others] = messages.at(-1).content;
      assert.deepEqual([answer.tool_use_id, answer.is_error, others], ["toolu_3", undefined, []]);
      return message([{ type: "text", text: "The wood is yellow." }], "end_turn");
    },
  ]);
}

function call(id: string, name: string, input: object) {
  return { type: "tool_use", id, name, input };
}

function message(content: readonly object[], stop_reason: string) {
  const usage = { input_tokens: 1, output_tokens: 1 };
  return { id: "msg_1", type: "message", role: "assistant", model: "claude", content, stop_reason, usage };
}
