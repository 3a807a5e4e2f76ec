import type { Occurrences, Outline, OutlineOptions, Reading } from "../../contract/code.ts";
import { literalLines } from "../blocks/literal-lines.ts";
import { outlineOf } from "../symbols/outline-of.ts";
import { type SentText, Trees } from "./trees.ts";

/** What a reader is asked. Undefined: the text has to be sent whole. */
export interface ReaderService {
  outline(
    request: SentText & Pick<OutlineOptions, "literalsIn">,
    options: Reading,
  ): Promise<Outline | undefined>;
  occurrences(
    request: SentText & { readonly name: string },
    options: Reading,
  ): Promise<Occurrences | undefined>;
}

/** Reads texts in the process of a host. */
export function readingService(): ReaderService {
  const trees = new Trees<Outline>();
  return {
    outline: async ({ literalsIn, ...sent }) => {
      const parsed = await trees.parse(sent);
      if (!parsed) return undefined;
      const { tree, text, language } = parsed;
      parsed.known ??= outlineOf(tree, text, language);
      if (!literalsIn) return parsed.known;
      return { ...parsed.known, literalLines: literalLines(tree, text, literalsIn) };
    },
    occurrences: async ({ name: _name, ...sent }) => {
      const parsed = await trees.parse(sent);
      if (!parsed) return undefined;
      return { language: parsed.language, places: [], scoped: false };
    },
  };
}
