import { type Block, partOfHunk, wholeLinesBlock, withLines } from "../block.ts";
import { isBlankLine } from "./tiers.ts";

/** A block without a wrapping that a model put around its text. */
export interface Unwrapped {
  readonly block: Block;
  readonly note: string;
  /** The block may only match at the very end of the file. */
  readonly endsFile?: boolean | undefined;
  /** The block with its code fence, if one was removed. */
  readonly fenced?: Block | undefined;
  /** The block with its surrounding blank lines, if any were removed, and the number of those above it. */
  readonly outer?: { readonly block: Block; readonly blankLinesBefore: number } | undefined;
  readonly undo?: ((text: string) => string) | undefined;
}

/** Yields the block without one wrapping, most likely first, then without two. */
export function* unwrappings(block: Block): Generator<Unwrapped> {
  const outers = [...once(block)];
  yield* outers;
  for (const outer of outers) {
    for (const inner of once(outer.block)) {
      if (inner.note === outer.note) continue;
      yield {
        block: inner.block,
        note: `${outer.note}; ${inner.note}`,
        endsFile: outer.endsFile || inner.endsFile,
        outer: inner.outer ?? outer.outer,
        fenced: inner.fenced ?? outer.fenced,
        undo: outer.undo ?? inner.undo,
      };
    }
  }
}

function* once(block: Block): Generator<Unwrapped> {
  yield* withoutBareEdges(block);
  yield* withoutLineAfterEnd(block);
  yield* withoutFence(block);
  yield* withoutBlankEdges(block);
  yield* withoutGutters(block);
  for (const { oldText, newText, undo } of unescapings(block)) {
    const unescaped = withLines(block, oldText.split("\n"), newText.split("\n"));
    yield { block: unescaped, note: "one level of escaping removed", undo };
  }
}

function* withoutBareEdges(block: Block): Generator<Unwrapped> {
  if (!block.bareEdges) return;
  const [first, last] = block.bareEdges;
  const { length } = block.oldLines;
  const runs = { firstRun: 0, lastRun: block.runs.length };
  const without = (start: number, end: number): Unwrapped => ({
    block: partOfHunk(block, { start, end, ...runs }),
    note: "blank lines around it ignored",
  });
  if (last > 0) yield without(0, length - last);
  if (first > 0) yield without(first, length);
  if (first > 0 && last > 0) yield without(first, length - last);
}

/** Removes a last blank context line, which may be the line end of the file's last line. */
function* withoutLineAfterEnd(block: Block): Generator<Unwrapped> {
  const last = block.oldLines.length - 1;
  if (!block.wholeLines || last < 1 || block.oldLines[last] !== "" || !block.isContext(last)) return;
  if (block.runs.some((run) => run.oldEnd > last)) return;
  const part = partOfHunk(block, { start: 0, end: last, firstRun: 0, lastRun: block.runs.length });
  yield { block: part, note: "blank line after the end of the file ignored", endsFile: true };
}

/** Removes the code fence around the text to find, and around the new text if it has one. */
function* withoutFence(block: Block): Generator<Unwrapped> {
  if (block.wholeLines) return;
  const oldLines = unfence(block.oldLines);
  if (!oldLines) return;
  const newLines = unfence(block.newLines) ?? closedLines(block).newLines;
  yield { block: wholeLinesBlock(block, oldLines, newLines), note: "code fence removed", fenced: block };
}

function unfence(lines: readonly string[]): readonly string[] | undefined {
  const first = lines.findIndex((line) => !isBlankLine(line));
  const last = lines.findLastIndex((line) => !isBlankLine(line));
  const fence = /^\s*(`{3,}|~{3,})[^`]*$/.exec(lines[first] ?? "")?.[1];
  return fence !== undefined && last > first && lines[last]!.trim() === fence
    ? lines.slice(first + 1, last)
    : undefined;
}

/** Removes blank lines before and after the text to find. The rest must be whole lines. */
function* withoutBlankEdges(block: Block): Generator<Unwrapped> {
  if (block.wholeLines) return;
  const { oldLines, newLines } = closedLines(block);
  const first = oldLines.findIndex((line) => !isBlankLine(line));
  const last = oldLines.length - 1 - oldLines.findLastIndex((line) => !isBlankLine(line));
  if (first === -1 || first + last === 0) return;
  // The new text loses at most as many blank lines as the old text. Further ones are new.
  const leading = Math.min(first, countBlank(newLines));
  const trailing = Math.min(last, countBlank(newLines.slice(leading).reverse()));
  const trimmed = newLines.slice(leading, newLines.length - trailing);
  yield {
    block: wholeLinesBlock(block, oldLines.slice(first, oldLines.length - last), trimmed),
    note: "blank lines around it ignored",
    outer: { block, blankLinesBefore: first },
  };
}

