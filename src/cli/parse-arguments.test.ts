import { expect, it } from "vitest";
import type { ToolError } from "../contract/error.ts";
import type { Command } from "./command.ts";
import { parseArguments, readCount } from "./parse-arguments.ts";

const plain: Command = {
  name: "plain",
  summary: "Take options",
  usage: [["plain"]],
  options: [
    { name: "workspace", short: "C", value: "DIR", summary: "a folder" },
    { name: "mode", value: "MODE", choices: ["safe", "yolo"], summary: "a choice" },
    { name: "json", summary: "a switch" },
  ],
  examples: [],
  run: async () => 0,
};
const forwarding: Command = { ...plain, name: "call", forwardsFlags: true };

const parse = (words: readonly string[], command = plain) => {
  const { options, operands } = parseArguments(words, command);
  return { options: Object.fromEntries(options), operands };
};

const refusal = (words: readonly string[], command = plain) => {
  try {
    return parse(words, command);
  } catch (error) {
    const { code, message, hint } = error as ToolError;
    return { code, message, hint };
  }
};

it("accepts options before, between and after operands, with a space or an equals sign", () => {
  expect(parse(["-C", "a b", "one", "--mode=yolo", "two", "--json", "-"])).toEqual({
    options: { workspace: "a b", mode: "yolo", json: "" },
    operands: ["one", "two", "-"],
  });
});

it("uses the last value, and accepts values that begin with a dash", () => {
  expect(parse(["--workspace", "first", "--workspace", "-odd-"])).toEqual({
    options: { workspace: "-odd-" },
    operands: [],
  });
});

it("parses no options after a lone --", () => {
  expect(parse(["--json", "--", "--mode", "yolo"])).toEqual({
    options: { json: "" },
    operands: ["--mode", "yolo"],
  });
});

it("passes unknown options, and everything after a lone --, to the tool", () => {
  expect(
    parse(["--json", "grep", "--pattern", "x", "--mode", "safe", "-i", "--", "--mode", "files"], forwarding),
  ).toEqual({
    options: { json: "", mode: "safe" },
    operands: ["grep", "--pattern", "x", "-i", "--mode", "files"],
  });
});

it("explains invalid arguments", () => {
  expect([
    refusal(["--jsno"]),
    refusal(["--zebra"]),
    refusal(["--json=yes"]),
    refusal(["--workspace"]),
    refusal(["--mode", "yollo"]),
    refusal(["grep", "--mode", "files"], forwarding),
    refusal(["--pattern", "grep"], forwarding),
  ]).toEqual([
    {
      code: "invalid-input",
      message: "Unknown option for toolcrib plain: --jsno",
      hint: "Did you mean --json?",
    },
    {
      code: "invalid-input",
      message: "Unknown option for toolcrib plain: --zebra",
      hint: "See: toolcrib help plain",
    },
    { code: "invalid-input", message: "--json takes no value", hint: "See: toolcrib help plain" },
    {
      code: "invalid-input",
      message: "--workspace needs a value: --workspace DIR",
      hint: "See: toolcrib help plain",
    },
    {
      code: "invalid-input",
      message: '--mode must be one of safe, yolo, not "yollo"',
      hint: "Did you mean yolo?",
    },
    {
      code: "invalid-input",
      message: '--mode must be one of safe, yolo, not "files"',
      hint: "If the tool has its own --mode, write it after a lone --: -- --mode files",
    },
    {
      code: "invalid-input",
      message: "Unknown option for toolcrib call: --pattern",
      hint: "See: toolcrib help call",
    },
  ]);
});

it("accepts counts that are whole numbers from one", () => {
  const count = (text: string) => readCount({ options: new Map([["limit", text]]), operands: [] }, "limit");
  expect([count("1"), count("250"), readCount({ options: new Map(), operands: [] }, "limit")]).toEqual([
    1,
    250,
    undefined,
  ]);
  for (const text of ["0", "-1", "1.5", "many", "", "1e3", "10000000000"]) {
    expect(() => count(text)).toThrow(`--limit must be a whole number from 1, not "${text}"`);
  }
});

it("accepts a choice in any case", () => {
  expect(parse(["--mode", "YOLO"]).options).toEqual({ mode: "yolo" });
});
