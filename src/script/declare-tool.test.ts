import { expect, it } from "vitest";
import { declareTool } from "./declare-tool.ts";

it("declares the data of built-in tools", () => {
  const glob = { name: "search.glob", description: "", inputSchema: { type: "object" } };
  expect(declareTool(glob)).toContain(
    "data: { files: { path: string; modifiedMs: number }[]; total: number; ",
  );
});

it("declares every kind of argument, and names that are no identifiers", () => {
  const inputSchema = {
    type: "object",
    properties: {
      path: { type: "string", description: "A path.\nRelative." },
      mode: { enum: ["a", "b"] },
      size: { type: ["integer", "null"] },
      edits: { type: "array", items: { type: "object", properties: { "old-text": { type: "string" } } } },
      ids: { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] } },
      others: { type: "object", additionalProperties: { type: "boolean" } },
      any: {},
    },
    required: ["path"],
  };
  const dataSchema = { type: "object", properties: { total: { type: "number" } }, required: ["total"] };
  const tool = { name: "my-tool.run", description: "Runs */ it.\nTwice.", inputSchema, dataSchema };
  expect(declareTool(tool)).toBe(`/** Runs *\\/ it. Twice. */
tools["my-tool"].run(input: {
  path: string; // A path. Relative.
  mode?: "a" | "b";
  size?: number | null;
  edits?: {
    "old-text"?: string;
  }[];
  ids?: (string | number)[];
  others?: Record<string, boolean>;
  any?: unknown;
}): Promise<{ data: {
  total: number;
}; text: string; failed?: string }>;`);
});

it("reads every part of a schema once, however often a server repeats its types", () => {
  const types = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? "object" : `type ${at}`));
  let inputSchema: Record<string, unknown> = { type: "string" };
  for (let depth = 0; depth < 8; depth += 1)
    inputSchema = { type: types, properties: { inner: inputSchema } };
  expect(declareTool({ name: "a", description: "", inputSchema }).match(/inner/g)).toHaveLength(8);
});
