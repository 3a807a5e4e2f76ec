import { languageOf } from "../../code/languages/language-of.ts";
import { ToolError } from "../../contract/error.ts";
import type { CodeLocation, LanguageServer, SourcePosition } from "../../contract/language-server.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { findScope } from "../search/scope.ts";
import { mentioningFiles, patientIndex } from "./mentions.ts";
import type { CodeReferencesInput, ReferencingFile } from "./references.ts";
import {
  asClause,
  isMissing,
  isServerFailure,
  occurrencesOf,
  onLine,
  reasonOf,
  serverOrReason,
  withLines,
} from "./served-symbol.ts";

/** References by types, or why they are found by name. No reason is given when no server is known for the language. */
export type TypedReferences =
  | { readonly files: readonly ReferencingFile[]; readonly outside: number }
  | { readonly byName: string | undefined };

/**
 * Finds the references of one symbol with a language server. The symbol is the one in the named file, else the only one of
 * this name that is defined in the workspace.
 */
export async function typedReferences(
  input: CodeReferencesInput,
  context: ToolContext,
): Promise<TypedReferences> {
  const found = await symbolWanted(input, context);
  if (typeof found === "string" || found === undefined) return { byName: found };
  const { server } = found;
  const at = { ...found.at, also: await mentioningFiles(input.name, context) };
  try {
    const [definitions, references] = [
      await server.locations("definition", at),
      await server.locations("references", at),
    ];
    if (references.length === 0) return { byName: "the language server knows no symbol there" };
    const isDefinition = new Set(definitions.map(keyOf));
    const inside = references.filter(({ path }) => !path.startsWith("/"));
    const files = await asFiles(inside, isDefinition, context);
    return { files, outside: references.length - inside.length };
  } catch (error) {
    if (!isServerFailure(error) || context.signal.aborted) throw error;
    return { byName: asClause(error.message) };
  }
}

type SymbolFound = { readonly at: SourcePosition; readonly server: LanguageServer };

/** Returns the symbol and its server, or the reason for a search by name. */
async function symbolWanted(
  { name, path, line }: CodeReferencesInput,
  context: ToolContext,
): Promise<SymbolFound | string | undefined> {
  const scope = await findScope(context.environment, path ?? ".");
  if (scope.kind === "file") {
    if (scope.isOutput) return undefined;
    const server = await serverOrReason(scope.path, context);
    if (isMissing(server)) return reasonOf(server);
    const wanted = { path: scope.path, name, line };
    const found = await occurrencesOf(wanted, context).catch(undefinedIfNone);
    if (found === undefined) return undefined;
    return { at: { ...found, offset: onLine(found.places, wanted)[0].start }, server };
  }
  const definitions = await definitionsOf(name, scope.path, context);
  const [only, ...more] = definitions;
  if (only === undefined) return undefined;
  const server = await serverOrReason(only.path, context);
  if (isMissing(server)) return reasonOf(server);
  if (more.length > 0)
    return `several symbols have this name; give the \`path\` of a file and a \`line\` for one of them`;
  const found = await occurrencesOf({ ...only, name }, context).catch(undefinedIfNone);
  // The block of a symbol begins with its comments.
  const place = found?.places.find(({ line, role }) => line >= only.line && role === "definition");
  return found && place && { at: { ...found, offset: place.start }, server };
}

async function definitionsOf(
  name: string,
  directory: string,
  context: ToolContext,
): Promise<readonly { readonly path: string; readonly line: number }[]> {
  const { signal } = context;
  try {
    const index = await patientIndex(context);
    const wanted = { name, path: directory === "" ? undefined : directory, limit: 50 };
    const symbols = await index.symbols(wanted, { signal });
    return symbols
      .filter((symbol) => symbol.name === name)
      .map(({ path, firstLine }) => ({ path, line: firstLine }));
  } catch (error) {
    if (!(error instanceof ToolError) || signal.aborted) throw error;
    return [];
  }
}

function undefinedIfNone(error: unknown): undefined {
  if (error instanceof ToolError && error.code === "no-match") return undefined;
  throw error;
}

async function asFiles(
  locations: readonly CodeLocation[],
  isDefinition: ReadonlySet<string>,
  context: ToolContext,
): Promise<readonly ReferencingFile[]> {
  const shown = await withLines(locations, context);
  const files = new Map<string, ReferencingFile["places"][number][]>();
  for (const [at, { path, line, column, text = "" }] of shown.entries()) {
    const role = isDefinition.has(keyOf(locations[at]!)) ? "definition" : "reference";
    files.set(path, [...(files.get(path) ?? []), { line, column, role, text }]);
  }
  return [...files].map(([path, places]) => ({ path, language: languageOf(path, "") ?? "", places }));
}

function keyOf({ path, range: { start } }: CodeLocation): string {
  return JSON.stringify([path, start.line, start.character]);
}
