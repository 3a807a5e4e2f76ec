import * as z from "zod/mini";
import type { Occurrence, Occurrences } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import type { Tool, ToolContext } from "../../contract/tool.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { showPath } from "../../lib/text/printable.ts";
import { amount, integer, string } from "../fields.ts";
import { findScope } from "../search/scope.ts";
import { showLine } from "../search/search-files.ts";
import { filesMentioning, type Mention, mentionIn } from "./mentions.ts";
import { typedReferences } from "./typed-references.ts";

export interface CodeReferencesData {
  readonly files: readonly ReferencingFile[];
  /** Files that mention the name and have no grammar. */
  readonly notCode: readonly string[];
  /** Files that mention the name and could not be parsed. */
  readonly unread: readonly string[];
  /** The value of `from` for the next call; null when all files were searched. */
  readonly next: string | null;
  /** "types": a language server has found them, without other symbols of the same name. */
  readonly by: "types" | "names";
}

export interface ReferencingFile {
  readonly path: string;
  readonly language: string;
  readonly places: readonly Reference[];
}

interface Reference {
  readonly line: number;
  readonly column: number;
  readonly role: "definition" | "reference";
  /** The line of the occurrence, without indentation. */
  readonly text: string;
}

const input = z.strictObject({
  name: z.string().check(z.minLength(1)),
  path: z.optional(z.string()),
  line: integer(1, 10_000_000, "A line of the file `path` with the symbol that is meant."),
  role: z.optional(z.enum(["definition", "reference"]).check(z.describe("Default both."))),
  limit: amount(1, 1000, "Default 100."),
  from: string("Where to continue, from the previous result."),
});

export type CodeReferencesInput = z.infer<typeof input>;

export const codeReferences: Tool<CodeReferencesInput, CodeReferencesData> = {
  name: "code.references",
  description:
    "Find where a name is defined and used in code, by types if a language server runs. For any other text use search.grep.",
  risk: "read",
  startsPrograms: true,
  input,
  limits: { maxChars: 20_000, keep: "head" },
  accesses: ({ path = "." }) => [{ kind: "read", path }],

  async run(input, context) {
    const typed = await typedReferences(input, context);
    const byTypes = "files" in typed;
    const data = byTypes ? pageOf(typed.files, input) : await findReferences(input, context);
    const reason = byTypes ? undefined : typed.byName;
    const notes = [
      ...(reason === undefined ? [] : [`Found by name: ${reason}.`]),
      ...(byTypes && typed.outside > 0 ? [`${counted(typed.outside, "use")} outside the workspace.`] : []),
    ];
    const text = [describe(input, data), ...notes].join("\n");
    const continuation = data.next === null ? undefined : `Continue with \`from\`: "${data.next}".`;
    return { data, text, continuation };
  },
};

/** Returns the part of the references that one answer shows. */
function pageOf(all: readonly ReferencingFile[], input: CodeReferencesInput): CodeReferencesData {
  const { limit = 100, role } = input;
  const begin = readPosition(input.from);
  const places = all
    .filter(({ path }) => path >= begin.path)
    .flatMap((file) => file.places.map((place) => ({ ...file, place })))
    .filter(
      ({ path, place }) =>
        (role ?? place.role) === place.role && !(path === begin.path && isBefore(place, begin)),
    );
  const files = new Map<string, ReferencingFile>();
  for (const { path, language, place } of places.slice(0, limit))
    files.set(path, { path, language, places: [...(files.get(path)?.places ?? []), place] });
  const rest = places[limit];
  const next = rest === undefined ? null : `${rest.path}:${rest.place.line}:${rest.place.column}`;
  return { files: [...files.values()], notCode: [], unread: [], next, by: "types" };
}

