import { ToolError } from "../../contract/error.ts";
import { type Block, blockOfTexts } from "./block.ts";
import { changeOf } from "./changes.ts";
import { decide, listLines } from "./decide.ts";
import { notFound } from "./diagnose.ts";
import type { FilePlan, ReplaceEdit, ReplaceRequest } from "./edit-request.ts";
import { encodeUtf8 } from "./file-text.ts";
import { type Finding, look } from "./locate.ts";
import type { Match } from "./match.ts";
import type { ReadFile } from "./named-file.ts";
import { refusePlaceholders } from "./placeholder.ts";
import { rewrite, type Splice } from "./rewrite.ts";
import { occurrences } from "./search.ts";
import { type Source, sourcesOf } from "./source.ts";
import { applySplices, overlapping } from "./splice.ts";

/** What replacing text in one file would do. */
export function planReplace({ path, edits }: ReplaceRequest, read: ReadFile): FilePlan {
  if (edits.length === 0)
    throw new ToolError("invalid-input", "There is no edit", { hint: "Give at least one." });
  const before = read(path);
  const [only] = edits;
  if (before === undefined || before.length === 0) {
    if (edits.length === 1 && only!.find === "") return planContent(path, before, only!.replace);
    if (before === undefined) throw missing(path);
  }
  const wanted = edits.map((edit, index) =>
    prepare(path, edit, edits.length > 1 ? `edit ${index + 1}` : "the text"),
  );
  const { source, findings } = findAll(path, before, wanted);
  const placed = findings.flatMap((finding, index) => place(source, wanted[index]!, finding));
  refuseOverlap(path, source, placed);
  const splices = placed.flatMap(({ splices, name }) => splices.map((splice) => ({ ...splice, name })));
  return {
    action: "update",
    path,
    before,
    after: applySplices(before, source, splices),
    changes: placed
      .flatMap(({ splices, tier }) => splices.map((splice) => changeOf(source, splice, tier)))
      .sort((left, right) => left.firstLine - right.firstLine),
    notes: [...new Set(placed.flatMap(({ note }) => (note === undefined ? [] : [note])))],
  };
}

/** One edit as it was asked for and as lines. */
interface Wanted {
  readonly edit: ReplaceEdit;
  readonly block: Block;
}

/** One place an edit changes. */
interface Placed {
  readonly name: string;
  readonly match: Match;
  readonly splices: readonly Splice[];
  readonly tier: Match["tier"];
  readonly note?: string | undefined;
}

function planContent(path: string, before: Uint8Array | undefined, content: string): FilePlan {
  if (content === "")
    throw new ToolError("invalid-input", `${path}: there is neither text to find nor new text`);
  const after = encodeUtf8(content);
  const addedLines = content.split("\n").length - (content.endsWith("\n") ? 1 : 0);
  const rest = {
    path,
    after,
    changes: [{ firstLine: 1, removedLines: 0, addedLines, tier: "exact" as const }],
    notes: [],
  };
  return before === undefined ? { action: "add", ...rest } : { action: "update", before, ...rest };
}

function prepare(path: string, edit: ReplaceEdit, name: string): Wanted {
  if (edit.find === "") {
    throw new ToolError("invalid-input", `${path}: ${name} to find is empty, and the file is not`, {
      hint: "Give the text to replace. To add lines, find a line next to them and repeat it in the new text.",
    });
  }
  if (edit.find === edit.replace) throw changesNothing(path, name);
  const mark = /^\ufeff/;
  const isMarked = mark.test(edit.find) && edit.find.length > 1;
  const find = isMarked ? edit.find.replace(mark, "") : edit.find;
  const replace = isMarked ? edit.replace.replace(mark, "") : edit.replace;
  return { edit: { ...edit, find, replace }, block: blockOfTexts(name, find, replace) };
}

/** The first way to read the file that has all texts. */
function findAll(
  path: string,
  bytes: Uint8Array,
  wanted: readonly Wanted[],
): { source: Source; findings: readonly Finding[] } {
  let failure: ToolError | undefined;
  for (const source of sourcesOf(path, bytes)) {
    const findings = wanted.map((each) => find(source, each));
    const missing = findings.indexOf(undefined);
    if (missing === -1) return { source, findings: findings.filter((finding) => finding !== undefined) };
    failure ??= notFound(source, wanted[missing]!.block);
  }
  throw failure ?? new ToolError("internal", `${path} cannot be read as text`);
}

function find(source: Source, { edit, block }: Wanted): Finding | undefined {
  // Where all places are wanted, those with other line ends are too.
  const needsLines = isForAll(edit) && block.oldLines.length > 1 && source.hasCarriageReturns;
  const literal = needsLines ? [] : literalMatches(source, edit.find);
  if (literal.length > 0) return { block, matches: literal };
  return look(source, block)[0];
}

