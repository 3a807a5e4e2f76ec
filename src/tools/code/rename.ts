import * as z from "zod/mini";
import { spliced } from "../../code/blocks/block-change.ts";
import { isCalled } from "../../code/blocks/kind-words.ts";
import { languageOf } from "../../code/languages/language-of.ts";
import { lineOf, lineStartsOf } from "../../code/lines.ts";
import {
  checkMeanings,
  checkNewName,
  occurrencesToRename,
  type RenameWanted,
  renameSplices,
} from "../../code/scopes/rename.ts";
import { scopeRulesOf } from "../../code/scopes/rules-of.ts";
import type { Occurrence, Occurrences, Outline } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import type { Tool, ToolContext, ToolOutput } from "../../contract/tool.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { showPath } from "../../lib/text/printable.ts";
import type { EditData } from "../edit/describe-edit.ts";
import { string } from "../fields.ts";
import { changeAccesses, changeAccessesNeeded, editFields, pathField } from "./block-fields.ts";
import { type CodeEdit, changeCode, diffOfChange, type PlanCode } from "./change-code.ts";
import { type CodeFile, readCode } from "./code-file.ts";
import { filesMentioning, wholeWord } from "./mentions.ts";
import { projectToolsTimeoutMs } from "./project-tools/change-checked.ts";
import { diffOfRename, renameEverywhere } from "./rename-everywhere.ts";
import { asClause, isMissing, isServerFailure, reasonOf, serverOrReason } from "./served-symbol.ts";

export interface CodeRenameData extends EditData {
  readonly places: number;
  /** The first files that still mention the old name and may refer to the renamed symbol. */
  readonly mentionedIn: readonly string[];
}

const input = z.strictObject({
  path: pathField,
  name: z.string().check(z.minLength(1)),
  new_name: z.string().check(z.minLength(1)),
  line: z.optional(z.int().check(z.minimum(1), z.describe("A line where it occurs."))),
  kind: string('"function", "class" ...'),
  files: z.optional(
    z.array(z.string()).check(z.describe("Other files that it changes, when an answer asks for them.")),
  ),
  run_formatter: editFields.run_formatter,
  run_check: editFields.run_check,
});

export type CodeRenameInput = z.infer<typeof input>;

export const codeRename: Tool<CodeRenameInput, CodeRenameData> = {
  name: "code.rename",
  description:
    "Rename a symbol in all files if a language server runs, else in one file, respecting scopes. Then lists other files with the name.",
  risk: "execute",
  input,
  limits: { maxChars: 20_000, keep: "both" },
  timeoutMs: projectToolsTimeoutMs,
  findsWrites: true,
  // The whole workspace is searched for other mentions of the name.
  accesses: (input) => [
    ...changeAccesses(input),
    ...(input.files ?? []).map((path) => ({ kind: "write", path }) as const),
    { kind: "read", path: "." },
  ],
  narrow: changeAccessesNeeded,
  preview: async (input, context) => {
    const server = mayAskServer(input)
      ? await context.servers.serverFor(input.path, { onlyRunning: true })
      : undefined;
    if (server === undefined || isMissing(server)) return diffOfChange(input, planOf(input), context);
    return diffOfRename(input, server, context);
  },

  async run(input, context) {
    const { done, reason } = await renameWithServer(input, context);
    if (done !== undefined) return done;
    const { edit, files, description, outline } = await changeCode(input, planOf(input), context);
    const { chosen } = edit;
    const isPublic = chosen.some((occurrence) => occurrence.isPublic);
    const { mentionedIn, problem } = isPublic
      ? await otherFiles(input, outline.language, context)
      : { mentionedIn: [] };
    const others = [
      ...(mentionedIn.length === 0 ? [] : [describeOthers(input, mentionedIn)]),
      ...(problem === undefined
        ? []
        : [`Not all other files could be searched for ${input.name}: ${problem}`]),
    ];
    return {
      data: { files, places: chosen.length, mentionedIn },
      text: [
        `Renamed ${input.name} to ${input.new_name}: ${counted(chosen.length, "occurrence")}.`,
        description,
        ...others,
        ...(reason === undefined ? [] : [`Only this file was changed: ${reason}.`]),
      ].join("\n"),
    };
  },
};

/** Formatters and checkers work on one file. */
function mayAskServer({ run_formatter, run_check }: CodeRenameInput): boolean {
  return !run_formatter && !run_check;
}

/** Renames in all files. Returns the reason when there is no server; undefined when none is known for the language. */
async function renameWithServer(
  input: CodeRenameInput,
  context: ToolContext,
): Promise<{ readonly done?: ToolOutput<CodeRenameData>; readonly reason?: string | undefined }> {
  if (!mayAskServer(input)) return {};
  const { path, name, new_name, kind } = input;
  const server = await serverOrReason(path, context);
  if (isMissing(server)) return { reason: reasonOf(server) };
  try {
    const outline = await outlineOf(path, context);
    if (outline !== undefined && scopeRulesOf(outline.language) !== undefined)
      checkNewName(outline.language, { name: bare(name, outline), newName: new_name });
    const line = input.line ?? (outline && lineOfKind(kind, name, outline));
    const { files, places, description } = await renameEverywhere({ ...input, line }, server, context);
    const { mentionedIn } = outline
      ? await otherFiles(input, outline.language, context)
      : { mentionedIn: [] };
    const where = `${counted(places, "occurrence")} in ${counted(files.length, "file")}`;
    const left = mentionedIn.slice(0, 5).map(showPath).join(", ");
    const still = `Still mentioned in text or as another symbol: ${left}${mentionedIn.length > 5 ? " …" : ""}`;
    return {
      done: {
        data: { files, places, mentionedIn },
        text: [
          `Renamed ${name} to ${new_name} by types: ${where}.`,
          description,
          ...(left === "" ? [] : [still]),
        ].join("\n"),
      },
    };
  } catch (error) {
    if (!isServerFailure(error) || context.signal.aborted) throw error;
    return { reason: asClause(error.message) };
  }
}

