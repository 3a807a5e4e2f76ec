import { expect, it } from "vitest";
import { defineTools } from "../../src/dialects/definition.ts";
import { dialectNames, findDialect } from "../../src/dialects/dialects.ts";

it.each(dialectNames)("the wire definitions of %s match the published ones", async (name) => {
  const dialect = await findDialect(name);
  const tools = await Promise.all(dialect.tools.map((tool) => tool.load()));
  await expect(`${JSON.stringify(defineTools(tools), null, 2)}\n`).toMatchFileSnapshot(`${name}.json`);
});

// A single character beyond Latin-1 makes the whole request a two-byte string: twice the memory, and slow to send.
it.each(dialectNames)("the definitions of %s are plain ASCII", async (name) => {
  const dialect = await findDialect(name);
  const tools = await Promise.all(dialect.tools.map((tool) => tool.load()));
  expect(JSON.stringify(defineTools(tools)).match(/[^\p{ASCII}]/gu)).toBeNull();
});
