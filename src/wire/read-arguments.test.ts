import { expect, it } from "vitest";
import type { ToolDefinition } from "../dialects/definition.ts";
import { freeformFieldOf, readArguments, readFreeform, readStrict } from "./read-arguments.ts";

const patch = definition("edit.patch", { input: { type: "string" } });
const read = definition("file.read", { path: { type: "string" }, limit: { type: "integer" } });

it.each<[string, unknown, unknown]>([
  ["JSON", '{"path":"a"}', { path: "a" }],
  ["nothing", undefined, {}],
  ["null", null, {}],
  ["white space", " \n", {}],
  ["arguments that some servers have already parsed", { path: "a" }, { path: "a" }],
])("reads %s", (_, given, value) => {
  expect(readArguments(given)).toEqual({ ok: true, value });
});

it("reports what is wrong with the rest, and repairs nothing", () => {
  expect([readArguments('{"path": "a'), readArguments("[".repeat(300) + "]".repeat(300))]).toEqual([
    {
      ok: false,
      problem: expect.stringMatching(/^The arguments are not valid JSON: Unterminated string/),
    },
    { ok: false, problem: "The arguments are nested deeper than 200 levels." },
  ]);
});

it.each([
  ['{"command":"echo one","command":"echo two"}', '"command"'],
  ['{"edits":[{"old":"a","new":"b","old":"c"}],"old":""}', '"old"'],
  [String.raw`{"a\u0062":1 , "ab" : 2}`, '"ab"'],
])("does not choose between two values of one key: %s", (given, key) => {
  expect(readArguments(given)).toEqual({
    ok: false,
    problem: `The arguments have the key ${key} twice. Write each key once.`,
  });
});

it.each([
  { content: '{"a":1,"a":2}', path: '\\"a": "b' },
  { list: [{ a: 1 }, { a: 2 }], a: { a: "a:" }, "": ":" },
  JSON.parse('{"__proto__":{"a":1},"constructor":1}'),
])("does not mistake text for keys: %j", (value) => {
  expect(readArguments(JSON.stringify(value, undefined, 2))).toEqual({ ok: true, value });
});

it("refuses a lone surrogate, which would become another character", () => {
  expect(readArguments(String.raw`{"command":"echo \ud800 > a"}`)).toEqual({
    ok: false,
    problem: "The arguments contain a lone surrogate, which is half a character.",
  });
});

it("reads text for a freeform tool", () => {
  expect([
    freeformFieldOf(patch),
    freeformFieldOf(read),
    readFreeform(patch, { name: "apply_patch", text: "*** Begin Patch" }),
    readFreeform(read, { name: "read_file", text: "a" }),
    readFreeform(patch, { name: "apply_patch", text: undefined }),
    readFreeform(undefined, { name: "unknown", text: "a" }),
  ]).toEqual([
    "input",
    undefined,
    { ok: true, value: { input: "*** Begin Patch" } },
    { ok: false, problem: "read_file takes an object, not plain text." },
    { ok: false, problem: "The call has no text." },
    { ok: true, value: {} },
  ]);
});

it("removes nulls of strict calls only", () => {
  const given = readArguments('{"path":"a","limit":null}');
  expect([readStrict(read, given), readStrict(undefined, given)]).toEqual([
    { ok: true, value: { path: "a" } },
    { ok: true, value: { path: "a", limit: null } },
  ]);
});

function definition(canonical: string, properties: object): ToolDefinition {
  return {
    name: canonical.replace(".", "_"),
    canonical,
    description: "",
    risk: "read",
    effects: {
      title: "",
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
      structured: false,
    },
    inputSchema: { type: "object", properties, required: Object.keys(properties).slice(0, 1) },
  };
}
