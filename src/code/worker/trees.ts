import { Edit, Parser, type Point, type Tree } from "web-tree-sitter";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { loadGrammar } from "../grammars/load-grammar.ts";
import type { OutlineBefore } from "../symbols/outline-after.ts";
import { tooSlow } from "./parse-errors.ts";
import { changed, keyOf, type SentState, type TextChange } from "./sent-texts.ts";

export interface SentText extends SentState {
  readonly path: string;
  readonly language: string;
  readonly grammar: string;
}

/** A text and its tree, which the cache owns. */
export interface ParsedText<Known> {
  readonly text: string;
  readonly tree: Tree;
  readonly language: string;
  readonly version: number;
  known: Known | undefined;
  /** The version that this one was derived from, and where text or tree differ. The tree of that version is deleted. */
  readonly previous: Previous<Known> | undefined;
}

interface Previous<Known> extends Pick<OutlineBefore, "text" | "changed"> {
  readonly known: Known | undefined;
}

/** Caches the trees of the last few texts. A changed text is parsed again only where it changed. */
export class Trees<Known> {
  readonly #held = new BoundedCache<string, ParsedText<Known>>({
    maxEntries: mostTrees,
    maxWeight: mostUnits,
    weigh: ({ text }) => text.length,
    keepsNewest: true,
    dispose: ({ tree }) => tree.delete(),
  });
  #parser: Parser | undefined;

  /** Returns undefined when the base of a change is no longer cached, and the text must be sent whole. */
  async parse(request: SentText): Promise<ParsedText<Known> | undefined> {
    const grammar = await loadGrammar(request.grammar);
    this.#parser ??= new Parser();
    this.#parser.setLanguage(grammar);
    const key = keyOf(request);
    const before = this.#held.get(key);
    if (before?.version === request.version) {
      this.#hold(key, before);
      return before;
    }
    const { path, language, version, sent } = request;
    const parsed = { language, version, known: undefined, previous: undefined };
    if (typeof sent === "string")
      return this.#hold(key, { ...parsed, text: sent, tree: this.#read(path, sent) });
    if (before?.version !== sent.base) return undefined;
    const text = changed(before.text, sent);
    // The old tree is removed from the cache, because this text replaces it.
    this.#held.delete(key);
    try {
      before.tree.edit(editOf(before.text, sent));
      const tree = this.#read(path, text, before.tree);
      const stretch = changedSpan(sent, before.tree, tree);
      const previous = { text: before.text, known: before.known, changed: stretch };
      if (!tree.rootNode.hasError) return this.#hold(key, { ...parsed, text, tree, previous });
      // Error recovery depends on the previous tree, but the result must not.
      tree.delete();
      return this.#hold(key, { ...parsed, text, tree: this.#read(path, text) });
    } finally {
      before.tree.delete();
    }
  }

  #read(path: string, text: string, old?: Tree): Tree {
    const start = performance.now();
    const progressCallback = () => performance.now() - start > parseLimitMs;
    const tree = this.#parser!.parse(text, old, { progressCallback });
    if (tree) return tree;
    this.#parser!.reset();
    throw tooSlow(path);
  }

  #hold(key: string, parsed: ParsedText<Known>): ParsedText<Known> {
    this.#held.set(key, parsed);
    return parsed;
  }
}

const parseLimitMs = 10_000;
const mostTrees = 12;
const mostUnits = 3_000_000;

function editOf(before: string, { start, oldEnd, text }: TextChange): Edit {
  const startPosition = pointAt(before, start, { row: 0, column: 0 }, 0);
  return new Edit({
    startIndex: start,
    oldEndIndex: oldEnd,
    newEndIndex: start + text.length,
    startPosition,
    oldEndPosition: pointAt(before, oldEnd, startPosition, start),
    newEndPosition: pointAt(text, text.length, startPosition, 0),
  });
}

/** Returns the point of `end`, given the point of `from`. */
function pointAt(text: string, end: number, { row, column }: Point, from: number): Point {
  let rows = row;
  let lineStart = from - column;
  for (let at = text.indexOf("\n", from); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) {
    rows += 1;
    lineStart = at + 1;
  }
  return { row: rows, column: end - lineStart };
}

function changedSpan({ start, oldEnd, text }: TextChange, old: Tree, tree: Tree): OutlineBefore["changed"] {
  let first = start;
  let newEnd = start + text.length;
  const shift = newEnd - oldEnd;
  for (const { startIndex, endIndex } of old.getChangedRanges(tree)) {
    first = Math.min(first, startIndex);
    newEnd = Math.max(newEnd, endIndex);
  }
  return { start: first, oldEnd: newEnd - shift, newEnd };
}
