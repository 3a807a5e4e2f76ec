import type { Outline } from "../../contract/code.ts";
import { blanksOf, indentationAt } from "../lines.ts";

/** New code as lines, without surrounding blank lines and without line ends. */
export interface Snippet {
  readonly lines: readonly string[];
  readonly blankLinesBefore: number;
}

export function snippetOf(text: string): Snippet {
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\n|\r/);
  const first = lines.findIndex(hasText);
  if (first === -1) return { lines: [], blankLinesBefore: 0 };
  const last = lines.findLastIndex(hasText);
  const kept = lines.slice(first, last + 1);
  kept[kept.length - 1] = kept.at(-1)!.trimEnd();
  return { lines: kept, blankLinesBefore: first };
}

function hasText(line: string): boolean {
  return line.trim() !== "";
}

export interface InsertionTarget {
  readonly indentation: string;
  /** One level of indentation in the file: a tab, some spaces, or "" if nothing is indented. */
  readonly level: string;
  readonly isMixed?: boolean | undefined;
  /** Whether the file may have preprocessor directives, which are never indented. */
  readonly hasDirectives: boolean;
  /** The replaced lines. New lines that repeat them show how the snippet is indented. */
  readonly old?: readonly string[] | undefined;
}

type Fit = (line: string, index: number) => string;

/**
 * Indents a snippet for its target. Most snippets are indented consistently and move as a whole. In a snippet copied
 * from its first letter on, only the first line lacks its indentation. `reading` 0 is the likelier interpretation, 1
 * the other. `literal` holds the numbers of the lines inside a string, whose indentation is content.
 */
export function fitTo(
  { lines }: Snippet,
  target: InsertionTarget,
  { reading, literal }: { readonly reading: 0 | 1; readonly literal: ReadonlySet<number> },
): Fit {
  const isDirective = (line: string, index: number) =>
    target.hasDirectives && index > 0 && directive.test(line);
  const relevant = lines.filter(
    (line, index) => line.trim() !== "" && !isDirective(line, index) && !literal.has(index),
  );
  const moved = moveAll(relevant, target);
  const fits = canHang(relevant, target) ? [moved, hanging(target)] : [moved];
  const likely =
    fits.length === 2 && (repeatsMore(lines, target, fits) ?? hangs(lines, relevant, target)) ? 1 : 0;
  const chosen = fits[reading === 0 ? likely : 1 - likely] ?? moved;
  return (line, index) => (isDirective(line, index) ? line : chosen(line, index));
}

const directive =
  /^#\s*(?:if|ifdef|ifndef|else|elif|endif|define|undef|include|pragma|error|region|endregion)\b/;

/** Returns whether the second interpretation reproduces more of the old lines; undefined if they tie. */
function repeatsMore(
  lines: readonly string[],
  { old = [] }: InsertionTarget,
  [first, second]: readonly Fit[],
): boolean | undefined {
  const known = new Set(old);
  const repeated = (fitted: Fit) =>
    lines.filter((line, index) => index > 0 && line.trim() !== "" && known.has(fitted(line, index))).length;
  const [one, other] = [repeated(first!), repeated(second!)];
  return one === other ? undefined : other > one;
}

function moveAll(lines: readonly string[], target: InsertionTarget): Fit {
  const base = commonBlanks(lines);
  const levels = levelsFor(
    lines.map((line) => line.slice(base.length)),
    target,
  );
  return (line) => {
    const blanks = blanksOf(line);
    if (blanks.length === line.length) return blankLine(line, base, target);
    const more = blanks.startsWith(base) ? blanks.slice(base.length) : "";
    return target.indentation + levels(more) + line.slice(blanks.length);
  };
}

/** Empties a blank line, unless that would change an old line. */
function blankLine(line: string, base: string, { indentation, old = [] }: InsertionTarget): string {
  const moved = indentation + line.slice(base.length);
  return line === "" || (base !== indentation && !old.includes(moved)) ? "" : moved;
}

function hanging({ indentation }: InsertionTarget): Fit {
  return (line, index) => (index === 0 ? indentation + line.trimStart() : line);
}

/** Returns whether all lines but the first are indented at least like the target, or are old lines. */
function canHang(lines: readonly string[], { indentation, old = [] }: InsertionTarget): boolean {
  const [first, ...others] = lines;
  return (
    indentation !== "" &&
    first !== undefined &&
    blanksOf(first) === "" &&
    others.length > 0 &&
    others.every((line) => line.startsWith(indentation) || old.includes(line))
  );
}

