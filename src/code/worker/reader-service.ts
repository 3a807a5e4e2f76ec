import type { Occurrences, Outline, OutlineOptions, Reading } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import { literalLines } from "../blocks/literal-lines.ts";
import { occurrencesOf } from "../scopes/occurrences-of.ts";
import { outlineAfter } from "../symbols/outline-after.ts";
import { outlineOf } from "../symbols/outline-of.ts";
import { withScripts } from "../symbols/with-scripts.ts";
import { LastOutlines, type OutlineChange, outlineChange } from "./outline-change.ts";
import { parserCrashed } from "./parse-errors.ts";
import { keyOf } from "./sent-texts.ts";
import { type ParsedText, type SentText, Trees } from "./trees.ts";

/** The service of a worker that parses texts. A method returns undefined if the worker needs the whole text. */
export interface ReaderService {
  outline(request: OutlineRequest, options: Reading): Promise<OutlineAnswer | undefined>;
  occurrences(
    request: { readonly source: SentText; readonly name: string },
    options: Reading,
  ): Promise<Occurrences | undefined>;
}

export interface OutlineRequest extends Pick<OutlineOptions, "literalsIn"> {
  readonly source: SentText;
  /** The version whose outline the caller has. Then only the change is returned. */
  readonly known: number | undefined;
}

export type OutlineAnswer = Pick<Outline, "literalLines"> &
  ({ readonly outline: Outline } | { readonly change: OutlineChange });

export function readerService(retire: () => void): ReaderService {
  const trees = new Trees<Outline>();
  const outlines = new LastOutlines();
  const read = async <Answer>(
    source: SentText,
    answer: (parsed: ParsedText<Outline>) => Answer | Promise<Answer>,
  ) => {
    try {
      const parsed = await trees.parse(source);
      return parsed && (await answer(parsed));
    } catch (error) {
      if (error instanceof ToolError) throw error;
      // WebAssembly ran out of memory or stack and is in an undefined state.
      retire();
      throw parserCrashed(source.path, (error as Error).message, error);
    }
  };
  return {
    outline: ({ source, known, literalsIn }) =>
      read(source, async (parsed) => {
        const { tree, text } = parsed;
        const outline = await withScripts(outlined(parsed), text);
        const key = keyOf(source);
        const before = outlines.get(key, known);
        outlines.set(key, source.version, outline);
        return {
          ...(before ? { change: outlineChange(before, outline) } : { outline }),
          literalLines: literalsIn && literalLines(tree, text, literalsIn),
        };
      }),
    occurrences: ({ source, name }) =>
      read(source, (parsed) => occurrencesOf(parsed.tree, parsed.text, name, outlined(parsed))),
  };
}

function outlined(parsed: ParsedText<Outline>): Outline {
  const { tree, text, language, previous } = parsed;
  parsed.known ??= previous?.known
    ? outlineAfter(tree, text, language, { ...previous, outline: previous.known })
    : outlineOf(tree, text, language);
  return parsed.known;
}
