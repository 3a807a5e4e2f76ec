import type { DirectoryEntry, Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { IgnoreChain } from "../search/ignore-chain.ts";
import { Turn } from "../search/turn.ts";
import { isShown, type Visibility } from "../search/visibility.ts";

export type ListedEntry = ListedFile | ListedLink | ListedDirectory;

interface ListedFile {
  /** `other`: a FIFO, device or socket. */
  readonly kind: "file" | "other";
  readonly name: string;
  readonly bytes: number;
}

interface ListedLink {
  readonly kind: "link";
  readonly name: string;
  /** Where it leads, relative to the workspace; undefined when that is outside. */
  readonly target: string | undefined;
}

export interface ListedDirectory {
  readonly kind: "directory";
  readonly name: string;
  /** What is shown of it, in the order of names; undefined when it lies deeper than was asked for, or cannot be read. */
  readonly entries: readonly ListedEntry[] | undefined;
  /** Entries that the limit left out. */
  readonly beyondLimit: number;
  /** Entries left out because they are hidden or ignored. */
  readonly notShown: number;
  readonly isUnreadable: boolean;
}

export interface ListOptions extends Visibility {
  readonly depth: number;
  readonly limit: number;
}

/**
 * Lists level by level, so that a limit cuts the depths and not the neighbours. `start` is relative to the workspace
 * and free of links, "" for the workspace itself.
 */
export async function listTree(
  start: string,
  options: ListOptions,
  { environment, signal }: ToolContext,
): Promise<{ readonly root: ListedDirectory; readonly shown: number; readonly isLimited: boolean }> {
  const turn = new Turn(signal);
  const chain = options.ignoreFiles ? await IgnoreChain.at(environment, start) : undefined;
  const root = unlisted(start || ".");
  const waiting: Waiting[] = [{ node: root, path: start, depth: 1, chainIn: async () => chain }];
  let left = options.limit;
  let isLimited = false;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    try {
      waiting.push(...(await list(next, left, options, environment)));
    } catch (error) {
      // The first must be readable; deeper ones are shown as they are.
      if (next.node === root || !(error instanceof ToolError)) throw error;
      next.node.isUnreadable = true;
    }
    left -= next.node.entries?.length ?? 0;
    isLimited ||= next.node.beyondLimit > 0;
    if (turn.isOver) await turn.next();
  }
  return { root, shown: options.limit - left, isLimited };
}

type Filling<Listed> = { -readonly [Field in keyof Listed]: Listed[Field] };

/** A directory whose turn has not come. */
interface Waiting {
  readonly node: Filling<ListedDirectory>;
  readonly path: string;
  readonly depth: number;
  /** What ignore files say in it, given what is in it. */
  readonly chainIn: (...opened: Parameters<IgnoreChain["in"]>) => Promise<IgnoreChain | undefined>;
}

function unlisted(name: string): Filling<ListedDirectory> {
  return { kind: "directory", name, entries: undefined, beyondLimit: 0, notShown: 0, isUnreadable: false };
}

/** Fills the node; answers with the directories in it that are to be listed, too. */
async function list(
  { node, path, depth, chainIn }: Waiting,
  limit: number,
  options: ListOptions,
  environment: Environment,
): Promise<Waiting[]> {
  const directory = await environment.openDirectory(path || ".");
  try {
    const all = await directory.entries();
    const chain = await chainIn(directory, all);
    const pathOf = (name: string) => (path === "" ? name : `${path}/${name}`);
    const visible = all.filter(({ name, kind }) => {
      const isDirectory = kind === "directory";
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
        entries.push({ kind, name, bytes: (await directory.info(name)).bytes });
      }
    }
    node.entries = entries;
    node.notShown = all.length - visible.length;
    node.beyondLimit = visible.length - entries.length;
    return depth < options.depth ? below : [];
  } finally {
    directory.close();
  }
}

async function targetOf(path: string, environment: Environment): Promise<string | undefined> {
  try {
    return (await environment.realPath(path)).slice(environment.workspace.length + 1) || ".";
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

function byName(one: DirectoryEntry, other: DirectoryEntry): number {
  return one.name < other.name ? -1 : one.name > other.name ? 1 : 0;
}