function* withoutGutters(block: Block): Generator<Unwrapped> {
  const lines = block.wholeLines ? block : closedLines(block);
  for (const { oldLines, newLines, firstLine } of stripGutters(lines.oldLines, lines.newLines)) {
    const unwrapped = block.wholeLines
      ? withLines(block, oldLines, newLines)
      : wholeLinesBlock(block, oldLines, newLines);
    yield { block: { ...unwrapped, hints: { ...block.hints, firstLine } }, note: "line numbers removed" };
  }
}

/** Returns the lines of a text without the empty one after a final line end. */
function closedLines({ oldLines, newLines }: Block): Pick<Block, "oldLines" | "newLines"> {
  if (oldLines.length < 2 || oldLines.at(-1) !== "") return { oldLines, newLines };
  return {
    oldLines: oldLines.slice(0, -1),
    newLines: newLines.at(-1) === "" ? newLines.slice(0, -1) : newLines,
  };
}

function countBlank(lines: readonly string[]): number {
  const filled = lines.findIndex((line) => !isBlankLine(line));
  return filled === -1 ? lines.length : filled;
}

type WithoutGutters = Pick<Block, "oldLines" | "newLines"> & { readonly firstLine: number };

/**
 * Line numbers as tools print them: `12 | `, `12→`, `12: `, `12-`, or `12` and a tab; blanks or `L` may precede. A
 * blank line may consist of the number alone. `endsWithBlank`: a blank after the number usually belongs to the number.
 */
const gutters: readonly { readonly pattern: RegExp; readonly endsWithBlank: boolean }[] = [
  { pattern: /^\s*L?(\d+)(?:\s*[|│┃]|\s*$)/u, endsWithBlank: true },
  { pattern: /^\s*L?(\d+)(?:\s*[→⇥]|\s*$)/u, endsWithBlank: false },
  { pattern: /^\s*L?(\d+)(?:\t|\s*$)/u, endsWithBlank: false },
  { pattern: /^\s*\[?L?(\d+)\]?(?::|\s*$)/u, endsWithBlank: true },
  { pattern: /^\s*L?(\d+)(?:[-).]|\s*$)/u, endsWithBlank: true },
];

/**
 * Yields old and new lines without their numbers, if every old line has a number and the numbers are consecutive. The
 * blank after a number may belong to it. Of the added lines, either all have numbers or none.
 */