async function findReferences(input: CodeReferencesInput, context: ToolContext): Promise<CodeReferencesData> {
  const { limit = 100, role } = input;
  const begin = readPosition(input.from);
  const by = "names";
  const files: ReferencingFile[] = [];
  const [notCode, unread]: [string[], string[]] = [[], []];
  let found = 0;
  let read = 0;
  for await (const mention of mentions(input, begin.path, context)) {
    if (found >= limit || read >= mostFiles) return { files, notCode, unread, next: mention.path, by };
    read += 1;
    context.progress(`${mention.path}: ${counted(found, "occurrence")} so far`);
    const seen = await occurrencesIn(mention, input.name, context);
    if (typeof seen === "string") {
      (seen === "no code" ? notCode : unread).push(mention.path);
      continue;
    }
    const places = seen.places.filter(
      (occurrence) =>
        (role === undefined || occurrence.role === role) &&
        (mention.path !== begin.path || !isBefore(occurrence, begin)),
    );
    const shown = places.slice(0, limit - found);
    if (shown.length > 0)
      files.push({
        path: mention.path,
        language: seen.language,
        places: shown.map((occurrence) => referenceOf(occurrence, mention)),
      });
    found += shown.length;
    const rest = places[shown.length];
    if (rest !== undefined)
      return { files, notCode, unread, next: `${mention.path}:${rest.line}:${rest.column}`, by };
  }
  return { files, notCode, unread, next: null, by };
}

/** Every searched file is parsed, so more files would take too long for one answer. */
const mostFiles = 400;

async function* mentions(
  { name, path = "." }: CodeReferencesInput,
  from: string,
  context: ToolContext,
): AsyncGenerator<Mention> {
  const scope = await findScope(context.environment, path);
  if (scope.kind === "directory") {
    yield* filesMentioning({ name, directory: scope.path, from }, context);
    return;
  }
  const mention = await mentionIn(scope.path, name, context);
  if (mention !== undefined) yield mention;
}

/** Returns the occurrences, or why there are none: the file has no grammar, or its parser did not finish. */
async function occurrencesIn(
  { path, text }: Mention,
  name: string,
  { code, signal }: ToolContext,
): Promise<Occurrences | "no code" | "unread"> {
  try {
    return await code.occurrences({ path, text }, name, { signal });
  } catch (error) {
    if (!(error instanceof ToolError) || signal.aborted) throw error;
    if (error.code === "unsupported") return "no code";
    if (error.code === "too-large" || error.code === "timeout" || error.code === "unavailable")
      return "unread";
    throw error;
  }
}

function referenceOf({ start, line, column, role }: Occurrence, { text }: Mention): Reference {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = text.indexOf("\n", start);
  const whole = text.slice(lineStart, lineEnd === -1 ? undefined : lineEnd);
  const indentation = whole.length - whole.trimStart().length;
  return { line, column, role, text: showLine(whole.trimStart(), start - lineStart - indentation) };
}

interface Position {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** Parses `src/a.ts:120:8`, where the column, or line and column, may be missing. */
function readPosition(from = ""): Position {
  const [, path = from, line = "1", column = "1"] = /^(.*?):(\d+)(?::(\d+))?$/s.exec(from) ?? [];
  return { path, line: Number(line), column: Number(column) };
}

function isBefore(occurrence: Pick<Occurrence, "line" | "column">, { line, column }: Position): boolean {
  return occurrence.line < line || (occurrence.line === line && occurrence.column < column);
}

function describe({ name, role }: CodeReferencesInput, data: CodeReferencesData): string {
  const { files, notCode, unread, next } = data;
  const places = files.flatMap((file) => file.places);
  const definitions = places.filter((occurrence) => occurrence.role === "definition").length;
  const uses = counted(places.length - definitions, "use");
  const what = role === undefined ? "" : ` as a ${role}`;
  const [, last] = /[.:#]([^.:#]+)$/.exec(name) ?? [];
  const none = [
    `\`${name}\` does not occur in the code${what}${next === null ? "" : " so far"}.`,
    ...(last === undefined ? [] : [`Search for the last part only: ${last}`]),
  ];
  const found = [
    `\`${name}\`: ${counted(definitions, "definition")}, ${uses} in ${counted(files.length, "file")}`,
    ...files.map(describeFile),
  ];
  return [
    ...(places.length === 0 ? none : found),
    ...listed("Also mentioned outside code", notCode),
    ...listed("Mentioned in files that could not be parsed", unread),
  ].join("\n");
}

function listed(what: string, paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return [];
  return [`${what}: ${paths.slice(0, 5).map(showPath).join(", ")}${paths.length > 5 ? " …" : ""}`];
}

function describeFile({ path, places }: ReferencingFile): string {
  const lines = places.map(
    ({ line, role, text }) => `  ${line}${role === "definition" ? " (definition)" : ""}: ${text}`,
  );
  return [showPath(path), ...new Set(lines)].join("\n");
}
