import { expect, it } from "vitest";
import { reworded, ToolError } from "./error.ts";

it("ToolError keeps its details for code, and out of what is printed or serialized", () => {
  const error = new ToolError("not-found", "Unknown tool", { details: { kind: "unknown-tool", name: "a" } });
  expect([
    error.details,
    reworded(error, { message: "b" }).details,
    JSON.stringify(error),
    { ...error },
  ]).toEqual([
    { kind: "unknown-tool", name: "a" },
    { kind: "unknown-tool", name: "a" },
    '{"name":"ToolError","code":"not-found"}',
    { name: "ToolError", code: "not-found" },
  ]);
});