function* stripGutters(oldLines: readonly string[], newLines: readonly string[]): Generator<WithoutGutters> {
  const filled = oldLines.find((line) => !isBlankLine(line));
  if (filled === undefined || !/^\s*\[?L?\d/u.test(filled)) return;
  const isOld = new Set(oldLines);
  for (const { pattern: gutter, endsWithBlank } of gutters) {
    const firstLine = countsUp(oldLines, gutter);
    if (firstLine === undefined) continue;
    const added = addedLines(oldLines, newLines, gutter, firstLine);
    if (added === "unclear") continue;
    const isBare = (line: string) => added === "bare" && !isOld.has(line);
    const strip = (line: string) => (isBare(line) ? line : line.replace(gutter, ""));
    const stripBlank = (line: string) => (strip(line) === line ? line : strip(line).replace(/^ /, ""));
    const withBlank = { oldLines: oldLines.map(strip), newLines: newLines.map(strip), firstLine };
    if (!withBlank.oldLines.every((body) => body === "" || body.startsWith(" "))) {
      yield withBlank;
      continue;
    }
    const withoutBlank = {
      oldLines: oldLines.map(stripBlank),
      newLines: newLines.map(stripBlank),
      firstLine,
    };
    yield* endsWithBlank ? [withoutBlank, withBlank] : [withBlank, withoutBlank];
  }
}

/** Returns the number of the first line, if every line has a number and the numbers are consecutive. */
function countsUp(lines: readonly string[], gutter: RegExp): number | undefined {
  let first: number | undefined;
  for (const [index, line] of lines.entries()) {
    const number = gutter.exec(line)?.[1];
    if (number === undefined && isBlankLine(line)) continue;
    if (number === undefined) return undefined;
    first ??= Number(number) - index;
    if (Number(number) !== first + index) return undefined;
  }
  return first;
}

/**
 * Decides whether the added lines have numbers, which may be those of the new file, far from the numbers of the old
 * lines. A number that belongs to the content is not a line number.
 */
function addedLines(
  oldLines: readonly string[],
  newLines: readonly string[],
  gutter: RegExp,
  firstLine: number,
): "numbered" | "bare" | "unclear" {
  const isOld = new Set(oldLines);
  const added = newLines
    .map((line, index) => ({ line, number: Number(gutter.exec(line)?.[1]), index }))
    .filter(({ line }) => !isOld.has(line) && !isBlankLine(line));
  if (added.every(({ number }) => Number.isNaN(number))) return "bare";
  const areNear = added.every(
    ({ number }) => number >= firstLine - 1 && number <= firstLine + oldLines.length + newLines.length,
  );
  const isContentNumbered = (line: string) => {
    const body = line.replace(gutter, "");
    return gutter.test(body) && !/^\s*\d+\s*$/.test(body);
  };
  if (oldLines.some(isContentNumbered) && !added.every(({ line }) => isContentNumbered(line)))
    return areNear ? "unclear" : "bare";
  const countUp = added.every(({ number, index }, position) => {
    const previous = added[position - 1];
    return !previous || number - previous.number === index - previous.index || index - previous.index > 1;
  });
  const areNumbered = !added.some(({ number }) => Number.isNaN(number)) && (areNear || countUp);
  return areNumbered ? "numbered" : "unclear";
}

interface Unescaped {
  readonly oldText: string;
  readonly newText: string;
  undo(text: string): string;
}

/** A kind of escaping that models apply once too often. */
interface Escaping {
  readonly mark: "\\" | "&";
  readonly pattern: RegExp;
  produces(text: string, isOneLine: boolean): boolean;
  /** Whether this escaping probably explains all escapes of a text. */
  explains?(text: string): boolean;
  /** Whether it escapes line ends too, so that its texts are single lines. */
  readonly joinsLines: boolean;
}

const escapings: readonly Escaping[] = [
  // This one escapes quotes and backslashes.
  {
    mark: "\\",
    pattern: /\\([\\"'`])/g,
    produces: (text) => escapesOf(text).every(({ character }) => /[\\"'`]/.test(character)),
    joinsLines: false,
  },
  // This one escapes everything, as in JSON: a line end is \n, so a \n in a string has become \\n.
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
  // This one escapes quotes, backslashes and tabs.
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
  // These two escape only quotes, double ones or all. Other escapes belong to the code.
  { mark: "\\", pattern: /\\(")/g, produces: escapesNoLineEnds, joinsLines: false },
  { mark: "\\", pattern: /\\(["'`])/g, produces: escapesNoLineEnds, joinsLines: false },
  // This one escapes only line ends and tabs.
  {
    mark: "\\",
    pattern: /\\([ntr])/g,
    produces: (text) => !/[\n\t]/.test(text) && escapesOf(text).every(({ isQuoted }) => !isQuoted),
    joinsLines: true,
  },
  // This one escapes as in HTML.
  {
    mark: "&",
    pattern: /&(lt|gt|amp|quot|apos|#39);/g,
    produces: (text) => !/[<>]|&(?!(?:lt|gt|amp|quot|apos|#39);)/.test(text),
    joinsLines: false,
  },
];

/** Yields the texts of a block with one level of escaping removed, in each way that changes the text to find. */
function* unescapings(block: Block): Generator<Unescaped> {
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

/** Whether an escape outside of strings is a line end or tab. */
function escapesLineEnds(text: string): boolean {
  return escapesOf(text).some(({ character, isQuoted }) => !isQuoted && /[ntr]/.test(character));
}

/** Whether the escapes belong to the code: in a text of one line, none outside of strings is a line end. */
function escapesNoLineEnds(text: string, isOneLine: boolean): boolean {
  return !isOneLine || !escapesLineEnds(text);
}

/** Returns the character after every backslash, and whether it is inside double quotes of its line. */
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
    // An escaped line end probably ends the string too.
    if (text[at] === "n") isQuoted = false;
  }
  return escapes;
}
