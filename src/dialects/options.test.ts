import { expect, it } from "vitest";
import { type $ZodType, safeParse } from "zod/v4/core";
import { defineTools } from "./definition.ts";
import { dialectNames, findDialect } from "./dialects.ts";

/** Fields that name something: a greater number must not mean the greatest one. */
const positions = new Set(["line", "page", "skip", "last"]);

it.each(dialectNames)("%s takes a limit above its maximum as the maximum", async (name) => {
  const { tools } = await findDialect(name);
  const refused = (await Promise.all(tools.map((tool) => tool.load()))).flatMap((tool) => {
    const { shape = {} } = tool.input._zod.def as { shape?: Record<string, $ZodType> };
    const isRefused = (field: string) =>
      safeParse(shape[field]!, 2 ** 40).error?.issues.some(({ code }) => code === "too_big");
    const fields = Object.keys(shape).filter((field) => !positions.has(field) && isRefused(field));
    return fields.map((field) => `${tool.name}: ${field}`);
  });
  expect(refused).toEqual([]);
});

/** Ids in examples. */
const examples = ["call_a", "call_b"];

it.each(dialectNames)("the descriptions of %s name only tools and options that it has", async (name) => {
  const { tools } = await findDialect(name);
  const defined = defineTools(await Promise.all(tools.map((tool) => tool.load())));
  const unknown = defined.flatMap((tool) => {
    const text = JSON.stringify([tool.description, tool.inputSchema]);
    const keys = [...text.matchAll(/"(\w+)"/g)].map(([, key]) => key!);
    const known = new Set([...defined.map((other) => other.name), ...keys, ...examples]);
    const named = [...text.matchAll(/`(\w+)`|\b([a-z]+(?:_[a-z]+)+)\b/g)].map(
      ([, one, other]) => one ?? other!,
    );
    return named.filter((each) => !known.has(each)).map((each) => `${tool.name}: ${each}`);
  });
  expect(unknown).toEqual([]);
});
