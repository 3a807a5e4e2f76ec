import { ToolError } from "../contract/error.ts";
import { type Block, blockOfTexts } from "./block.ts";
import { notFound } from "./diagnose/not-found.ts";
import { refusePlaceholders } from "./diagnose/placeholder.ts";
import type { FilePlan, ReadFile, ReplaceEdit, ReplaceRequest } from "./edit-request.ts";
import { decide, listLines } from "./match/decide.ts";
import { type Finding, findingsOf, shareEscaping } from "./match/locate.ts";
import type { Match } from "./match/match-lines.ts";
import { everyOccurrence, refuseTooMany } from "./match/search.ts";
import type { TierName } from "./match/tiers.ts";
import { inFile, missing } from "./plan-sections.ts";
import { rewrite, type Splice } from "./rewrite/rewrite.ts";
import {
  applySplices,
  changesNothing,
  changesOf,
  encodingNotes,
  overlapping,
  trimLines,
} from "./rewrite/splice.ts";
import { bytesOf, encodeUtf8, refuseHalfCharacters, type Source, sourcesOf } from "./source.ts";

export function planReplace(request: ReplaceRequest, read: ReadFile): FilePlan {
  return inFile(request.path, () => planEditsOf(request, read));
}

function planEditsOf({ path, edits }: ReplaceRequest, read: ReadFile): FilePlan {
  if (edits.length === 0)
    throw new ToolError("invalid-input", "The call contains no edit", { hint: "Give at least one edit." });
  const before = read(path);
  const [only] = edits;
  if (before === undefined || before.length === 0) {
    if (edits.length === 1 && only!.find === "") return planContent(path, before, only!.replace);
    if (before === undefined) throw missing(path);
  }
  const wanted = edits.map((edit, index) =>
    prepare(path, edit, edits.length > 1 ? `edit ${index + 1}` : onlyEdit),
  );
  const { source, findings } = findAll(path, before, wanted);
  const located = findings.flatMap((each, index) => locateEdit(source, wanted[index]!, each));
  refuseOverlap(source, located);
  const splices = located.flatMap(({ splices, name, tier }) =>
    splices.map((splice) => ({ ...splice, name, tier })),
  );
  return {
    action: "update",
    path,
    before,
    after: applySplices(before, source, splices),
    changes: changesOf(source, splices),
    occurrences: only!.first ? countApart(findings[0]!.matches) : undefined,
    notes: [...new Set(located.flatMap(({ note }) => note ?? [])), ...encodingNotes(source, splices)],
  };
}

/** The name of the only edit of a call in error messages. */
const onlyEdit = "the text";

interface Wanted extends ReplaceEdit {
  readonly name: string;
  readonly forAll: boolean;
  readonly block: Block;
}

interface LocatedEdit {
  readonly name: string;
  readonly match: Match;
  readonly splices: readonly Splice[];
  readonly tier: TierName;
  readonly note?: string | undefined;
}

function planContent(path: string, before: Uint8Array | undefined, content: string): FilePlan {
  if (content === "")
    throw new ToolError("invalid-input", `${path}: the text to find and the new text are both empty`, {
      hint: "Give the content of the new file as the new text.",
    });
  const addedLines = content.split("\n").length - (content.endsWith("\n") ? 1 : 0);
  const change = { firstLine: 1, removedLines: 0, addedLines, tier: "exact" as const };
  const rest = { path, after: encodeUtf8(content), changes: [change], notes: [] };
  return before === undefined ? { action: "add", ...rest } : { action: "update", before, ...rest };
}

function prepare(path: string, edit: ReplaceEdit, name: string): Wanted {
  if (edit.find === "") {
    const which = name === onlyEdit ? "" : ` of ${name}`;
    throw new ToolError("invalid-input", `${path}: the text to find${which} is empty, but the file is not`, {
      hint: "Give the text to replace. To add lines, find a line next to them and repeat it in the new text.",
    });
  }
  if (edit.find === edit.replace) throw changesNothing(path, name === onlyEdit ? "the edit" : name);
  // A byte-order mark is not part of the text.
  const isMarked = edit.find.length > 1 && edit.find.startsWith("\ufeff");
  const find = isMarked ? edit.find.slice(1) : edit.find;
  const replace = isMarked && edit.replace.startsWith("\ufeff") ? edit.replace.slice(1) : edit.replace;
  const forAll = edit.all === true || (edit.expectCount ?? 1) > 1;
  return { ...edit, name, find, replace, forAll, block: blockOfTexts(name, find, replace) };
}

interface EditFinding extends Finding {
  /** The text matches byte for byte. */
  readonly isLiteral: boolean;
}

/** Finds all edits in the first reading of the file that contains all of them. */
function findAll(
  path: string,
  bytes: Uint8Array,
  wanted: readonly Wanted[],
): { source: Source; findings: readonly EditFinding[] } {
  let failure: ToolError | undefined;
  for (const source of sourcesOf(path, bytes)) {
    const findings: EditFinding[] = [];
    const missing = wanted.find((each) => {
      const found = find(source, each);
      if (found) findings.push(found);
      return !found;
    });
    if (!missing) return { source, findings: unescaped(findings) };
    failure ??= missing.exact ? notExactly(source, missing) : notFound(source, missing.block);
  }
  throw failure ?? new ToolError("internal", `${path} cannot be read as text`);
}

function unescaped(findings: readonly EditFinding[]): readonly EditFinding[] {
  return shareEscaping(findings).map((each, index) =>
    each === findings[index] ? each : { ...each, isLiteral: false },
  );
}

