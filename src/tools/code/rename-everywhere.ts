import { posix } from "node:path";
import { spliced } from "../../code/blocks/block-change.ts";
import { TextLines } from "../../code/servers/positions.ts";
import type { Source } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import type {
  CodeLocation,
  LanguageServer,
  RenameEdits,
  SourcePosition,
  TextEdit,
} from "../../contract/language-server.ts";
import type { PreviewContext, ToolContext } from "../../contract/tool.ts";
import { showDiff } from "../../edit/rewrite/show-diff.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { showPath } from "../../lib/text/printable.ts";
import { describeDiagnostics } from "../edit/describe-diagnostics.ts";
import { type EditedFile, editedFile } from "../edit/describe-edit.ts";
import { changesFor, noteWritten, retryWhenStale } from "../edit/edit-files.ts";
import { type PlannedFile, withFileState } from "../edit/plan-files.ts";
import { listLines } from "../edit/show-lines.ts";
import { type CodeFile, readSource } from "./code-file.ts";
import { filePlan } from "./file-plan.ts";
import { mentioningFiles, wholeWord } from "./mentions.ts";
import { occurrencesOf, onLine } from "./served-symbol.ts";

export interface RenameTarget {
  readonly path: string;
  readonly name: string;
  readonly new_name: string;
  readonly line?: number | undefined;
  /** Other files that the caller has named, so that the policy has decided about them. */
  readonly files?: readonly string[] | undefined;
}

export interface RenamedEverywhere {
  readonly files: readonly EditedFile[];
  readonly places: number;
  readonly description: string;
}

/** Renames a symbol in all files of the project, with the edits of a language server: all of them, or none. */
export async function renameEverywhere(
  target: RenameTarget,
  server: LanguageServer,
  context: ToolContext,
): Promise<RenamedEverywhere> {
  return retryWhenStale(
    async () => {
      const { files, places } = await planRename(target, server, context, { isChecked: true });
      const planned = await Promise.all(files.map(({ plan }) => withFileState(plan, context)));
      await refuseOthers(target, planned, context);
      return { planned, places };
    },
    async ({ planned, places }) => {
      const { environment, signal } = context;
      await environment.change(
        planned.flatMap((file) => changesFor(file, {})),
        { signal },
      );
      for (const { plan } of planned) if ("after" in plan) noteWritten(plan.path, plan.after, context);
      return { files: planned.map(editedFile), places, description: describe(planned) };
    },
  );
}

/** Returns the diff of all files, for the approval prompt. */
export async function diffOfRename(
  target: RenameTarget,
  server: LanguageServer,
  context: PreviewContext,
): Promise<string> {
  // The check takes longer than a preview may take.
  const { files } = await planRename(target, server, context, { isChecked: false });
  return files.map(({ plan }) => showDiff(plan)).join("");
}

interface PlannedText {
  readonly plan: ReturnType<typeof filePlan> | MovedFile;
  readonly file: Omit<CodeFile, "outline">;
  readonly after: string;
  /** Where the edits begin in the old text, and where the new name is in the new text. */
  readonly starts: readonly { readonly before: number; readonly after: number }[];
  /** Whether an edit keeps the old name beside the new one, so that some uses stay as they are. */
  readonly keepsOldName: boolean;
}

type MovedFile = PlannedFile["plan"] & { readonly action: "move" };

async function planRename(
  target: RenameTarget,
  server: LanguageServer,
  context: PreviewContext,
  { isChecked }: { readonly isChecked: boolean },
): Promise<{ readonly files: readonly PlannedText[]; readonly places: number }> {
  const also = await mentioningFiles(target.name, { ...context, progress: () => {} });
  const named = { ...(await symbolToRename(target, context)), also };
  const at = { ...(await definitionOf(named, target, server, context)), also };
  const { edits, moves } = await server.rename(at, target.new_name);
  const byPath = [...edits].sort(([one], [other]) => (one < other ? -1 : 1));
  if (edits.size === 0)
    throw new ToolError("unsupported", `The language server does not rename \`${target.name}\` there`, {
      hint: "Give the `line` of its definition, or edit the occurrences with edit.replace.",
    });
  if (byPath.reduce((sum, [, changes]) => sum + changes.length, 0) > mostEdits)
    throw new ToolError("too-large", `The rename would make more than ${mostEdits} edits`, {
      hint: "Nothing was changed. Rename it with a command.",
    });
  const files: PlannedText[] = [];
  for (const [path, changes] of byPath) files.push(await planFile(path, changes, target, moves, context));
  for (const move of moves)
    if (!edits.has(move.from)) files.push(await planFile(move.from, [], target, moves, context));
  if (isChecked && moves.length === 0) await refuseOtherMeaning(files, at, target, server);
  return { files, places: files.reduce((sum, { starts }) => sum + starts.length, 0) };
}

