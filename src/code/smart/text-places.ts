import { blockOfTexts } from "../../edit/block.ts";
import { look } from "../../edit/match/locate.ts";
import { everyPlace } from "../../edit/match/search.ts";
import { bytesOf, type Source } from "../../edit/source.ts";
import { mostPlaces, type Place } from "./place.ts";

/** Where a text stands as it is given; line ends do not count. */
export function exactPlaces(source: Source, text: string): readonly Place[] {
  const sought = bytesOf(text);
  const literal: Place[] = [];
  for (const start of everyPlace(source.utf8.bytes, sought)) {
    literal.push(placeOf(source, "text", start, start + sought.length));
    if (literal.length === mostPlaces) break;
  }
  if (literal.length > 0 || !/[\r\n]/.test(text)) return literal;
  return tolerantMatches(source, text)
    .filter(({ tier }) => tier === "exact")
    .slice(0, mostPlaces)
    .map(({ start, end }) => placeOf(source, "text", start, end));
}

/** Where it stands in other indentation, glyphs or wrapping, as `edit.replace` finds it. */
export function tolerantPlaces(source: Source, text: string): readonly Place[] {
  return tolerantMatches(source, text)
    .slice(0, mostPlaces)
    .map(({ start, end }) => placeOf(source, "tolerant text", start, end));
}

function tolerantMatches(source: Source, text: string) {
  // Nothing is to change yet, so that only the place counts.
  return look(source, blockOfTexts("the location", text, text)).flatMap(({ matches }) => matches);
}

function placeOf(source: Source, way: Place["way"], start: number, end: number): Place {
  const { utf8, lines } = source;
  const units = utf8.slice(0, start).length;
  const firstLine = lines.lineAt(start) + 1;
  // A final line end belongs to the line before it.
  const lastLine = Math.max(firstLine, lines.lineAt(Math.max(start, end - 1)) + 1);
  return { way, start: units, end: units + utf8.slice(start, end).length, firstLine, lastLine, score: 1 };
}
