import { expect, it } from "vitest";
import { errorWith, ToolError, textForUser } from "./error.ts";

it("ToolError keeps its details out of printed and serialized output", () => {
  const error = new ToolError("not-found", "Unknown tool", { details: { kind: "unknown-tool", name: "a" } });
  expect([
    error.details,
    errorWith(error, { message: "b" }).details,
    JSON.stringify(error),
    { ...error },
  ]).toEqual([
    { kind: "unknown-tool", name: "a" },
    { kind: "unknown-tool", name: "a" },
    '{"name":"ToolError","code":"not-found"}',
    { name: "ToolError", code: "not-found" },
  ]);
});

it("ToolError keeps the text for users out of printed and serialized output", () => {
  const error = new ToolError("denied", "Denied", { forUser: { hint: "Run: toolcrib paths" } });
  expect([error.forUser, errorWith(error, { message: "b" }).forUser, JSON.stringify(error)]).toEqual([
    { hint: "Run: toolcrib paths" },
    { hint: "Run: toolcrib paths" },
    '{"name":"ToolError","code":"denied"}',
  ]);
});

it("textForUser replaces only the given fields, and a null hint removes the hint", () => {
  const failure = { message: "Denied", hint: "Ask the user." };
  expect([
    textForUser({ message: "Denied" }),
    textForUser(failure),
    textForUser({ ...failure, forUser: { message: "The rule denies it" } }),
    textForUser({ ...failure, forUser: { hint: "Change the rule." } }),
    textForUser({ ...failure, forUser: { hint: null } }),
  ]).toEqual([
    { message: "Denied", hint: null },
    failure,
    { message: "The rule denies it", hint: "Ask the user." },
    { message: "Denied", hint: "Change the rule." },
    { message: "Denied", hint: null },
  ]);
});