/** Finds the symbol that is meant. Throws `ambiguous-match` when several definitions have this name. */
async function symbolToRename(target: RenameTarget, context: PreviewContext): Promise<SourcePosition> {
  const { path, text, places } = await occurrencesOf(target, context);
  const near = onLine(places, target);
  const definitions = near.filter(({ role }) => role === "definition");
  const meanings = new Set(definitions.map(({ binding, start }) => binding ?? `at ${start}`));
  if (meanings.size > 1 && target.line === undefined) {
    const lines = [...new Set(definitions.map(({ line }) => line))].slice(0, 10).join(", ");
    throw new ToolError(
      "ambiguous-match",
      `\`${target.name}\` is defined several times in ${path}, on lines ${lines}`,
      {
        hint: "Give the `line` of one of them.",
      },
    );
  }
  return { path, text, offset: (definitions[0] ?? near[0]).start };
}

/** Returns the definition, because a rename of an imported name would only change the import. */
async function definitionOf(
  at: SourcePosition,
  { name }: RenameTarget,
  server: LanguageServer,
  context: PreviewContext,
): Promise<SourcePosition> {
  const [only, ...more] = await server.locations("definition", at);
  if (only === undefined || more.length > 0 || isForeign(only.path)) return at;
  const { text } = await readSource(only.path, context);
  const offset = new TextLines(text).offsetAt(only.range.start);
  const isSame = offset !== undefined && text.startsWith(name, offset);
  return isSame ? { path: only.path, text, offset } : at;
}

/** Whether a file belongs to another package. */
function isForeign(path: string): boolean {
  return path.startsWith("/") || /(?:^|\/)(?:node_modules|site-packages)\//.test(path);
}

async function planFile(
  path: string,
  edits: readonly TextEdit[],
  target: RenameTarget,
  moves: RenameEdits["moves"],
  context: PreviewContext,
): Promise<PlannedText> {
  if (isForeign(path)) throw unexpected(path, "changes a file of another package");
  const file = await readSource(path, context);
  const lines = new TextLines(file.text);
  const splices = edits
    .map(({ range, newText }) => {
      const [start, end] = [lines.offsetAt(range.start), lines.offsetAt(range.end)];
      if (start === undefined || end === undefined || end < start)
        throw new ToolError("stale", `${path} has changed while it was renamed`, { hint: "Try again." });
      checkEdit(file.text.slice(start, end), newText, path, target);
      return { start, end, text: newText };
    })
    .sort((one, other) => one.start - other.start);
  if (splices.some(({ start }, at) => at > 0 && start < splices[at - 1]!.end))
    throw unexpected(path, "has edits that overlap");
  let growth = 0;
  const starts = splices.map(({ start, end, text }) => {
    const name = [...text.matchAll(wholeWord(target.new_name, "gu"))].at(-1)?.index ?? 0;
    const starts = { before: start, after: start + growth + name };
    growth += text.length - (end - start);
    return starts;
  });
  const after = spliced(file.text, splices);
  const plan = filePlan({ file, after, notes: [] });
  const to = moves.find(({ from }) => from === path)?.to;
  const keepsOldName = splices.some(({ text }) => / as |:/.test(text));
  return { plan: to === undefined ? plan : moved(plan, to, target), file, after, starts, keepsOldName };
}

function moved(plan: ReturnType<typeof filePlan>, to: string, target: RenameTarget): MovedFile {
  const renamed = posix.basename(plan.path).replace(target.name, () => target.new_name);
  const isSameFolder = posix.dirname(to) === posix.dirname(plan.path);
  if (!isSameFolder || to === plan.path || posix.basename(to) !== renamed)
    throw unexpected(plan.path, `moves it to ${showPath(to)}`);
  return { ...plan, action: "move", from: plan.path, path: to };
}

const mostEdits = 50_000;

/**
 * Refuses an edit that changes more than the name. The program that sends it may be hostile. Where the old name must stay,
 * an edit adds the new one: `greet as welcome`, `greet: welcome`.
 */
