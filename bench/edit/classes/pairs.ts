import { type Damage, damagedClass, type TaskClass } from "../draft.ts";
import { nearTheStart } from "../shapes.ts";
import type { Form } from "../task.ts";
import { escapedOnce } from "./escapes.ts";
import { inFoundLines, quotes, throughout } from "./glyphs.ts";
import { gutters, numbered } from "./gutters.ts";
import { crlfCall, crlfFile, markedFile } from "./line-ends.ts";
import { emptyContextLines, outOfOrder, withoutFirstMark } from "./markers.ts";
import { noNumbers, wrongCounts, wrongStarts } from "./numbers.ts";
import { addTrailingBlanks, shiftRight, spacesForTabs, tabsForSpaces, toTheMargin } from "./whitespace.ts";
import { fenced, heredoc } from "./wrappers.ts";

/** Pairs of mistakes, because mistakes rarely occur alone. */
const pairs: readonly (readonly [kind: string, damage: readonly Damage[], forms?: readonly Form[]])[] = [
  ["shifted block, trailing blanks", [shiftRight, addTrailingBlanks]],
  ["block at the margin, CRLF file", [toTheMargin, crlfFile]],
  ["tabs for spaces, CRLF file", [tabsForSpaces, crlfFile]],
  ["spaces for tabs, code fence", [spacesForTabs, fenced]],
  ["line numbers, CRLF file", [numbered(gutters["12 | "]!), crlfFile]],
  ["line numbers, shifted block", [shiftRight, numbered(gutters["12→"]!)]],
  ["line numbers, code fence", [numbered(gutters["12:"]!), fenced]],
  ["typographic quotes, trailing blanks", [throughout(quotes), addTrailingBlanks]],
  ["typographic quotes, shifted block", [inFoundLines(quotes), shiftRight]],
  ["escaped once too often, CRLF file", [escapedOnce, crlfFile]],
  ["code fence, CRLF call", [fenced, crlfCall]],
  ["heredoc, shifted block", [shiftRight, heredoc], ["v4a", "udiff"]],
  ["heredoc, first @@ missing", [withoutFirstMark, heredoc], ["v4a"]],
  ["first @@ missing, empty context lines", [withoutFirstMark, emptyContextLines], ["v4a"]],
  ["hunks out of order, trailing blanks", [addTrailingBlanks, outOfOrder], ["v4a", "udiff"]],
  ["wrong numbers and counts, empty context lines", [wrongStarts, wrongCounts, emptyContextLines], ["udiff"]],
  ["no numbers, shifted block", [shiftRight, noNumbers], ["udiff"]],
  ["wrong counts, CRLF file", [wrongCounts, crlfFile], ["udiff"]],
];

export const pairClasses: readonly TaskClass[] = [
  ...pairs.map(([kind, damage, forms]) => damagedClass({ kind, damage, ...(forms && { forms }) })),
  damagedClass({
    kind: "byte-order mark and CRLF in the file",
    shape: nearTheStart,
    damage: [markedFile, crlfFile],
  }),
];
