import { expect, it } from "vitest";
import { terseDialect } from "../../examples/add-a-dialect/terse.ts";
import { defineTools } from "./definition.ts";
import { renameTool } from "./rename.ts";
import { toolcribDialect } from "./toolcrib.ts";

it("offers a canonical tool under the dialect's names only", async () => {
  const tools = await Promise.all(terseDialect.tools.map((tool) => tool.load()));
  const [cat] = defineTools(tools);
  const { file } = cat!.inputSchema.properties as Record<string, { type: string }>;
  expect([cat!.name, cat!.canonical, Object.keys(cat!.inputSchema.properties as object), file?.type]).toEqual(
    ["cat", "file.read", ["file", "offset", "limit", "line_numbers"], "string"],
  );
});

it("restricts a text to the dialect's values, and lists them", async () => {
  const named = renameTool("code.symbols", { name: "list", values: { kind: ["function", "struct"] } });
  const [list] = defineTools([await named.load()]);
  const { kind } = list!.inputSchema.properties as Record<string, object>;
  expect([kind, list!.inputSchema.required]).toEqual([
    { type: "string", enum: ["function", "struct"] },
    undefined,
  ]);
});

it("calls other tools by the names the model knows, in summaries and fields", async () => {
  const dialect = [
    renameTool("file.write", { name: "save" }),
    renameTool("edit.replace", { name: "str_replace" }),
    renameTool("edit.preview", { name: "try" }),
    renameTool("code.read_symbol", { name: "show" }),
    renameTool("code.delete_block", { name: "cut" }),
  ];
  const [save, , preview, , cut] = defineTools(await Promise.all(dialect.map((tool) => tool.load())));
  const { expected_old_hash: hash } = cut!.inputSchema.properties as Record<string, { description: string }>;
  expect([...[save, preview].map((tool) => namesIn(tool!.description)), hash!.description]).toEqual([
    ["str_replace"],
    ["str_replace"],
    "Hash from show; refuse another block.",
  ]);
});

it("derives a provider-safe name and a closed schema for every tool of the default dialect", async () => {
  const definitions = defineTools(await Promise.all(toolcribDialect.tools.map((tool) => tool.load())));
  for (const { name, inputSchema } of definitions) {
    expect(name).toMatch(/^[a-z][a-z_]*$/);
    expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
  }
});

function namesIn(text: string): readonly string[] {
  return text.match(/\b\w+[._](?:replace|patch|diff)\b/g) ?? [];
}