function checkEdit(before: string, after: string, path: string, { name, new_name }: RenameTarget): void {
  const [old, renamed] = [plainName(/[^.:#]+$/.exec(name)?.[0] ?? name), plainName(new_name)];
  const names = after.split(/ as |: */).map(plainName);
  const isReplaced = plainName(before) === old && names.every((one) => one === old || one === renamed);
  const isAdded = before === "" && names.length > 1 && names.every((one) => one === "" || one === renamed);
  if (names.length <= 2 && names.includes(renamed) && (isReplaced || isAdded)) return;
  throw unexpected(path, "changes more than the name");
}

/** Removes the sign that some languages put before names: #secret, $total, 'a. */
function plainName(name: string): string {
  return name.replace(/^[#@$']/, "");
}

function unexpected(path: string, what: string): ToolError {
  return new ToolError("unsupported", `The language server's rename of ${showPath(path)} ${what}`, {
    hint: "Nothing was changed. Find the uses with code.references and edit them with edit.replace.",
  });
}

/** Refuses a rename after which a name would mean something else, or that adds errors. */
async function refuseOtherMeaning(
  files: readonly PlannedText[],
  at: SourcePosition,
  { new_name }: RenameTarget,
  server: LanguageServer,
): Promise<void> {
  const known = await server.locations("references", at);
  const changed = files.find(({ file }) => file.path === at.path);
  if (changed === undefined) return;
  const changes = files.map(({ file: { path, text }, after }) => ({ path, before: text, after }));
  const offset = changed.starts.find(({ before }) => before === at.offset)?.after;
  if (offset === undefined) return;
  const { newErrors, references } = await server.tryTexts(changes, {
    path: at.path,
    text: changed.after,
    offset,
    also: othersOf(files, at),
  });
  if (newErrors.length > 0)
    throw new ToolError(
      "invalid-input",
      `The rename to \`${new_name}\` would add ${counted(newErrors.length, "error")}`,
      {
        hint: "Nothing was changed. Choose another name, or rename these places too, with edit.replace.",
        output: describeDiagnostics(newErrors.slice(0, 10)).join("\n"),
      },
    );
  const renamed = new Set<string>();
  const texts = new Map<string, { readonly after: string; readonly lines: TextLines }>();
  for (const { file, after, starts } of files) {
    const lines = new TextLines(after);
    texts.set(file.path, { after, lines });
    for (const { after: at } of starts) renamed.add(keyOf({ path: file.path, start: lines.positionAt(at) }));
  }
  const keys = (locations: readonly CodeLocation[]) =>
    new Set(locations.map(({ path, range: { start } }) => keyOf({ path, start })));
  const [before, found] = [keys(known), keys(references)];
  /** Whether the new name was there before, and would now mean the renamed symbol. */
  const isCaught = ({ path, range: { start } }: CodeLocation) => {
    const key = keyOf({ path, start });
    const text = texts.get(path);
    if (renamed.has(key)) return false;
    return text ? text.after.startsWith(new_name, text.lines.offsetAt(start)) : !before.has(key);
  };
  // Where an edit keeps the old name, as in `export { welcome as greet }`, its uses may no longer count.
  const hasAllUses = references.length === known.length || files.some(({ keepsOldName }) => keepsOldName);
  const areSame = hasAllUses && [...renamed].every((key) => found.has(key)) && !references.some(isCaught);
  if (!areSame)
    throw new ToolError(
      "invalid-input",
      `After the rename, \`${new_name}\` would mean two things: another symbol has this name`,
      {
        hint: "Nothing was changed. Choose another name.",
      },
    );
}

function keyOf({
  path,
  start,
}: {
  readonly path: string;
  readonly start: CodeLocation["range"]["start"];
}): string {
  return JSON.stringify([path, start.line, start.character]);
}

/** Returns the files that mention the name and stay as they are. */
function othersOf(files: readonly PlannedText[], { also = [] }: SourcePosition): readonly Source[] {
  const changed = new Set(files.map(({ file }) => file.path));
  return also.filter(({ path }) => !changed.has(path));
}

/** Refuses files that the call may not write without approval, unless the caller has named them. */
async function refuseOthers(
  { path, files = [] }: RenameTarget,
  planned: readonly PlannedFile[],
  { environment }: ToolContext,
): Promise<void> {
  const named = new Set(await Promise.all([path, ...files].map((one) => environment.realPath(one))));
  const refused: string[] = [];
  for (const { plan } of planned)
    for (const touched of "from" in plan ? [plan.from, plan.path] : [plan.path]) {
      if (named.has(await environment.realPath(touched))) continue;
      if (!(await environment.confinement?.mayWrite?.(touched))) refused.push(touched);
    }
  if (refused.length === 0) return;
  throw new ToolError(
    "needs-approval",
    `The rename also changes ${refused.slice(0, 10).map(showPath).join(", ")}`,
    {
      hint: `Nothing was changed. Repeat the call with \`files\`: ${JSON.stringify(refused)}`,
    },
  );
}

function describe(planned: readonly PlannedFile[]): string {
  return planned
    .map(({ plan }) => {
      const spans = plan.changes.map(({ firstLine: first, addedLines }) => ({
        first,
        last: first + addedLines - 1,
      }));
      const from = "from" in plan ? `${showPath(plan.from)} → ` : "";
      return `${from}${showPath(plan.path)}${spans.length === 0 ? "" : `: ${listLines(spans)}`}`;
    })
    .join("\n");
}
