import { expect, it } from "vitest";
import * as z from "zod/mini";
import type { ToolError } from "../contract/error.ts";
import { fieldSchemasOf, readFields } from "./tool-fields.ts";

const schemas = fieldSchemasOf({
  input: z.strictObject({
    path: z.string(),
    max_results: z.optional(z.int()),
    ratio: z.number(),
    hidden: z._default(z.boolean(), false),
    mode: z.enum(["content", "files"]),
    level: z.literal([1, 2, 3]),
    types: z.array(z.string()),
    lines: z.optional(z.array(z.int())),
    glob: z.union([z.string(), z.array(z.string())]),
    range: z.object({ from: z.number() }),
    env: z.optional(z.record(z.string(), z.string())),
    ranges: z.optional(z.array(z.object({ from: z.number() }))),
  }),
});

const read = (...words: string[]) => readFields("demo.tool", words, schemas);

const refusal = (...words: string[]) => {
  try {
    return read(...words);
  } catch (error) {
    const { code, message, hint } = error as ToolError;
    return { code, message, hint };
  }
};

it("converts every value to the type in the tool's schema", () => {
  expect(
    read(
      "--path",
      "a b",
      "--max-results",
      "10",
      "--ratio=-0.5",
      "--hidden",
      "--mode",
      "files",
      "--level",
      "2",
    ),
  ).toEqual({ path: "a b", max_results: 10, ratio: -0.5, hidden: true, mode: "files", level: 2 });
});

it("accepts a field in its original spelling, too", () => {
  expect(read("--max_results=3")).toEqual({ max_results: 3 });
});

it("accepts a list of objects one by one or all at once", () => {
  const ranges = [{ from: 1 }, { from: 2 }];
  expect([
    read("--ranges", '{"from": 1}', "--ranges", '{"from": 2}'),
    read("--ranges", '[{"from": 1}, {"from": 2}]'),
  ]).toEqual([{ ranges }, { ranges }]);
});

it("accepts booleans in four forms", () => {
  expect([
    read("--hidden"),
    read("--no-hidden"),
    read("--hidden=false"),
    read("--hidden", "true", "--path", "x"),
  ]).toEqual([{ hidden: true }, { hidden: false }, { hidden: false }, { hidden: true, path: "x" }]);
});

it("makes a list of a repeated flag, and of a single one if only a list fits", () => {
  expect([
    read("--types", "ts", "--types", "js", "--lines", "1"),
    read("--glob", "*.ts"),
    read("--glob", "a", "--glob", "b"),
  ]).toEqual([{ types: ["ts", "js"], lines: [1] }, { glob: "*.ts" }, { glob: ["a", "b"] }]);
});

it("parses an object as JSON, and leaves an invalid one for the tool to refuse", () => {
  expect(read("--range", '{"from": 1}', "--max-results", "many")).toEqual({
    range: { from: 1 },
    max_results: "many",
  });
  expect(read("--range", "{oops", "--ratio", "")).toEqual({ range: "{oops", ratio: "" });
});

it("parses a record as NAME=VALUE or JSON, and leaves anything else for the tool to refuse", () => {
  expect([
    read("--env", "A=1=2", "--env", "B="),
    read("--env", '{"A": "1"}'),
    read("--env", "A"),
    read("--env", "A=1", "--env", "=2"),
  ]).toEqual([{ env: { A: "1=2", B: "" } }, { env: { A: "1" } }, { env: "A" }, { env: "A=1" }]);
});

it("accepts any text as a value", () => {
  expect(read("--path", "--hidden", "--max-results", "-5")).toEqual({ path: "--hidden", max_results: -5 });
});

it("explains invalid flags", () => {
  expect([
    refusal("--pth", "x"),
    refusal("--no-path"),
    refusal("--path"),
    refusal("--path", "a", "--path", "b"),
    refusal("--path", "a", "{}"),
  ]).toEqual([
    { code: "invalid-input", message: "demo.tool has no argument --pth", hint: "Did you mean --path?" },
    { code: "invalid-input", message: "demo.tool has no argument --no-path", hint: "Did you mean --path?" },
    { code: "invalid-input", message: "--path needs a value", hint: "See: toolcrib help demo.tool" },
    {
      code: "invalid-input",
      message: "--path takes one value, but was given 2 times",
      hint: "See: toolcrib help demo.tool",
    },
    {
      code: "invalid-input",
      message: "Unexpected argument: {}",
      hint: "Put text with spaces in quotes, or write --key value for each argument. See: toolcrib help demo.tool",
    },
  ]);
});
