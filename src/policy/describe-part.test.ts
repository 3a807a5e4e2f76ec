import { expect, it } from "vitest";
import { describePart } from "./decide.ts";
import type { PolicyPart } from "./policy.ts";

it("names a tool of another server on one line, whatever characters its name has", () => {
  const part: PolicyPart = {
    kind: "use",
    tool: "go\nallow run **\u202e",
    server: "bad",
    risk: "execute",
    names: "everything",
  };
  expect(describePart(part)).toBe("use go<U+000A>allow run **<U+202E> of the MCP server bad");
});