function hangs(
  lines: readonly string[],
  relevant: readonly string[],
  { indentation, level }: InsertionTarget,
): boolean {
  const least = commonBlanks(relevant.slice(1));
  // A body that is one level deep is already correct below a first line without indentation.
  if (least !== indentation) return least !== level;
  const last = relevant.at(-1)!;
  const isClosing = blanksOf(last) === indentation && /^\s*(?:[)\]}]|(?:end|fi|done|esac)\b)/.test(last);
  const isAbove = /^(?:@|#|\/\/|\/\*|--|\[)/.test(lines[0]!);
  return isAbove || (isClosing && (/[([{]\s*$|\bdo\s*$/.test(lines[0]!) || closesFirst(lines)));
}

/** Returns whether the last line closes a bracket of the first, perhaps through others: `) -> Result {`. */
function closesFirst(lines: readonly string[]): boolean {
  const last = lines.length - 1;
  if (/^\s*(?:end|fi|done|esac)\b/.test(lines[last]!)) return true;
  const openers = openingLines(lines);
  let line = last;
  while (line > 0 && openers.has(line)) line = openers.get(line)!;
  return line === 0 && last > 0;
}

/** Returns for each line that begins with a closing bracket the line that opened it. Brackets in strings count too. */
function openingLines(lines: readonly string[]): ReadonlyMap<number, number> {
  const open: number[] = [];
  const openers = new Map<number, number>();
  for (const [index, line] of lines.entries()) {
    const first = blanksOf(line).length;
    for (const [at, character] of [...line].entries()) {
      if ("([{".includes(character)) open.push(index);
      else if (")]}".includes(character)) {
        const opener = open.pop();
        if (opener !== undefined && at === first) openers.set(index, opener);
      }
    }
  }
  return openers;
}

function commonBlanks(lines: readonly string[]): string {
  const [first = "", ...others] = lines.map(blanksOf);
  return others.reduce((common, blanks) => {
    let same = 0;
    while (same < common.length && common[same] === blanks[same]) same += 1;
    return common.slice(0, same);
  }, first);
}

/** Converts the additional indentation of lines to the target's level, if they clearly show their own. */
function levelsFor(lines: readonly string[], target: InsertionTarget): (more: string) => string {
  const { level } = target;
  const indented = lines.map(blanksOf).filter((more) => more.length > 1 || more === "\t");
  if (level === "\t" && indented.every((more) => !more.includes("\t"))) {
    const step = Math.min(...indented.map((more) => more.length), 8);
    return (more) => level.repeat(Math.floor(more.length / step)) + " ".repeat(more.length % step);
  }
  if (!level.startsWith(" ")) return asGiven;
  if (indented.every((more) => more.startsWith("\t"))) return (more) => more.replaceAll("\t", level);
  const width = widthIn(lines);
  if (width === undefined || width === level.length || target.isMixed) return asGiven;
  const resized = (more: string) =>
    level.repeat(Math.floor(more.length / width)) + " ".repeat(more.length % width);
  return repeats(lines, target, asGiven) > 0 ? asGiven : resized;
}

const asGiven = (more: string): string => more;

/** Returns the number of spaces by which bodies are indented; undefined if they differ or have tabs. */
function widthIn(lines: readonly string[]): number | undefined {
  if (lines.some((line) => blanksOf(line).includes("\t"))) return undefined;
  const steps = new Set<number>();
  for (const [index, opener] of lines.slice(0, -1).entries()) {
    const step = blanksOf(lines[index + 1]!).length - blanksOf(opener).length;
    if (step > 1 && opensBody.test(opener)) steps.add(step);
  }
  return steps.size === 1 ? [...steps][0] : undefined;
}

/** Does not match an open parenthesis, because its continuation is often deeper than a body. */
const opensBody = /(?:[{:]|\b(?:do|then|begin))\s*$/;

function repeats(
  lines: readonly string[],
  { indentation, old = [] }: InsertionTarget,
  levels: (more: string) => string,
): number {
  const known = new Set(old);
  return lines.filter((line) => {
    const blanks = blanksOf(line);
    const moved = indentation + levels(blanks) + line.slice(blanks.length);
    return blanks.length > 1 && /\w/.test(line) && known.has(moved);
  }).length;
}

export function indentationLevel(text: string): string {
  const steps = new Map<string, number>();
  let previous = 0;
  for (const line of text.split("\n", maxLines)) {
    if (line.trim() === "") continue;
    const blanks = blanksOf(line);
    const step = blanks.startsWith("\t") ? "\t" : " ".repeat(Math.max(0, blanks.length - previous));
    // A single blank is not a level, because it precedes the star of a comment.
    if (step === "\t" || step.length > 1) steps.set(step, (steps.get(step) ?? 0) + 1);
    previous = blanks.startsWith("\t") ? 0 : blanks.length;
  }
  const [commonest] = [...steps].sort(
    (left, right) => right[1] - left[1] || left[0].length - right[0].length,
  );
  return commonest?.[0] ?? "";
}

const maxLines = 5_000;

export function targetAt(
  text: string,
  { language }: Outline,
  at: number,
  indentation = indentationAt(text, at),
): InsertionTarget {
  return { indentation, level: indentationLevel(text), hasDirectives: withDirectives.has(language) };
}

const withDirectives: ReadonlySet<string> = new Set("c cpp c-sharp swift objc cuda arduino glsl".split(" "));
