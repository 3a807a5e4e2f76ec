import { errorWith, ToolError } from "../contract/error.ts";
import type { AddSection, DeleteSection, FileSection, UpdateSection } from "./block.ts";
import { refuseDone } from "./diagnose/not-found.ts";
import { isPlaceholder, refusePlaceholders } from "./diagnose/placeholder.ts";
import type { Change, FilePlan, ReadFile } from "./edit-request.ts";
import { locateBlocks } from "./match/locate.ts";
import { trimTrailingBlanks } from "./match/tiers.ts";
import { newPath, spellings } from "./parse/headers.ts";
import { indentationTaught, rewrite } from "./rewrite/rewrite.ts";
import { applySplices, changesNothing, changesOf, encodingNotes } from "./rewrite/splice.ts";
import { encodeUtf8, type Source, sourcesOf } from "./source.ts";

export function planSections(sections: readonly FileSection[], read: ReadFile): readonly FilePlan[] {
  const targets = joinUpdates(sections, read).map((section) => resolve(section, read));
  refuseClashes(targets.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from])));
  return targets.map(({ path, from, plan }) => inFile(from ?? path, plan));
}

/** Plans the change of one file, and adds its path to the details of an error. */
export function inFile<Plan>(path: string, plan: () => Plan): Plan {
  try {
    return plan();
  } catch (error) {
    if (!(error instanceof ToolError) || error.details) throw error;
    throw errorWith(error, { details: { kind: "in-file", path } });
  }
}

/** Joins the sections that change the same file, because all changes of a call apply to the original content. */
function joinUpdates(sections: readonly FileSection[], read: ReadFile): readonly FileSection[] {
  if (sections.length === 1) return sections;
  const updates = new Map<string, number>();
  const joined: FileSection[] = [];
  for (const section of sections) {
    const isUpdate = section.kind === "update" && section.moveTo === undefined;
    const path = isUpdate ? findNamedFile(section.names, read)?.path : undefined;
    const earlier = path === undefined ? undefined : updates.get(path);
    if (earlier !== undefined)
      joined[earlier] = join(joined[earlier] as UpdateSection, section as UpdateSection);
    else if (path !== undefined) updates.set(path, joined.push(section) - 1);
    else joined.push(section);
  }
  return joined;
}

function join(first: UpdateSection, second: UpdateSection): UpdateSection {
  const blocks = [...first.blocks, ...second.blocks];
  return {
    ...first,
    blocks: blocks.map((block, index) => ({ ...block, name: `hunk ${index + 1}` })),
    mode: second.mode ?? first.mode,
  };
}

interface Target {
  readonly path: string;
  readonly from?: string | undefined;
  plan(): FilePlan;
}

function resolve(section: FileSection, read: ReadFile): Target {
  if (section.kind === "add") {
    const path = newPath(section.name);
    return { path, plan: () => planAdd(section, path, read) };
  }
  const file = findNamedFile(section.names, read);
  if (!file) throw missing(section.names[0]!);
  if (section.kind === "delete")
    return { path: file.path, plan: () => planDelete(section, file.path, file.bytes) };
  const moveTo = section.moveTo === undefined ? undefined : newPath(section.moveTo);
  if (moveTo === undefined)
    return { path: file.path, plan: () => planUpdate(section, file.path, file.bytes) };
  if (file.path === moveTo)
    throw new ToolError("invalid-input", `The patch moves ${moveTo} onto itself`, { hint: "Omit the move." });
  // Errors of a move or copy name the original file, because its lines must match.
  const plan = () => inFile(file.path, () => planMove(section, file, moveTo, read));
  return section.isCopy ? { path: moveTo, plan } : { path: moveTo, from: file.path, plan };
}

function planAdd({ lines, finalLineEnd, mode }: AddSection, path: string, read: ReadFile): FilePlan {
  if (read(path) !== undefined)
    throw exists(path, "Update it instead, or delete it first in a separate patch.");
  const placeholder = lines.find(isPlaceholder);
  if (placeholder !== undefined) {
    const message = `${path}: the new file contains a placeholder instead of code: ${placeholder.trim()}`;
    throw new ToolError("invalid-input", message, { hint: "Write the file out in full." });
  }
  const after = encodeUtf8(lines.join("\n") + (finalLineEnd && lines.length > 0 ? "\n" : ""));
  const change: Change = { firstLine: 1, removedLines: 0, addedLines: lines.length, tier: "exact" };
  return { action: "add", path, after, changes: lines.length > 0 ? [change] : [], notes: [], mode };
}

