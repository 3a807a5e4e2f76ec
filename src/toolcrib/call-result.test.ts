import { expect, it } from "vitest";
import { ToolError } from "../contract/error.ts";
import { toResult } from "./call-result.ts";

it("carries the text for users next to the text for models and JSON", () => {
  const forUser = { message: "The rule `deny read x` denies it", hint: "Remove the rule." };
  const failed = new ToolError("denied", "Denied", { hint: "Do not work around it.", forUser });
  const { content, error } = toResult("call_1", { ok: false, error: failed });
  expect([content, error?.forUser, JSON.stringify(error), { ...error }]).toEqual([
    "Denied\nDo not work around it.",
    forUser,
    '{"code":"denied","message":"Denied","hint":"Do not work around it."}',
    { code: "denied", message: "Denied", hint: "Do not work around it." },
  ]);
});
