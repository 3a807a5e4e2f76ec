import { readFileSync } from "node:fs";
import { expect, expectTypeOf, it } from "vitest";
import { dialectInputs, dialectInputsPath } from "../scripts/dialect-inputs.ts";
import { dialectNames } from "../src/dialects/dialects.ts";
import type { GlobData, Toolcrib, ToolsOf } from "../src/toolcrib/index.ts";

it("src/toolcrib/dialect-inputs.ts has the inputs of today: npm run docs writes it", async () => {
  const written = readFileSync(dialectInputsPath, "utf8");
  const plain = (text: string) => text.replace(/[\s;()|]+/g, "");
  expect(plain(written)).toBe(plain(await dialectInputs()));
  expect(
    dialectNames.filter((name) => !new RegExp(`^  readonly "?${name}"?: \\{$`, "m").test(written)),
  ).toEqual([]);
});

it("types the names, inputs and data of a built-in dialect", () => {
  const find = (claude: Toolcrib<ToolsOf<"claude-code">>) => claude.call("Glob", { pattern: "*.txt" });
  type Data = Awaited<ReturnType<typeof find>>["data"];
  expectTypeOf<Data>().toEqualTypeOf<GlobData | null>();
  // Functions that take any instance take this one.
  expectTypeOf<Toolcrib<ToolsOf<"claude-code">>>().toExtend<Toolcrib>();
  const wrong = (claude: Toolcrib<ToolsOf<"claude-code">>) =>
    // @ts-expect-error Read has no field path.
    claude.call("Read", { path: "a.txt" });
  expect(wrong).toBeTypeOf("function");
});
