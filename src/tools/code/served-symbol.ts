import { TextLines } from "../../code/servers/positions.ts";
import type { Occurrence } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import type {
  CodeLocation,
  LanguageServer,
  NoServer,
  SourcePosition,
} from "../../contract/language-server.ts";
import type { PreviewContext, ToolContext } from "../../contract/tool.ts";
import { showPath } from "../../lib/text/printable.ts";
import { findScope } from "../search/scope.ts";
import { showLine } from "../search/search-files.ts";
import { readSource } from "./code-file.ts";
import { wholeWord } from "./mentions.ts";

export interface SymbolWanted {
  readonly path: string;
  readonly name: string;
  readonly line?: number | undefined;
}

/** Returns the server of a file's language. Throws `unavailable` when there is none. */
export async function requireServer(path: string, { servers }: ToolContext): Promise<LanguageServer> {
  const server = await servers.serverFor(path);
  if (!isMissing(server)) return server;
  throw new ToolError("unavailable", server.missing, {
    hint: server.hint ?? "Use search.grep and code.symbols, which need no language server.",
    forUser: {
      hint: server.hint?.replace(/^Ask the user to (.)/, (_, first: string) => first.toUpperCase()),
    },
  });
}

export function isMissing(server: LanguageServer | NoServer): server is NoServer {
  return "missing" in server;
}

/** Returns the server, or why there is none, also when it fails to start in time. */
export async function serverOrReason(
  path: string,
  { servers }: Pick<ToolContext, "servers">,
): Promise<LanguageServer | NoServer> {
  try {
    return await servers.serverFor(path);
  } catch (error) {
    if (isServerFailure(error)) return { missing: error.message, hint: error.hint, isKnown: true };
    throw error;
  }
}

/** Returns why an answer is by syntax, as a clause; undefined when no server is known for the language. */
export function reasonOf({ missing, isKnown }: NoServer): string | undefined {
  return isKnown ? asClause(missing) : undefined;
}

/** Returns a sentence as the second part of another one. */
export function asClause(sentence: string): string {
  return `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
}

/** Whether a server has crashed, did not answer or did not understand, so that syntax has to do. */
export function isServerFailure(error: unknown): error is ToolError {
  return error instanceof ToolError && (error.code === "unavailable" || error.code === "timeout");
}

/** Finds the symbol in the code of its file: on the given line, else its first occurrence. */
export async function findSymbol(wanted: SymbolWanted, context: PreviewContext): Promise<SourcePosition> {
  const { text, path, places } = await occurrencesOf(wanted, context);
  const [first] = onLine(places, wanted);
  return { path, text, offset: first.start };
}

/** Returns the text of a file and all occurrences of a name in its code. Throws `no-match` when there is none. */
export async function occurrencesOf(
  { path: named, name }: SymbolWanted,
  context: PreviewContext,
): Promise<{ readonly path: string; readonly text: string; readonly places: Places }> {
  const path = await pathIn(named, context);
  const { text } = await readSource(path, context);
  const last = /[^.:#]+$/.exec(name)?.[0] ?? name;
  const [first, ...more] = await placesIn({ path, text }, last, context);
  if (first !== undefined) return { path, text, places: [first, ...more] };
  throw new ToolError("no-match", `\`${name}\` does not occur in the code of ${path}`, {
    hint: "Spell it as in the file, or find the file with code.references.",
  });
}

type Place = Pick<Occurrence, "start" | "end" | "line"> & Partial<Occurrence>;
export type Places = readonly [Place, ...Place[]];

export function onLine(places: Places, { name, line }: SymbolWanted): Places {
  const [first, ...more] = line === undefined ? places : places.filter((place) => place.line === line);
  if (first !== undefined) return [first, ...more];
  const lines = [...new Set(places.map((place) => place.line))].slice(0, 10).join(", ");
  throw new ToolError("no-match", `\`${name}\` does not occur in the code of line ${line}`, {
    hint: `Give a \`line\` where it occurs: ${lines}.`,
  });
}

/** Returns the path relative to the workspace. */
async function pathIn(named: string, { environment }: PreviewContext): Promise<string> {
  const scope = await findScope(environment, named);
  if (scope.kind === "file") return scope.path;
  throw new ToolError("unsupported", `${named} is a directory, not a file`, {
    hint: "Give the file in which the symbol occurs.",
  });
}

/** Finds the occurrences by the grammar, or as whole words when the language has none. */
async function placesIn(
  source: { readonly path: string; readonly text: string },
  name: string,
  { code, signal }: PreviewContext,
): Promise<readonly Place[]> {
  try {
    return (await code.occurrences(source, name, { signal })).places;
  } catch (error) {
    if (!(error instanceof ToolError) || signal.aborted) throw error;
    const lines = new TextLines(source.text);
    return [...source.text.matchAll(wholeWord(name, "gu"))].map(({ index }) => ({
      start: index,
      end: index + name.length,
      line: lines.positionAt(index).line + 1,
    }));
  }
}

/** A location with its line, as it is shown. */
export interface ShownLocation {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  /** Without indentation; undefined when the file cannot be read, for example because it is outside the workspace. */
  readonly text: string | undefined;
}

/** Adds the lines of the locations, read through the environment, so that the rules apply. */
export async function withLines(
  locations: readonly CodeLocation[],
  context: Pick<ToolContext, "environment" | "signal">,
): Promise<readonly ShownLocation[]> {
  const read = new Map<string, TextLines | undefined>();
  const shown: ShownLocation[] = [];
  for (const { path, range } of locations) {
    if (!read.has(path)) read.set(path, await linesOf(path, context));
    const { line, character } = range.start;
    const whole = read.get(path)?.lineAt(line);
    const indentation = (whole?.length ?? 0) - (whole?.trimStart().length ?? 0);
    shown.push({
      path,
      line: line + 1,
      column: character + 1,
      text: whole && showLine(whole.trimStart(), Math.max(0, character - indentation)),
    });
  }
  return shown;
}

async function linesOf(
  path: string,
  context: Pick<ToolContext, "environment" | "signal">,
): Promise<TextLines | undefined> {
  try {
    return new TextLines((await readSource(path, context, 8 * 1024 * 1024)).text);
  } catch (error) {
    if (error instanceof ToolError && !context.signal.aborted) return undefined;
    throw error;
  }
}

/** Describes locations by file, one line each. */
export function describeLocations(locations: readonly ShownLocation[]): readonly string[] {
  const described: string[] = [];
  let last: string | undefined;
  for (const { path, line, text } of locations) {
    if (path !== last) described.push(showPath(path));
    last = path;
    described.push(`  ${line}${text === undefined ? "" : `: ${text}`}`);
  }
  return [...described.filter((line, at) => line !== described[at - 1])];
}