function find(source: Source, wanted: Wanted): EditFinding | undefined {
  const literal = literalMatches(source, wanted);
  if (literal.length > 0) return { block: wanted.block, matches: literal, isLiteral: true };
  if (wanted.exact) return undefined;
  const [finding] = findingsOf(source, wanted.block);
  return finding && { ...finding, isLiteral: false };
}

/** Explains why an exact text was not found: the difference at a tolerant match, if there is one. */
function notExactly(source: Source, wanted: Wanted): ToolError {
  const [match] = findingsOf(source, wanted.block)[0]?.matches ?? [];
  if (match === undefined) return notFound(source, wanted.block);
  const exactly = wanted.find.includes("\n") ? "line ends" : "escapes";
  const difference = match.tier === "exact" ? exactly : (differences[match.tier] ?? "wrapping");
  const message = `${source.path}: ${wanted.name} was not found exactly; the text at line ${match.line + 1} has other ${difference}`;
  return new ToolError("no-match", message, {
    hint: "Copy it from the file character by character, including blanks and line ends.",
  });
}

const differences: Readonly<Partial<Record<TierName, string>>> = {
  "line-ends": "line ends",
  "trailing-blanks": "blanks at line ends",
  indentation: "indentation",
  glyphs: "quotes, dashes or blanks",
};

function literalMatches(source: Source, { find, forAll, exact }: Wanted): readonly Match[] {
  // An edit of all occurrences includes those with other line ends, so it needs the tolerant search.
  if (!exact && forAll && /(?<!\r)\n/.test(find) && source.hasCarriageReturns) return [];
  refuseHalfCharacters(find);
  const { bytes } = source.utf8;
  const wanted = bytesOf(find);
  const matches: Match[] = [];
  for (const at of everyOccurrence(bytes, wanted)) {
    const splitsLineEnd = !exact && bytes[at] === "\n" && bytes[at - 1] === "\r";
    const start = splitsLineEnd ? at - 1 : at;
    matches.push({ tier: "exact", line: source.lines.lineAt(start), start, end: at + wanted.length });
    refuseTooMany(source.path, matches.length);
  }
  return matches;
}

function locateEdit(source: Source, wanted: Wanted, finding: EditFinding): readonly LocatedEdit[] {
  const { path } = source;
  const { name } = wanted;
  const { matches, note } = finding;
  refusePlaceholders(source, finding.block, wanted.replace);
  refuseOtherCount(path, wanted, matches);
  const chosen = wanted.forAll ? matches : [chooseOne(source, wanted, finding)];
  refuseOverlappingMatches(path, name, chosen);
  return chosen.map((match) => {
    const splices = splicesAt(source, wanted, finding, match);
    if (splices.length === 0) throw changesNothing(path, name === onlyEdit ? "the edit" : name);
    const tier = finding.tier ?? (match.tier === "exact" && !finding.isLiteral ? "line-ends" : match.tier);
    return { name, match, splices, tier, note };
  });
}

function chooseOne(source: Source, { first }: Wanted, { block, matches }: EditFinding): Match {
  if (first) return matches.reduce((one, other) => (other.start < one.start ? other : one));
  return matches.length === 1 ? matches[0]! : decide(source, block, matches);
}

/** Counts the matches that do not overlap. */
function countApart(matches: readonly Match[]): number {
  let count = 0;
  let end = -1;
  for (const match of matches) {
    if (match.start < end) continue;
    count += 1;
    end = match.end;
  }
  return count;
}

function splicesAt(
  source: Source,
  { find, replace, exact }: Wanted,
  { block, isLiteral }: EditFinding,
  match: Match,
): readonly Splice[] {
  const whole = { start: match.start, end: match.end, text: replace };
  if (exact) return [whole];
  if (!isLiteral) return rewrite(source, block, match);
  if (!/[\r\n]/.test(replace) && !find.includes("\n")) return [whole];
  // In a file with line feeds, new text gets line feeds.
  const text = source.text.utf8.includes(10) ? replace.replaceAll("\r\n", "\n") : replace;
  const splices = source.hasCarriageReturns
    ? rewrite(source, block, match)
    : [trimLines(find, { ...whole, text })];
  // If the edit changes only line ends, they are replaced as given.
  return splices.some(({ start, end, text }) => start < end || text !== "") ? splices : [whole];
}

function refuseOtherCount(path: string, { name, expectCount }: Wanted, matches: readonly Match[]): void {
  if (expectCount === undefined || matches.length === expectCount) return;
  const lines = matches.length === 1 ? `line ${matches[0]!.line + 1}` : listLines(matches);
  const message = `${path}: ${name} was expected ${times(expectCount)} but occurs ${times(matches.length)}, at ${lines}`;
  throw new ToolError(matches.length > expectCount ? "ambiguous-match" : "no-match", message, {
    hint: "Correct the count, or make the text to find longer or shorter.",
  });
}

function refuseOverlappingMatches(path: string, name: string, matches: readonly Match[]): void {
  const clash = matches.find((match, index) => index > 0 && match.start < matches[index - 1]!.end);
  if (!clash) return;
  throw new ToolError("ambiguous-match", `${path}: ${name} overlaps itself at line ${clash.line + 1}`, {
    hint: "Make the text to find longer, so that its occurrences do not overlap.",
  });
}

function refuseOverlap({ path, lines }: Source, located: readonly LocatedEdit[]): void {
  const sorted = [...located].sort((left, right) => left.match.start - right.match.start);
  for (const [index, { name, match }] of sorted.entries()) {
    const previous = sorted[index - 1];
    if (previous && match.start < previous.match.end) {
      throw overlapping(path, previous.name, name, lines.lineAt(match.start));
    }
  }
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}
