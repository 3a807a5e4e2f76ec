import type { DirectoryEntry, Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type {
  LinkTarget,
  ListedDirectory,
  ListedEntry,
  ListedTree,
  ListWanted,
} from "../../contract/whole-operations.ts";
import { FileFilter } from "../../files/file-filter.ts";
import type { FileContext } from "../../files/list-files.ts";
import { isShown, type Visibility } from "../../files/visible-paths.ts";
import { TimeSlice } from "../../lib/async/time-slice.ts";
import { IgnoreChain } from "../../lib/ignore/ignore-chain.ts";
import { showSize } from "../../lib/text/format-quantity.ts";
import { showPath } from "../../lib/text/printable.ts";
import { findScope, pathInWorkspace } from "../search/scope.ts";

interface ListOptions extends Visibility {
  readonly depth: number;
  readonly limit: number;
  /** Selects the entries to list. Globs are relative to the start of the listing. */
  readonly filter: FileFilter;
}

export async function listAll(wanted: ListWanted, context: FileContext): Promise<ListedTree> {
  const { path = ".", depth = 2, limit = 1000, exclude = [], hidden = false, no_ignore = false } = wanted;
  const filter = new FileFilter({ globs: exclude.map((glob) => `!${glob}`) });
  const scope = await findScope(context.environment, path);
  return listTree(scope.path, { depth, limit, filter, hidden, ignoreFiles: !no_ignore }, context);
}

/**
 * Lists a directory level by level, so that a limit cuts the deepest levels. `start` is a real path relative to the
 * workspace.
 */
async function listTree(
  start: string,
  options: ListOptions,
  { environment, signal }: FileContext,
): Promise<ListedTree> {
  const timeSlice = new TimeSlice(signal);
  const chain = options.ignoreFiles ? await IgnoreChain.at(environment, start) : undefined;
  const root = unlisted(start || ".");
  const waiting: Waiting[] = [{ node: root, path: start, depth: 1, chainIn: async () => chain }];
  let left = options.limit;
  let isLimited = false;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    try {
      waiting.push(...(await list(next, left, { ...options, start }, environment)));
    } catch (error) {
      // Only the first directory must be readable. Others are shown as unreadable.
      if (next.node === root || !(error instanceof ToolError)) throw error;
      if (error.code === "denied") next.node.isUnreadable = true;
      else if (!isMissing(error)) throw error;
    }
    left -= next.node.entries?.length ?? 0;
    isLimited ||= next.node.beyondLimit > 0;
    if (timeSlice.isOver) await timeSlice.next();
  }
  return { root, shown: options.limit - left, isLimited };
}

type Filling<Listed> = { -readonly [Field in keyof Listed]: Listed[Field] };

/** A directory that is not listed yet. */
interface Waiting {
  readonly node: Filling<ListedDirectory>;
  readonly path: string;
  readonly depth: number;
  /** Returns the ignore rules in the directory, given its entries. */
  readonly chainIn: (...opened: Parameters<IgnoreChain["in"]>) => Promise<IgnoreChain | undefined>;
}

function unlisted(name: string): Filling<ListedDirectory> {
  return { kind: "directory", name, entries: undefined, beyondLimit: 0, notShown: 0, isUnreadable: false };
}

/** Fills the node and returns the subdirectories to list next. */
async function list(
  { node, path, depth, chainIn }: Waiting,
  limit: number,
  options: ListOptions & { readonly start: string },
  environment: Environment,
): Promise<Waiting[]> {
  const directory = await environment.openDirectory(path || ".");
  try {
    const all = await directory.entries();
    const chain = await chainIn(directory, all);
    const pathOf = (name: string) => (path === "" ? name : `${path}/${name}`);
    const cut = options.start === "" ? 0 : options.start.length + 1;
    const visible = all.filter(({ name, kind }) => {
      const isDirectory = kind === "directory";
      const below = pathOf(name).slice(cut);
      if (!(isDirectory ? options.filter.enters(below) : options.filter.takes(below))) return false;
      return isShown({ path: pathOf(name), name, kind: isDirectory ? kind : "file" }, chain, options);
    });
    const entries: ListedEntry[] = [];
    const below: Waiting[] = [];
    for (const { name, kind } of visible.sort(byName).slice(0, limit)) {
      if (kind === "directory") {
        const child = unlisted(name);
        entries.push(child);
        const chainInChild: Waiting["chainIn"] = async (...opened) => chain?.in(...opened);
        below.push({ node: child, path: pathOf(name), depth: depth + 1, chainIn: chainInChild });
      } else if (kind === "link") {
        entries.push({ kind, name, target: await targetOf(pathOf(name), environment) });
      } else {
        const info = await directory.info(name).catch(ignoreMissing);
        if (info !== undefined || name.includes(replacement))
          entries.push({ kind, name, bytes: info?.bytes });
      }
    }
    node.entries = entries;
    node.notShown = all.length - visible.length;
    node.beyondLimit = Math.max(0, visible.length - limit);
    return depth < options.depth ? below : [];
  } finally {
    directory.close();
  }
}

/** Bytes of a name that are not UTF-8 are decoded as this character. */
const replacement = "\uFFFD";

function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof ToolError) || !isMissing(error)) throw error;
}

/** Returns whether an entry that was listed is now missing or something else. */
function isMissing({ code }: ToolError): boolean {
  return ["not-found", "unsupported", "outside-workspace", "stale"].includes(code);
}

async function targetOf(path: string, environment: Environment): Promise<LinkTarget> {
  try {
    const target = pathInWorkspace(await environment.realPath(path), environment);
    // A link whose target is its own path cannot be read.
    return target === undefined || target === path ? { astray: "unreachable" } : { path: target || "." };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    if (error.code === "outside-workspace") return { astray: "outside" };
    return { astray: isCircle(error.cause) ? "circle" : "unreachable" };
  }
}

function isCircle(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "ELOOP";
}

function byName(one: DirectoryEntry, other: DirectoryEntry): number {
  return one.name < other.name ? -1 : one.name > other.name ? 1 : 0;
}

/** Shows a listing with one entry per line, indented by depth. */
export function showTree(root: ListedDirectory): string {
  const lines = showEntries(root, "");
  return lines.length > 0 ? lines.join("\n") : "[The directory is empty.]";
}

function showEntries(directory: ListedDirectory, indent: string): string[] {
  const lines = (directory.entries ?? []).flatMap((entry) => showEntry(entry, indent));
  const leftOut = [
    ...(directory.beyondLimit > 0 ? [`${directory.beyondLimit} more`] : []),
    ...(directory.notShown > 0 ? [`${directory.notShown} hidden or ignored`] : []),
  ];
  return leftOut.length > 0 ? [...lines, `${indent}[${leftOut.join(", ")}]`] : lines;
}

function showEntry(entry: ListedEntry, indent: string): string[] {
  const name = indent + showPath(entry.name);
  switch (entry.kind) {
    case "directory": {
      const note = entry.isUnreadable ? "  [no permission]" : "";
      return [`${name}/${note}`, ...showEntries(entry, `${indent}  `)];
    }
    case "link":
      return [`${name} -> ${showTarget(entry.target)}`];
    case "other":
      return [`${name}  [FIFO, device or socket]`];
    case "file":
      return [`${name}${entry.bytes === undefined ? "" : `  ${showSize(entry.bytes)}`}`];
  }
}

function showTarget(target: LinkTarget): string {
  return "path" in target ? showPath(target.path) : `[${ways[target.astray]}]`;
}

const ways = {
  outside: "outside the workspace",
  circle: "circular link",
  unreachable: "broken link",
} as const;
