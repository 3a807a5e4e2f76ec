/** @module-tag slow */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { occurrencesIn } from "../../../test/support/marked-names.ts";
import { rounds } from "../../../test/support/rounds.ts";
import type { Occurrence, Occurrences } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import { spliced } from "../blocks/block-change.ts";
import { checkMeanings, occurrencesToRename, renameSplices } from "./rename.ts";
import { scopeRulesOf } from "./rules-of.ts";

const fixtures = new URL("../symbols/fixtures/", import.meta.url);
const sources = readdirSync(fixtures).filter(
  (name) => !name.endsWith(".outline") && scopeRulesOf(languageOf(name)) !== undefined,
);

describe("a name that can be renamed", () => {
  it.each(sources)("keeps its meaning, and renames back byte for byte, in %s", async (source) => {
    const language = languageOf(source);
    const text = readFileSync(new URL(source, fixtures), "utf8");
    const names = new Set(text.match(/[\p{ID_Start}_]\p{ID_Continue}*/gu));
    let renamed = 0;
    const every = Math.ceil(4 / rounds(1));
    for (const [index, name] of [...names].entries()) {
      if (index % every !== 0) continue;
      // In some languages a capital at the beginning has a meaning.
      const fresh = /^\p{Lu}/u.test(name) ? "NeverSeenBefore" : "never_seen_before";
      const old = await occurrencesIn(language, text, name);
      for (const line of new Set(old.places.map((place) => place.line))) {
        const chosen = choose(old, name, line);
        if (chosen === undefined) continue;
        renamed += 1;
        const splices = renameSplices(chosen, fresh);
        const after = spliced(text, splices);
        const now = await occurrencesIn(language, after, fresh);
        const rest = await occurrencesIn(language, after, name);
        const none: Occurrences = { ...old, places: [] };
        checkMeanings({
          splices,
          chosen,
          newName: fresh,
          before: { old, new: none },
          after: { new: now, old: rest },
        });
        // `{ a }` has become `{ a: b }`, and would be `{ a: a }`.
        if (chosen.some(({ around }) => around !== undefined)) continue;
        const back = renameSplices(occurrencesToRename(now, { name: fresh, newName: name }), name);
        expect(spliced(after, back)).toBe(text);
        expect(tokens(after).map((token) => (token === fresh ? name : token))).toEqual(tokens(text));
      }
    }
    expect(renamed).toBeGreaterThan(0);
  });
});

function languageOf(source: string): string {
  return source.slice(0, source.indexOf("."));
}

function choose(old: Occurrences, name: string, line: number): readonly Occurrence[] | undefined {
  try {
    return occurrencesToRename(old, { name, newName: name, line });
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

function tokens(text: string): readonly string[] {
  return text.match(/[\p{ID_Start}_]\p{ID_Continue}*|\s+|./gu) ?? [];
}
