import { ToolError } from "../../contract/error.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { describeBlock } from "../blocks/describe-block.ts";
import { lineEnd, lineStart } from "../lines.ts";
import type { SmartFile } from "./locate.ts";
import { maxLocations, type TextLocation } from "./location.ts";
import type { LineSpan } from "./text-locations.ts";

export function severalLocations(
  file: SmartFile,
  location: string,
  candidates: readonly TextLocation[],
): ToolError {
  const ways = new Set(candidates.map(({ way }) => way));
  const how = ways.size > 1 ? `can be read in ${counted(ways.size, "way")}, and matches` : "matches";
  const howMany = `${counted(candidates.length, "location")}${candidates.length < maxLocations ? "" : " or more"}`;
  return new ToolError(
    "ambiguous-match",
    `${file.path}: the location ${quoted(location)} ${how} ${howMany}:\n${list(file, candidates)}`,
    { hint: `Nothing was written. ${suggestionFor(ways)}` },
  );
}

export function noSuchLocation(
  file: SmartFile,
  location: string,
  likely: readonly TextLocation[],
): ToolError {
  const { path, outline, unread: why = "there is no grammar for this file" } = file;
  const nearest = likely.length > 0 ? `. The nearest:\n${list(file, likely)}` : "";
  const unread = outline ? "" : ` Symbols are not available: ${why}.`;
  return new ToolError("no-match", `${path}: the location ${quoted(location)} was not found${nearest}`, {
    hint: `Nothing was written.${unread} Give text of the file, "lines 10-20"${outline ? ', or a symbol such as "function run"' : ""}.`,
  });
}

export function noSuchLines(
  path: string,
  location: string,
  { first, last }: LineSpan,
  count: number,
): ToolError {
  const why =
    first < 1 ? "lines count from 1" : first > last ? "the range is reversed" : `the last is line ${count}`;
  return new ToolError("no-match", `${path} has no ${quoted(location)}: ${why}`, {
    hint: "Nothing was written. Read the file again for its line numbers.",
  });
}

export function unclearNumbers(path: string, location: string): ToolError {
  return new ToolError(
    "ambiguous-match",
    `${path}: the location ${quoted(location)} may be a line and a column, or several lines`,
    { hint: 'Nothing was written. Give one line, "line 3", or a range, "lines 3-12".' },
  );
}

function list(file: SmartFile, candidates: readonly TextLocation[]): string {
  const shown = candidates.slice(0, maxShown).map((candidate) => `  ${describe(file, candidate)}`);
  const hidden = candidates.length - shown.length;
  return [...shown, ...(hidden > 0 ? [`  … ${counted(hidden, "more", "more")}`] : [])].join("\n");
}

const maxShown = 20;

/** Describes a location: "lines 84-120: Function run [84-120] in Impl Agent, score 0.41". */
function describe({ text, outline }: SmartFile, candidate: TextLocation): string {
  const { way, start, firstLine, lastLine, symbol, score } = candidate;
  const lines = firstLine === lastLine ? `line ${firstLine}` : `lines ${firstLine}-${lastLine}`;
  const beginning = quoted(text.slice(lineStart(text, start), lineEnd(text, start)));
  const what = symbol && outline ? describeBlock(outline, symbol) : `${way}: ${beginning}`;
  return `${lines}: ${what}${score < 1 ? `, score ${score.toFixed(2)}` : ""}`;
}

function suggestionFor(ways: ReadonlySet<TextLocation["way"]>): string {
  const isText = ways.has("text") || ways.has("tolerant text");
  const isSymbol = ways.has("symbol") || ways.has("description");
  const options = [
    ...(isText ? ["more of the text, with a neighbouring line"] : []),
    ...(isSymbol ? ['the name of the block, such as "method Foo.run"'] : []),
    'its lines, such as "lines 10-20"',
  ];
  return `Give ${options.join(", or ")}.`;
}

function quoted(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return `"${line.length > maxChars ? `${line.slice(0, maxChars - 1)}…` : line}"`;
}

const maxChars = 100;
