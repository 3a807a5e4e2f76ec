import { ToolError } from "../contract/error.ts";
import type { FileSection } from "./block.ts";
import type { DiffRequest, EditRequest, FilePlan, PatchRequest, ReadFile } from "./edit-request.ts";
import { onlyChanging, parseDiff, withHeader } from "./parse/diff.ts";
import { unescapeWhole } from "./parse/envelope.ts";
import { hasLooseReading, parsePatch } from "./parse/patch.ts";
import { planAnchored } from "./plan-anchored.ts";
import { planReplace } from "./plan-replace.ts";
import { planSections } from "./plan-sections.ts";

/*
 * The steps of an edit, in order, and where they are:
 *
 * 1. Read the call. parse/envelope removes the wrapping of a patch; parse/patch and parse/diff (parse/headers)
 *    make a FileSection of every file and a Block of every hunk. Find and replace is a Block too: plan-replace.
 *    plan-sections finds the named files. An edit by anchors names its lines itself: plan-anchored.
 * 2. Read the file. source knows its encoding, characters and lines.
 * 3. Find each Block. match/locate tries, strictest first:
 *      match/search          the lines as they are, then without trailing blanks, indentation, glyphs (match/tiers);
 *                            match/match-lines also handles text that begins or ends inside a line
 *      withoutTotalDamage    the lines without damage that every line has
 *      findUnwrapped         the lines without line numbers, fences or a level of escaping (match/unwrap)
 *      findInParts           several hunks without their @@ lines
 *      findWithStaleLine     all lines except one context line, if no other position is similar (diagnose/near-misses)
 *    The first that finds anything must find one match, or match/decide must choose by end of file, header or number.
 * 4. Refuse placeholders (diagnose/placeholder), applied edits (diagnose/not-found) and edits that change nothing.
 * 5. Write. rewrite/rewrite makes splices of the lines that change. Where the match was tolerant, rewrite/translate
 *    gives new lines the file's glyphs and indentation (rewrite/indentation), unless they have them already.
 *    rewrite/splice joins the splices with the bytes that stay; rewrite/show-diff shows the result.
 *    diff-runs compares lines.
 */

/**
 * Plans a request, file by file, or throws a ToolError. Matching is lenient, writing is exact: a match must be the only
 * one, and every byte outside of the change stays.
 */
export function planEdits(request: EditRequest, read: ReadFile): readonly FilePlan[] {
  if (request.kind === "replace") return [planReplace(request, read)];
  if (request.kind === "anchored") return [planAnchored(request, read)];
  const path = request.kind === "diff" ? request.path : undefined;
  // A path that the call gives is used as it is. Only names inside a diff have several spellings.
  const readNamed: ReadFile =
    path === undefined ? read : (asked) => (asked === path ? read(path) : undefined);
  return planFirst(readings(request), readNamed);
}

/**
 * Returns all file sections that a patch or diff may mean. `planEdits` reads no other files. Throws when the text
 * cannot be parsed at all.
 */
export function sectionsIn(request: PatchRequest | DiffRequest): readonly FileSection[] {
  let broken: unknown;
  const sound = [...readings(request)].flatMap((reading) => {
    try {
      return [reading()];
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      broken ??= error;
      return [];
    }
  });
  if (sound.length === 0) throw broken;
  return sound.flat();
}

/** One way to parse a patch or diff. Throws when its grammar is broken. */
type Reading = () => readonly FileSection[];

/** Plans the first reading that fits the files. If none does, throws the error of the first with valid grammar. */
function planFirst(readings: Iterable<Reading>, read: ReadFile): readonly FilePlan[] {
  let broken: unknown;
  let unfit: unknown;
  for (const reading of readings) {
    let isSound = false;
    try {
      const sections = reading();
      isSound = true;
      return planSections(sections, read);
    } catch (error) {
      // Ambiguous text is in the file, so another reading would only guess.
      if (!(error instanceof ToolError) || error.code === "ambiguous-match") throw error;
      if (isSound) unfit ??= error;
      else broken ??= error;
    }
  }
  throw unfit ?? broken;
}

/** Yields the readings of a request. The strict one comes first, so that content like a marker stays content. */
function* readings(request: PatchRequest | DiffRequest): Generator<Reading> {
  if (request.kind === "diff" && request.path !== undefined) {
    const { path, diff } = request;
    for (const reading of readings({ kind: "diff", diff: withHeader(diff) }))
      yield () => onlyChanging(path, reading());
    return;
  }
  const text = request.kind === "patch" ? request.patch : request.diff;
  for (const unescaped of unescapeWhole(withoutMargin(text.replace(/^\ufeff/, "")))) {
    if (isPatch(unescaped, request.kind)) {
      yield () => parsePatch(unescaped, "strict");
      if (hasLooseReading(unescaped)) yield () => parsePatch(unescaped, "loose");
    } else yield () => parseDiff(unescaped);
  }
}

/** Removes a margin that every line has, as in a list. */
function withoutMargin(text: string): string {
  const margin = /^\s*?([ \t]+)(?:\*\*\* |--- |diff --git )/.exec(text)?.[1];
  if (margin === undefined) return text;
  const lines = text.split("\n");
  const isIndented = lines.every((line) => line.startsWith(margin) || line.trim() === "");
  return isIndented ? lines.map((line) => line.slice(margin.length)).join("\n") : text;
}

/** Whether a text is a patch, not a diff. The format that begins first counts, because the other may be content. */
function isPatch(text: string, kind: "patch" | "diff"): boolean {
  if (text.startsWith("*** Begin Patch")) return true;
  const hasMarkers = text.includes("***");
  const marker = hasMarkers
    ? text.search(/^[^\S\n]*\*\*\*\s*(?:Begin Patch|(?:Add|Update|Delete) File:)/im)
    : -1;
  const header = text.search(/^(?:diff --git |--- .*\n\+\+\+ )/m);
  if (marker === -1 || header === -1) return header === -1 && (marker !== -1 || kind === "patch");
  return marker < header;
}
