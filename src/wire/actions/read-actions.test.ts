import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCodePoint } from "../../../test/support/any-code-point.ts";
import { rounds } from "../../../test/support/rounds.ts";
import type { ModelAction } from "./describe-actions.ts";
import { readActions } from "./read-actions.ts";

const call = '{"action": "tool_call", "tool": "read_file", "args": {"path": "src/main.rs"}}';
const asked: ModelAction = { action: "tool_call", tool: "read_file", args: { path: "src/main.rs" } };

describe("accepts", () => {
  it.each<[string, string, ModelAction[]]>([
    ["a call", call, [asked]],
    [
      "a call without arguments",
      '{"action":"tool_call","tool":"git_status"}',
      [{ action: "tool_call", tool: "git_status", args: {} }],
    ],
    ["an answer", '{"action":"respond","message":"Hello"}', [{ action: "respond", message: "Hello" }]],
    [
      "the end of the task",
      '{"action":"done","summary":"All is well"}',
      [{ action: "done", summary: "All is well" }],
    ],
    ["prose around it", `I'll read it first.\n\n${call}\n\nThen I'll see.`, [asked]],
    ["a fence", `\`\`\`json\n${call}\n\`\`\``, [asked]],
    [
      "several objects in order",
      `${call} ${call}\n{"action":"done","summary":""}`,
      [asked, asked, { action: "done", summary: "" }],
    ],
    ["a list of actions", `[${call}, ${call}]`, [asked, asked]],
    [
      "an object over several lines",
      '{\n  "action": "respond",\n  "message": "a\\nb"\n}',
      [{ action: "respond", message: "a\nb" }],
    ],
    ["an object with a thought field", `{"thought": "hm", ${call.slice(1)}`, [asked]],
    [
      "thoughts before it",
      `<think>Perhaps {"action":"done","summary":"no"} or {"action: </think>\n${call}`,
      [asked],
    ],
    [
      "thoughts between actions",
      `First ${call} <thinking>or ${call}</thinking> {"action":"done","summary":""}`,
      [asked, { action: "done", summary: "" }],
    ],
    ["a tag that is only mentioned", `It strips \`<think>\`: ${call}`, [asked]],
    ["braces in code", `fn main() { println!("{}", x); } becomes ${call}`, [asked]],
    ["other objects", `The file holds {"name": "x", "deep": {"action": 1}}. ${call}`, [asked]],
    [
      "braces in strings",
      '{"action":"respond","message":"} {\\"action\\": { "}',
      [{ action: "respond", message: '} {"action": { ' }],
    ],
  ])("%s", (_, reply, actions) => {
    expect(readActions(reply)).toEqual({ actions, fault: undefined });
  });
});

it.each(["<think>", "\n <thinking>", "Hm. <think>"])("ignores unclosed thoughts: %s", (tag) => {
  expect(readActions(`${tag}Perhaps ${call}? No, rather`)).toEqual({
    actions: [],
    fault: `Your thoughts are not closed, and actions in them are not run. Close them with </think>, then write the action: ${call}`,
  });
});