function planDelete({ lines }: DeleteSection, path: string, before: Uint8Array): FilePlan {
  const [source] = sourcesOf(path, before);
  const { count } = source!.lines;
  if (lines) refuseOtherContent(source!, lines);
  const change: Change = { firstLine: 1, removedLines: count, addedLines: 0, tier: "exact" };
  return { action: "delete", path, before, changes: count > 0 ? [change] : [], notes: [] };
}

function planUpdate(section: UpdateSection, path: string, before: Uint8Array): FilePlan {
  return { action: "update", path, before, ...updated(section, path, before), mode: section.mode };
}

function planMove(
  section: UpdateSection,
  { path: from, bytes: before }: { readonly path: string; readonly bytes: Uint8Array },
  path: string,
  read: ReadFile,
): FilePlan {
  const action = section.isCopy ? "copy" : "move";
  if (read(path) !== undefined)
    throw exists(path, `Delete it first in a separate patch, or ${action} ${from} to another path.`);
  return { action, path, from, before, ...updated(section, from, before), mode: section.mode };
}

function updated(
  { blocks }: UpdateSection,
  path: string,
  before: Uint8Array,
): { after: Uint8Array; changes: readonly Change[]; notes: readonly string[] } {
  if (blocks.length === 0) return { after: before, changes: [], notes: [] };
  const idle = blocks.find(({ runs }) => runs.length === 0);
  if (idle) throw changesNothing(path, idle.name);
  const { source, located } = locateBlocks(sourcesOf(path, before), blocks);
  const taught = indentationTaught(source, located);
  const splices = located.flatMap(({ block, match, tier }) => {
    refusePlaceholders(source, block, block.newLines.join("\n"));
    refuseDone(source, block, match);
    const made = rewrite(source, block, match, taught);
    if (made.length === 0) throw changesNothing(path, block.name);
    return made.map((splice) => ({ ...splice, name: block.name, tier }));
  });
  return {
    after: applySplices(before, source, splices),
    changes: changesOf(source, splices),
    notes: [
      ...located.flatMap(({ block, note }) => (note === undefined ? [] : [`${block.name}: ${note}`])),
      ...encodingNotes(source, splices),
    ],
  };
}

function refuseOtherContent(source: Source, lines: readonly string[]): void {
  const isSame =
    source.lines.count === lines.length &&
    lines.every((line, index) => trimTrailingBlanks(line) === trimTrailingBlanks(source.lines.text(index)));
  if (isSame) return;
  throw new ToolError("no-match", `${source.path} differs from the content that the diff deletes`, {
    hint: "Read the file again before you delete it.",
  });
}

function refuseClashes(paths: readonly string[]): void {
  const named = new Set<string>();
  for (const path of paths) {
    if (named.has(path)) {
      throw new ToolError("invalid-input", `Several sections change ${path}`, {
        hint: "Put all changes of a file into one section, or send them in separate calls.",
      });
    }
    named.add(path);
  }
  for (const path of paths) {
    for (let cut = path.lastIndexOf("/"); cut > 0; cut = path.lastIndexOf("/", cut - 1)) {
      const above = path.slice(0, cut);
      if (!named.has(above)) continue;
      throw new ToolError(
        "invalid-input",
        `${path} cannot be inside ${above}, which another section changes`,
        {
          hint: "Send the two sections in separate calls.",
        },
      );
    }
  }
}

function exists(path: string, hint: string): ToolError {
  return new ToolError("already-exists", `${path} already exists`, { hint });
}

/** Returns the existing file that one of the names means, also without a diff prefix, `./` or quotes. */
function findNamedFile(
  names: readonly string[],
  read: ReadFile,
): { path: string; bytes: Uint8Array } | undefined {
  for (const name of names) {
    for (const path of spellings(name)) {
      const bytes = read(path);
      if (bytes !== undefined) return { path, bytes };
    }
  }
  return undefined;
}

export function missing(path: string): ToolError {
  return new ToolError("not-found", `There is no file ${path}`, {
    hint: "Check the path, or create the file first.",
    details: { kind: "in-file", path },
  });
}
