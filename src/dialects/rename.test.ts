import { expect, it } from "vitest";
import { terseDialect } from "../../examples/add-a-dialect/terse.ts";
import { defineTool } from "./definition.ts";
import { toolcribDialect } from "./toolcrib.ts";

it("offers a canonical tool under the dialect's names only", async () => {
  const tools = await Promise.all(terseDialect.tools.map((tool) => tool.load()));
  const cat = defineTool(tools[0]!);
  const { file } = cat.inputSchema.properties as Record<string, { type: string }>;
  expect([cat.name, cat.canonical, Object.keys(cat.inputSchema.properties as object), file?.type]).toEqual([
    "cat",
    "file.read",
    ["file", "offset", "limit", "line_numbers"],
    "string",
  ]);
});

it("derives a provider-safe name and a closed schema for every tool of the default dialect", async () => {
  const definitions = (await Promise.all(toolcribDialect.tools.map((tool) => tool.load()))).map(defineTool);
  for (const { name, inputSchema } of definitions) {
    expect(name).toMatch(/^[a-z][a-z_]*$/);
    expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
  }
});