function literalMatches(source: Source, find: string): readonly Match[] {
  const wanted = encodeUtf8(find) as Buffer;
  return Array.from(occurrences(source.utf8, wanted), (start) => ({
    tier: "exact",
    line: source.lines.lineAt(start),
    start,
    end: start + wanted.length,
  }));
}

function place(
  source: Source,
  { edit, block: { name } }: Wanted,
  { block, matches, tier, note }: Finding,
): readonly Placed[] {
  const { path } = source;
  refusePlaceholders(path, block, (line) => source.utf8.includes(line));
  const { expectCount } = edit;
  if (expectCount !== undefined && matches.length !== expectCount) {
    const code = matches.length > expectCount ? "ambiguous-match" : "no-match";
    const places = matches.length === 1 ? `line ${matches[0]!.line + 1}` : listLines(matches);
    throw new ToolError(
      code,
      `${path}: ${name} was expected ${times(expectCount)} and is there ${times(matches.length)}, at ${places}`,
      {
        hint: "Correct the count, or make the text to find longer or shorter.",
      },
    );
  }
  const chosen = isForAll(edit) ? matches : [decide(source, block, matches, new Set([0]))];
  refuseOverlappingMatches(source, name, chosen);
  return chosen.map((match) => {
    const splices = isLiteral(source, edit, match)
      ? [spliceLiterally(source, edit, match)]
      : rewrite(source, block, match);
    const effective = splices.length > 0 ? splices : literalFallback(source, edit, match);
    if (effective.length === 0) throw changesNothing(path, name);
    return { name, match, splices: effective, tier: tier ?? tierOf(source, edit, match), note };
  });
}

/** The new text can be taken as it is: the place was found byte by byte, and there are no line ends to adapt. */
function isLiteral(source: Source, { find, replace }: ReplaceEdit, match: Match): boolean {
  const isSame = source.utf8.toString("utf8", match.start, match.end) === find;
  return isSame && !(source.hasCarriageReturns && /[\r\n]/.test(replace));
}

function spliceLiterally(source: Source, { find, replace }: ReplaceEdit, { start, end }: Match): Splice {
  const adapted = replace.replaceAll("\r\n", "\n");
  const text = adapted === find ? replace : adapted;
  return trimLines(source.utf8, { start, end, text });
}

/** Changing nothing but line ends is a change when it is all that is asked for. */
function literalFallback(
  source: Source,
  { find, replace }: ReplaceEdit,
  { start, end }: Match,
): readonly Splice[] {
  const isSame = source.utf8.toString("utf8", start, end) === find;
  return isSame ? [{ start, end, text: replace }] : [];
}

/** A splice without the whole lines at its start and end that stay the same. */
function trimLines(utf8: Buffer, { start, end, text }: Splice): Splice {
  const old = utf8.toString("utf8", start, end);
  const shorter = Math.min(old.length, text.length);
  let head = 0;
  for (let at = 0; at < shorter && old[at] === text[at]; at += 1) if (old[at] === "\n") head = at + 1;
  let tail = 0;
  for (let at = 1; at <= shorter - head && old[old.length - at] === text[text.length - at]; at += 1) {
    if (old[old.length - at] === "\n") tail = at - 1;
  }
  return {
    start: start + Buffer.byteLength(old.slice(0, head)),
    end: end - Buffer.byteLength(old.slice(old.length - tail)),
    text: text.slice(head, text.length - tail),
  };
}

function tierOf(source: Source, { find }: ReplaceEdit, { tier, start, end }: Match): Match["tier"] {
  return tier === "exact" && source.utf8.toString("utf8", start, end) !== find ? "line-ends" : tier;
}

function isForAll({ all, expectCount }: ReplaceEdit): boolean {
  return all === true || (expectCount ?? 1) > 1;
}

function refuseOverlappingMatches({ path }: Source, name: string, matches: readonly Match[]): void {
  const clash = matches.find((match, index) => index > 0 && match.start < matches[index - 1]!.end);
  if (!clash) return;
  throw new ToolError("ambiguous-match", `${path}: ${name} overlaps itself at line ${clash.line + 1}`, {
    hint: "Make the text to find longer, so that its places are apart.",
  });
}

function refuseOverlap(path: string, { lines }: Source, placed: readonly Placed[]): void {
  const sorted = [...placed].sort((left, right) => left.match.start - right.match.start);
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

export function changesNothing(path: string, name: string): ToolError {
  return new ToolError("invalid-input", `${path}: ${name} would change nothing`, {
    hint: "Give new text that differs from the old.",
  });
}

export function missing(path: string): ToolError {
  return new ToolError("not-found", `There is no file ${path}`, {
    hint: "Check the path. To make a new file, add it instead.",
  });
}
