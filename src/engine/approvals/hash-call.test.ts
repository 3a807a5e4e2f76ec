import { expect, it } from "vitest";
import { snapshot } from "./approval-request.ts";
import { hashValue } from "./hash-call.ts";

const call = {
  tool: "shell.run",
  input: { command: "npm test", timeout: 10 },
  realPaths: new Map([["a", "/workspace/b"]]),
  directory: "/workspace",
  variables: { PATH: "/usr/bin", LANG: "C" },
  sandbox: "bwrap",
  shells: undefined,
  filesRun: new Map([["./a.sh", "1"]]),
};

it("is the same for the same call, regardless of field order", () => {
  const other = {
    ...call,
    variables: { LANG: "C", PATH: "/usr/bin" },
    input: { timeout: 10, command: "npm test" },
  };
  expect(hashValue(other)).toBe(hashValue(call));
  expect(hashValue(call)).toMatch(/^[0-9a-f]{64}$/);
});

it("differs when anything in the call differs", () => {
  const others = [
    { ...call, tool: "shell.start" },
    { ...call, input: { command: "npm test ", timeout: 10 } },
    { ...call, input: { command: "npm test" } },
    { ...call, realPaths: new Map([["a", "/workspace/c"]]) },
    { ...call, realPaths: new Map() },
    { ...call, directory: "/workspace/src" },
    { ...call, variables: { ...call.variables, PATH: "/workspace/bin" } },
    { ...call, variables: { ...call.variables, GIT_DIR: "x" } },
    { ...call, sandbox: "none" },
    { ...call, filesRun: new Map([["./a.sh", "2"]]) },
  ];
  expect(new Set([call, ...others].map(hashValue)).size).toBe(others.length + 1);
});

it("distinguishes values that look alike", () => {
  const values = [
    1,
    "1",
    1n,
    true,
    "true",
    null,
    undefined,
    Number.NaN,
    [],
    {},
    [1],
    ["1"],
    { 0: 1 },
    new Map([[0, 1]]),
    new Set([0, 1]),
    new Set([0, 2]),
    new Date(0),
    new Date(1),
    new Date(0).toJSON(),
    new URL("http://a.example"),
    new URL("http://b.example"),
  ];
  const bytes = [new Uint8Array([1]), new Uint8Array([2])];
  expect(new Set([...values, ...bytes].map(hashValue)).size).toBe(values.length + bytes.length);
});

it("is not affected by later changes to the input", () => {
  const input = { command: "ls", lists: [[1], [2]], bytes: new Uint8Array([1]), deep: { a: { b: "c" } } };
  const taken = snapshot(input);
  const before = structuredClone(input);
  input.command = "rm";
  input.lists[0]!.push(3);
  input.bytes[0] = 9;
  input.deep.a.b = "d";
  expect(taken).toEqual(before);
});

it("keeps values that are neither plain objects nor arrays", () => {
  const date = new Date(0);
  const run = () => {};
  expect(snapshot({ date, run })).toEqual({ date, run });
  expect(snapshot({ date }).date).toBe(date);
});
