import type { DocumentContent, DocumentPart, DocumentWanted } from "../contract/document.ts";
import { ToolError } from "../contract/error.ts";
import { counted } from "../lib/text/format-quantity.ts";
import { characterStart } from "../lib/text/truncate.ts";

/** Parts of one kind, numbered from 1. */
export interface PartsInOrder {
  /** The noun for one part: "page". The plural adds an "s". */
  readonly one: string;
  readonly total: number;
  /** The name of the document, for messages. */
  readonly name: string;
}

/** The parts `first` to `last`. The first one is read from character `from` on (counted from 1). */
export interface WantedParts {
  readonly first: number;
  readonly last: number;
  readonly from: number;
}

/** Parses "page 3", "2-5", "pages 13-", and "from 40001" after any of them or alone. Default: all parts. */
export function wantedParts(part: string | undefined, { one, total, name }: PartsInOrder): WantedParts {
  const { anchor, from } = splitAnchor(part);
  if (anchor === undefined) return { first: 1, last: total, from };
  const match = /^(?:(\p{L}+)s?\s*)?(\d+)\s*(?:(-|–|to|\.\.)\s*(\d*))?$/iu.exec(anchor);
  const first = Number(match?.[2]);
  const last = match?.[3] === undefined ? first : match[4] === "" ? total : Number(match[4]);
  const kind = match?.[1]?.toLowerCase().replace(/s$/, "");
  if (!match || (kind !== undefined && kind !== one) || first < 1 || first > total || last < first)
    throw noSuchPart(
      anchor,
      name,
      `it has ${counted(total, one)}`,
      total > 0 ? `"${one} 1", or "${one}s 1-${Math.min(total, 5)}"` : undefined,
    );
  return { first, last: Math.min(last, total), from };
}

/** Formats an anchor: "pages 4-", "pages 4-9", "page 120", "pages 3- from 40001". */
export function anchorOf(
  { first, last, from }: WantedParts,
  { one, total }: Omit<PartsInOrder, "name">,
): string {
  const anchor = first === last ? `${one} ${first}` : `${one}s ${first}-${last === total ? "" : last}`;
  return from > 1 ? `${anchor} from ${from}` : anchor;
}

/** Splits "page 3 from 40001" into the anchor and the character. Default: 1. */
export function splitAnchor(part: string | undefined): {
  readonly anchor: string | undefined;
  readonly from: number;
} {
  const match = /^(.*?)\s*\bfrom\s+(\d+)\s*$/is.exec(part ?? "");
  const anchor = (match?.[1] ?? part ?? "").trim();
  return { anchor: anchor === "" ? undefined : anchor, from: Math.max(1, Number(match?.[2] ?? 1)) };
}

/** Reads the wanted parts as far as they fit. `next` is the anchor of the rest. */
export async function gatherParts(
  wanted: DocumentWanted,
  order: PartsInOrder,
  readPart: (number: number) => DocumentPart | Promise<DocumentPart>,
): Promise<Pick<DocumentContent, "parts" | "next">> {
  const { first, last, from } = wantedParts(wanted.part, order);
  const parts: DocumentPart[] = [];
  let left = wanted.maxChars;
  for (let number = first; number <= last; number += 1) {
    const whole = await readPart(number);
    const start = number === first ? from : 1;
    if (start > 1 && start > whole.text.length)
      throw pastEnd({ first: number, last, from }, whole.text, order);
    if (number > first && sizeOf(whole) > left)
      return { parts, next: anchorOf({ first: number, last, from: 1 }, order) };
    const { part, next } = cutPart(whole, start, left);
    parts.push(part);
    left -= sizeOf(part);
    if (next !== undefined) return { parts, next: anchorOf({ first: number, last, from: next }, order) };
  }
  return { parts, next: undefined };
}

/** Returns the size of a part with its name, because a document may have a million empty parts. */
function sizeOf({ anchor, title = "", text }: DocumentPart): number {
  return anchor.length + title.length + text.length;
}

/** Cuts a part from a character on. `next` is the character after the cut; undefined at the end. */
export function cutPart(
  part: DocumentPart,
  from: number,
  maxChars: number,
): { readonly part: DocumentPart; readonly next: number | undefined } {
  const { text } = part;
  const start = characterStart(text, from - 1);
  if (text.length - start <= maxChars)
    return { part: start === 0 ? part : { ...part, text: text.slice(start) }, next: undefined };
  const end = goodEnd(text, start, start + Math.max(maxChars, 1));
  return { part: { ...part, text: text.slice(start, end) }, next: end === text.length ? undefined : end + 1 };
}

/** Returns the text of a document without parts, as far as it fits. */
export function wholeText(
  text: string,
  wanted: DocumentWanted,
  name: string,
): Pick<DocumentContent, "parts" | "next"> {
  const { anchor, from } = splitAnchor(wanted.part);
  if (anchor !== undefined) throw noSuchPart(anchor, name, "it has no parts", '"from 40001"');
  if (from > 1 && from > text.length)
    throw noSuchPart(`from ${from}`, name, `it ends at character ${text.length}`, undefined);
  const { part, next } = cutPart({ anchor: "", text }, from, wanted.maxChars);
  return { parts: [part], next: next === undefined ? undefined : `from ${next}` };
}

/** Makes the error for an unknown part. `has` says what exists: "it has 12 pages". */
export function noSuchPart(
  asked: string,
  name: string,
  has: string,
  examples: string | undefined,
): ToolError {
  return new ToolError("not-found", `${name} has no part "${asked.slice(0, 100)}": ${has}`, {
    hint: examples === undefined ? undefined : `Use one of: ${examples}.`,
  });
}

function pastEnd(wanted: WantedParts, { length }: string, order: PartsInOrder): ToolError {
  const { one, total, name } = order;
  const { first } = wanted;
  const example =
    first < total ? anchorOf({ first: first + 1, last: total, from: 1 }, order) : `${one} ${first}`;
  return noSuchPart(
    anchorOf(wanted, order),
    name,
    `${one} ${first} ends at character ${length}`,
    `"${example}"`,
  );
}

/** Returns where to cut: between lines if that costs little, else between words, never inside a character. */
function goodEnd(text: string, start: number, end: number): number {
  const least = start + Math.floor((end - start) * 0.75);
  const line = text.lastIndexOf("\n", end - 1) + 1;
  if (line > least) return line;
  const word = text.lastIndexOf(" ", end - 1) + 1;
  if (word > least) return word;
  // At least one character is taken, however small `maxChars` is.
  let character = characterStart(text, end);
  for (let later = end + 1; character <= start; later += 1) character = characterStart(text, later);
  return character;
}
