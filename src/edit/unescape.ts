import type { Block } from "./block.ts";

export interface Unescaped {
  readonly oldText: string;
  readonly newText: string;
  /** Removes this level of escaping from other text of the call. */
  undo(text: string): string;
}

/** A way of escaping that models apply once too often. */
interface Escaping {
  /** What begins an escape. */
  readonly mark: "\\" | "&";
  readonly pattern: RegExp;
  /** Whether a text can have come out of this escaping at all. */
  produces(text: string, isOneLine: boolean): boolean;
  /** Whether all escapes of a text are likely to come from it; a text to find with line ends answers for both texts. */
  explains?(text: string): boolean;
  /** It escapes line ends too, so its texts are single lines. */
  readonly joinsLines: boolean;
}

const escapings: readonly Escaping[] = [
  // Quotes and backslashes, line by line.
  {
    mark: "\\",
    pattern: /\\([\\"'`])/g,
    produces: (text) => escapesOf(text).every(({ character }) => /[\\"'`]/.test(character)),
    joinsLines: false,
  },
  // Everything, as in JSON: a line end is \n, so a \n that stands in a string has become \\n.
  {
    mark: "\\",
    pattern: /\\([\\"'`/ntr])/g,
    produces: (text) =>
      !/[\n\t]|(?<!\\)(?:\\\\)*"/.test(text) &&
      escapesOf(text).every(({ character }) => /[\\"'`/ntr]/.test(character)),
    explains: (text) =>
      escapesLineEnds(text) || !escapesOf(text).some(({ character }) => /[ntr]/.test(character)),
    joinsLines: true,
  },
  // Quotes, backslashes and tabs, line by line.
  {
    mark: "\\",
    pattern: /\\([\\"'`t])/g,
    produces: (text) =>
      !text.includes("\t") &&
      escapesOf(text).every(({ character, isQuoted }) =>
        isQuoted ? /[\\"'`]/.test(character) : /[\\"'`t]/.test(character),
      ),
    joinsLines: false,
  },
  // Quotes alone, double ones or all: other escapes are the code's own.
  { mark: "\\", pattern: /\\(")/g, produces: escapesNoLineEnds, joinsLines: false },
  { mark: "\\", pattern: /\\(["'`])/g, produces: escapesNoLineEnds, joinsLines: false },
  // Line ends and tabs alone.
  {
    mark: "\\",
    pattern: /\\([ntr])/g,
    produces: (text) => !/[\n\t]/.test(text) && escapesOf(text).every(({ isQuoted }) => !isQuoted),
    joinsLines: true,
  },
  // As in HTML.
  {
    mark: "&",
    pattern: /&(lt|gt|amp|quot|apos|#39);/g,
    produces: (text) => !/[<>]|&(?!(?:lt|gt|amp|quot|apos|#39);)/.test(text),
    joinsLines: false,
  },
];

/** The block's texts with one level of escaping removed, in each way that changes what is to be found. */
export function* unescapings(block: Block): Generator<Unescaped> {
  const oldText = block.oldLines.join("\n");
  if (!oldText.includes("\\") && !oldText.includes("&")) return;
  const newText = block.newLines.join("\n");
  const tried = new Set<string>();
  for (const { mark, pattern, produces, explains = () => true, joinsLines } of escapings) {
    if (!oldText.includes(mark) || (joinsLines && block.wholeLines)) continue;
    const canCome = (text: string) => produces(text, !block.wholeLines && !text.includes("\n"));
    if (!canCome(oldText) || (newText.includes(mark) && !canCome(newText))) continue;
    if (!explains(oldText) || (!escapesLineEnds(oldText) && !explains(newText))) continue;
    const undo = (text: string) =>
      text.replace(pattern, (_, character: string) => characters[character] ?? character);
    const unescaped = { oldText: undo(oldText), newText: undo(newText), undo };
    const key = JSON.stringify(unescaped);
    if (unescaped.oldText === oldText || tried.has(key)) continue;
    tried.add(key);
    yield unescaped;
  }
}

const characters: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  apos: "'",
  "#39": "'",
};

/** Line ends outside of strings are escaped. */
function escapesLineEnds(text: string): boolean {
  return escapesOf(text).some(({ character, isQuoted }) => !isQuoted && /[ntr]/.test(character));
}

/** In a text of one line, an escape outside of strings may stand for a line end. */
function escapesNoLineEnds(text: string, isOneLine: boolean): boolean {
  return !isOneLine || !escapesLineEnds(text);
}

/** Every backslash with what follows it, and whether the pair stands inside double quotes of its line. */
function escapesOf(text: string): readonly { character: string; isQuoted: boolean }[] {
  const escapes: { character: string; isQuoted: boolean }[] = [];
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!;
    if (character === "\n") isQuoted = false;
    if (character === '"') isQuoted = !isQuoted;
    if (character !== "\\") continue;
    at += 1;
    escapes.push({ character: text[at] ?? "", isQuoted: isQuoted && text[at] !== '"' });
    if (text[at] === '"') isQuoted = !isQuoted;
    // Probably a line end; strings seldom go on after it.
    if (text[at] === "n") isQuoted = false;
  }
  return escapes;
}