/** Returns undefined for a language without a grammar. */
async function outlineOf(path: string, context: ToolContext): Promise<Outline | undefined> {
  try {
    return (await readCode(path, context)).outline;
  } catch (error) {
    if (error instanceof ToolError && error.code === "unsupported") return undefined;
    throw error;
  }
}

/** Returns the line of the only symbol of this kind and name. */
function lineOfKind(kind: string | undefined, name: string, { symbols }: Outline): number | undefined {
  if (kind === undefined) return undefined;
  const suited = symbols.filter(
    (symbol) =>
      symbol.name === name &&
      isCalled(kind, symbol, symbol.parent === undefined ? undefined : symbols[symbol.parent]),
  );
  return suited.length === 1 ? suited[0]!.line : undefined;
}

interface RenameEdit extends CodeEdit {
  readonly chosen: readonly Occurrence[];
}

function planOf(input: CodeRenameInput): PlanCode<RenameEdit> {
  return async (file, context) => {
    const { path, text, outline } = file;
    const [name, newName] = [bare(input.name, outline), bare(input.new_name, outline)];
    const wanted: RenameWanted = { name, newName, line: input.line, isWanted: ofKind(input.kind, outline) };
    checkNewName(outline.language, wanted);
    refuseFaults(path, outline);
    const { code, signal } = context;
    const ask = (text: string, name: string) => code.occurrences({ path, text }, name, { signal });
    const before = { old: await ask(text, name), new: await ask(text, newName) };
    const chosen = occurrencesToRename(before.old, wanted);
    const splices = renameSplices(chosen, newName);
    const after = spliced(text, splices);
    checkMeanings({
      splices,
      chosen,
      newName,
      before,
      after: { new: await ask(after, newName), old: await ask(after, name) },
    });
    return { splices, chosen, notes: notesOn(file, name, before.old) };
  };
}

/** Refuses a file with syntax errors, because its scopes are uncertain. */
function refuseFaults(path: string, { faults: [fault] }: Outline): void {
  if (fault === undefined) return;
  throw new ToolError(
    "unsupported",
    `${path} does not parse (${fault.message} on line ${fault.line}), so its scopes are unknown`,
    { hint: "Fix it first (code.validate lists all faults), or edit the occurrences with edit.replace." },
  );
}

/** Removes the `$` that some languages put before variables. */
function bare(name: string, { language }: Outline): string {
  return /^(?:php|bash|perl)$/.test(language) ? name.replace(/^\$/, "") : name;
}

function ofKind(kind: string | undefined, { symbols }: Outline): RenameWanted["isWanted"] {
  if (kind === undefined) return undefined;
  const suited = symbols.filter((symbol) =>
    isCalled(kind, symbol, symbol.parent === undefined ? undefined : symbols[symbol.parent]),
  );
  return ({ line, start }) =>
    suited.some((symbol) => symbol.line === line && symbol.declarationStart <= start && start < symbol.end);
}

/** Describes mentions of the name that the rename does not change. */
function notesOn({ text, outline }: CodeFile, name: string, { places }: Occurrences): readonly string[] {
  const isCode = new Set(places.map(({ start }) => start));
  const lineStarts = lineStartsOf(text);
  const lines = new Set<number>();
  for (const { index } of text.matchAll(wholeWord(name, "gu"))) {
    if (!isCode.has(index)) lines.add(lineOf(lineStarts, index));
  }
  const byName = scopeRulesOf(outline.language)?.byName?.exec(text);
  return [
    ...(lines.size === 0 ? [] : [`not changed in comments or strings: ${listed([...lines])}`]),
    ...(byName
      ? [`\`${byName[0].trim()}\` on line ${lineOf(lineStarts, byName.index)} can find names by their text`]
      : []),
  ];
}

function listed(lines: readonly number[]): string {
  const shown = lines.slice(0, 10).join(", ");
  return `${lines.length === 1 ? "line" : "lines"} ${shown}${lines.length > 10 ? " …" : ""}`;
}

/**
 * Returns other files that mention the name, in the same language or one that shares its names. The rename is already
 * written, so a problem is reported, not thrown.
 */
async function otherFiles(
  { path, name }: CodeRenameInput,
  language: string,
  context: ToolContext,
): Promise<Pick<CodeRenameData, "mentionedIn"> & { readonly problem?: string }> {
  const family = families.find((languages) => languages.includes(language)) ?? [language];
  const found: string[] = [];
  try {
    const real = await context.environment.realPath(path);
    for await (const mention of filesMentioning({ name, directory: "" }, context)) {
      if (!family.includes(languageOf(mention.path, mention.text) ?? "")) continue;
      if ((await context.environment.realPath(mention.path)) !== real) found.push(mention.path);
      if (found.length > mostMentions) break;
    }
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { mentionedIn: found, problem: error.message };
  }
  return { mentionedIn: found };
}

const families: readonly (readonly string[])[] = [
  ["javascript", "typescript", "tsx", "vue", "svelte", "astro"],
  ["c", "cpp", "objective-c", "cuda", "arduino"],
];

const mostMentions = 20;

function describeOthers({ name }: CodeRenameInput, paths: readonly string[]): string {
  const shown = paths.slice(0, mostMentions).map(showPath).join(", ");
  const more = paths.length > mostMentions ? " and others" : "";
  return `Other files mention ${name} and were not changed: ${shown}${more}. See code.references.`;
}