describe("reports what is wrong, and repairs nothing:", () => {
  const again = `The action was not run. Send the whole action again, like ${call}`;
  const like = `Write it like this: ${call}`;
  it.each([
    [
      "a line break in a string",
      '{"action": "respond", "message": "one\ntwo"}',
      `The JSON object at line 1, column 1 of your reply is invalid at line 1, column 38: a line break in a string is not escaped.\n  {"action": "respond", "message": "one\n  ${" ".repeat(37)}^\nWrite \\n instead, on one line.\n${again}`,
    ],
    [
      "a reply that was cut",
      'Now:\n{"action": "tool_call", "tool": "sh", "args": {"command": "rm -rf build',
      `The JSON object at line 2, column 1 of your reply is invalid at line 2, column 59: this string never ends.\n  all", "tool": "sh", "args": {"command": "rm -rf build\n  ${" ".repeat(40)}^\nEnd it with ", and write " inside it as \\".\n${again}`,
    ],
    [
      "a trailing comma",
      '{"action": "done", "summary": "x",}',
      `The JSON object at line 1, column 1 of your reply is invalid at line 1, column 35: expected another key, found "}".\n  {"action": "done", "summary": "x",}\n  ${" ".repeat(34)}^\nLeave out the comma before the }.\n${again}`,
    ],
    [
      "keys without quotes",
      "{action: 'done'}",
      `The JSON object at line 1, column 1 of your reply is invalid at line 1, column 2: expected a key, found "a".\n  {action: 'done'}\n   ^\nWrite keys in double quotes: "path".\n${again}`,
    ],
    [
      "a duplicate key",
      '{"action": "done", "action": "respond"}',
      `The JSON object at line 1, column 1 of your reply is invalid at line 1, column 20: the key "action" is repeated.\n  {"action": "done", "action": "respond"}\n  ${" ".repeat(19)}^\nWrite each key once.\n${again}`,
    ],
    [
      "an invalid escape",
      String.raw`{"action": "respond", "message": "\d"}`,
      `The JSON object at line 1, column 1 of your reply is invalid at line 1, column 35: \\d is not a valid escape.\n  ${String.raw`{"action": "respond", "message": "\d"}`}\n  ${" ".repeat(34)}^\nWrite a backslash as \\\\: \\\\d.\n${again}`,
    ],
    [
      "something other than an object",
      "I am done.",
      'Your reply contains no action. To answer, send {"action": "respond", "message": "Your message"}\nTo call a tool, send ' +
        call,
    ],
    [
      "an object without an action",
      'x {"name": 1}',
      `The object at line 1, column 3 has no "action". Send one like this: ${call}`,
    ],
    [
      "an unknown action",
      '{"action": "tool-call", "tool": "x"}',
      `The object at line 1, column 1 is not an action: "action" must be one of "tool_call", "respond", "done".\n${like}`,
    ],
    [
      "a call without a tool",
      '{"action": "tool_call", "args": {}}',
      `The object at line 1, column 1 is not an action: "tool" must be the name of a tool.\n${like}`,
    ],
    [
      "arguments outside `args`",
      '{"action": "tool_call", "tool": "ls", "path": "src"}',
      `The object at line 1, column 1 is not an action: "path" must be inside "args".\n${like}`,
    ],
    [
      "arguments in a string",
      '{"action": "tool_call", "tool": "ls", "args": "{}"}',
      `The object at line 1, column 1 is not an action: "args" must be an object, not a string.\n${like}`,
    ],
    [
      "a response without a message",
      '{"action": "respond", "text": "x"}',
      'The object at line 1, column 1 is not an action: "message" must be a string.\nWrite it like this: {"action": "respond", "message": "Your message"}',
    ],
    [
      "a call without its action",
      '{"tool": "ls", "args": {}}',
      `The object at line 1, column 1 is not an action: "action" must be one of "tool_call", "respond", "done".\n${like}`,
    ],
    [
      "an extra brace",
      '{"action": "done", "summary": "x"}}',
      `The JSON object at line 1, column 1 of your reply is invalid at line 1, column 35: the object has already ended.\n  {"action": "done", "summary": "x"}}\n  ${" ".repeat(34)}^\nWrite as many } as {.\n${again}`,
    ],
    [
      "an action inside an unopened object",
      '"action": "tool_call", "args": {"action": "done", "summary": "x"}}',
      `The object at line 1, column 32 is the value of a key, but the outer object does not begin with {. Send the whole action again, like ${call}`,
    ],
  ])("%s", (_, reply, fault) => {
    expect(readActions(reply)).toEqual({ actions: [], fault });
  });

  it("keeps actions before the fault, and reads nothing after it", () => {
    const { actions, fault } = readActions(`${call}\n{"action": oops}\n${call}`);
    expect([actions, fault?.split("\n")[0]]).toEqual([
      [asked],
      'The JSON object at line 2, column 1 of your reply is invalid at line 2, column 12: expected a value, found "o".',
    ]);
  });
});

const anyAction: fc.Arbitrary<ModelAction> = fc.oneof(
  fc.record({
    action: fc.constant("tool_call" as const),
    tool: fc.string({ minLength: 1, unit: anyCodePoint }),
    args: fc
      .dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
      .filter((args) => !Object.hasOwn(args, "__proto__")) as fc.Arbitrary<Record<string, unknown>>,
  }),
  fc.record({ action: fc.constant("respond" as const), message: fc.string({ unit: anyCodePoint }) }),
  fc.record({ action: fc.constant("done" as const), summary: fc.string({ unit: anyCodePoint }) }),
);
const prose = fc.string().map((text) => text.replaceAll(/[{}":<]/g, " "));

it("reads every action, with any prose around it", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(anyAction, prose, fc.nat(4)), { minLength: 1, maxLength: 4 }),
      prose,
      (parts, last) => {
        const reply =
          parts
            .map(([action, before, indent]) => `${before}\n${JSON.stringify(action, null, indent)}\n`)
            .join("") + last;
        const actions = parts.map(([action]) => JSON.parse(JSON.stringify(action)));
        expect(readActions(reply)).toEqual({ actions, fault: undefined });
      },
    ),
  );
});

it("never reads from a damaged object anything that is not written there as JSON", () => {
  const damage = fc.tuple(
    anyAction,
    fc.nat(),
    fc.constantFrom("", '"', "{", "}", "\\", ",", ":", "'", "\n", "x"),
  );
  fc.assert(
    fc.property(damage, ([action, place, put]) => {
      const whole = JSON.stringify(action);
      const at = place % whole.length;
      const reply = whole.slice(0, at) + put + whole.slice(at + 1);
      const { actions, fault } = readActions(reply);
      expect(actions).toEqual(fault === undefined ? [parsed(reply)] : []);
    }),
    { numRuns: rounds(400) },
  );
});

it("ends quickly on any input", () => {
  for (const piece of ['{"a":', "{", '{"', '{"a":[', "<think>", '{"action":"', "\\", '{"a":1,', "{\n"])
    expect(readActions(piece.repeat(50_000)).actions).toEqual([]);
});

/** The reading of the whole reply, if it is one object without prose. */
function parsed(reply: string): unknown {
  const end = reply.lastIndexOf("}") + 1;
  const start = reply.indexOf("{");
  const { action, tool, args = {}, message, summary } = JSON.parse(reply.slice(start, end));
  return JSON.parse(
    JSON.stringify(action === "tool_call" ? { action, tool, args } : { action, message, summary }),
  );
}
