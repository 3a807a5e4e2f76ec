import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeFixture } from "../../../test/support/code-fixture.ts";
import type { Outline } from "../../contract/code.ts";
import { describedSymbols } from "./described-symbols.ts";

const fixtures = join(import.meta.dirname, "../../../test/fixtures/described-functions");
const described: readonly { file: string; description: string; line: number }[] = JSON.parse(
  readFileSync(join(fixtures, "descriptions.json"), "utf8"),
);

const opened = codeFixture();
afterAll(() => opened[Symbol.asyncDispose]());
const files = new Map<string, { readonly text: string; readonly outline: Outline }>();

/** The lines of the declarations that a description means, best first; only the one that is edited, if it is clear. */
function linesOf(
  file: string,
  description: string,
): { readonly edited: readonly number[]; readonly listed: readonly number[] } {
  const { text, outline } = files.get(file)!;
  const { winners, ranked } = describedSymbols(text, outline, description);
  const linesIn = (locations: typeof ranked) => locations.map(({ symbol }) => symbol!.line);
  return { edited: winners.length === 1 ? linesIn(winners) : [], listed: linesIn(ranked.slice(0, 3)) };
}

describe("a description of a function", { tags: "slow" }, () => {
  beforeAll(async () => {
    const add = async (path: string, name: string) => {
      const text = readFileSync(path, "utf8");
      const outline = await opened.context.code.outline(
        { path: name, text },
        { signal: opened.context.signal },
      );
      files.set(name, { text, outline: outline! });
    };
    for (const file of readdirSync(fixtures).filter((name) => name.endsWith(".txt")))
      await add(join(fixtures, file), file.slice(0, -".txt".length));
  });

  it("never edits another one of 36 functions of real projects, finds 13, and lists the right one of 32", () => {
    const outcomes = described.map(({ file, description, line }) => ({
      line,
      ...linesOf(file, description),
    }));
    const wrong = outcomes.filter(({ edited, line }) => edited.some((other) => other !== line));
    const found = outcomes.filter(({ edited, line }) => edited.includes(line));
    const listed = outcomes.filter(({ listed: lines, line }) => lines.includes(line));
    expect({ wrong, found: found.length, listed: listed.length }).toEqual({
      wrong: [],
      found: 13,
      listed: 32,
    });
  });
});
