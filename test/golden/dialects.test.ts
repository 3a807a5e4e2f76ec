import { expect, it } from "vitest";
import { defineTools } from "../../src/dialects/definition.ts";
import { dialectNames, findDialect } from "../../src/dialects/dialects.ts";

it.each(dialectNames)("the wire definitions of %s are as published", async (name) => {
  const dialect = await findDialect(name);
  const tools = await Promise.all(dialect.tools.map((tool) => tool.load()));
  await expect(`${JSON.stringify(defineTools(tools), null, 2)}\n`).toMatchFileSnapshot(`${name}.json`);
});
