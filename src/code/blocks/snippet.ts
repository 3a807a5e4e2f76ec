/** New code as it was given: its lines, without blank ones around them and without line ends. */
export interface Snippet {
  readonly lines: readonly string[];
  /** How many blank lines stood before them. */
  readonly blankLinesBefore: number;
}

export function snippetOf(text: string): Snippet {
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\n|\r/);
  const first = lines.findIndex(isInk);
  if (first === -1) return { lines: [], blankLinesBefore: 0 };
  const last = lines.findLastIndex(isInk);
  const kept = lines.slice(first, last + 1);
  kept[kept.length - 1] = kept.at(-1)!.trimEnd();
  return { lines: kept, blankLinesBefore: first };
}

function isInk(line: string): boolean {
  return line.trim() !== "";
}

/** Where new lines are to stand. */
export interface Place {
  /** The blanks that its first line begins with. */
  readonly indentation: string;
  /** What one level is made of in the file: a tab, some spaces, or nothing where nothing is indented. */
  readonly level: string;
}

/** Writes a line of a snippet, given by its number, with the indentation of its place. */
export type Fit = (line: string, index: number) => string;

/**
 * Brings a snippet to its place. Most are indented among themselves and moved as a whole. In some only the first line
 * lacks the indentation that all others have already, being copied from its first letter on. `reading` 0 is the likelier
 * way, 1 the other. `literal`: the numbers of the lines that lie inside a string, which tell nothing.
 */
export function fitTo(
  { lines }: Snippet,
  place: Place,
  { reading, literal }: { readonly reading: 0 | 1; readonly literal: ReadonlySet<number> },
): Fit {
  const telling = lines.filter(
    (line, index) => line.trim() !== "" && !isDirective(line) && !literal.has(index),
  );
  const moved = moveAll(telling, place);
  if (!canHang(telling, place)) return moved;
  return hangs(telling, place) === (reading === 0) ? hanging(place) : moved;
}

function moveAll(lines: readonly string[], place: Place): Fit {
  const base = commonBlanks(lines);
  const step = stepOf(lines, base);
  return (line) => {
    if (isDirective(line)) return line;
    const blanks = blanksOf(line);
    if (blanks.length === line.length) return base === place.indentation ? line : "";
    const more = blanks.startsWith(base) ? blanks.slice(base.length) : "";
    return place.indentation + levelsOf(more, step, place.level) + line.slice(blanks.length);
  };
}

function hanging({ indentation }: Place): Fit {
  return (line, index) => (index === 0 ? indentation + line.trimStart() : line);
}

/** All lines but the first are indented as the place is, or more. */
function canHang(lines: readonly string[], { indentation }: Place): boolean {
  const [first, ...others] = lines;
  return (
    indentation !== "" &&
    first !== undefined &&
    blanksOf(first) === "" &&
    others.length > 0 &&
    others.every((line) => line.startsWith(indentation))
  );
}

function hangs(lines: readonly string[], { indentation, level }: Place): boolean {
  const least = commonBlanks(lines.slice(1));
  // A body that is one level deep already stands as it should below a first line without indentation.
  if (least !== indentation) return least !== level;
  return /^(?:@|#|\/\/|\/\*|--|\[)/.test(lines[0]!) || closesFirst(lines, indentation);
}

/** The last line closes what the first line opens, perhaps by way of others: `) -> Result {`. */
function closesFirst(lines: readonly string[], indentation: string): boolean {
  const last = lines.length - 1;
  if (blanksOf(lines[last]!) !== indentation) return false;
  if (/^\s*(?:end|fi|done|esac)\b/.test(lines[last]!)) return true;
  const openers = openingLines(lines);
  let line = last;
  while (line > 0 && openers.has(line)) line = openers.get(line)!;
  return line === 0 && last > 0;
}

/** For each line that begins with a closing bracket, the line that opened it. Strings are not told from code. */
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

/** What the preprocessor of C reads stands at the margin, wherever the code is. */
function isDirective(line: string): boolean {
  return /^#\s*(?:if|ifdef|ifndef|else|elif|endif|define|undef|include|pragma|error|region|endregion)\b/.test(
    line,
  );
}

export function blanksOf(line: string): string {
  return /^[ \t]*/.exec(line)![0];
}

function commonBlanks(lines: readonly string[]): string {
  const [first = "", ...others] = lines.map(blanksOf);
  return others.reduce((common, blanks) => {
    let same = 0;
    while (same < common.length && common[same] === blanks[same]) same += 1;
    return common.slice(0, same);
  }, first);
}

/** Columns of one level within the snippet, where it is made of spaces. */
function stepOf(lines: readonly string[], base: string): number {
  const widths = lines
    .map((line) => blanksOf(line).slice(base.length))
    .filter((more) => /^ {2,}$/.test(more))
    .map((more) => more.length);
  return Math.min(...widths, 8);
}

/** Tabs for spaces or spaces for tabs, as the file has them; else as given. */
function levelsOf(more: string, step: number, level: string): string {
  if (level === "\t" && /^ +$/.test(more))
    return "\t".repeat(Math.floor(more.length / step)) + " ".repeat(more.length % step);
  if (level.startsWith(" ") && more.includes("\t")) return more.replaceAll("\t", level);
  return more;
}
