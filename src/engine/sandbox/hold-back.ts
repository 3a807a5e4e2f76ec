import {
  chmodSync,
  existsSync,
  type FSWatcher,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  type Stats,
  symlinkSync,
  unlinkSync,
  utimesSync,
  watch,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import type { Confinement } from "../../contract/confinement.ts";
import { matchSegment, parseSegments } from "../../lib/glob/glob-segment.ts";
import { realPathOf } from "../../sandbox/real-paths.ts";
import { recordFolders } from "../../sandbox/restore-abandoned.ts";
import { attempt, attemptQuietly, statsAt } from "../../system/attempt.ts";
import { inPrivateDirectory } from "../../system/directories.ts";
import { atPinnedPath, changeAt, contentAt, pinRealPath } from "../../system/pinned-path.ts";
import {
  longAbandonedMs,
  newRecordName,
  ownerHasEnded,
  removeRecord,
} from "../../system/process-identity.ts";
import { temporaryName } from "../../system/temporary-file.ts";
import { liesInside } from "../../system/workspace-path.ts";
import { type Accepted, accept, acceptedIn, forgetAccepted, recordsIn, stateOf } from "./accepted-changes.ts";
import { type HeldBack, ruleFor } from "./held-back.ts";
import { Quarantine } from "./quarantine.ts";

/** The paths to look at while one command runs, as they were before. Paths are absolute and without links. */
export interface HoldBackPlan {
  /** Paths without an entry, which the command must not create. */
  readonly absent: readonly string[];
  /** Directories in which it must not create entries of these names. */
  readonly folders: readonly FolderPlan[];
  /** Links, which the command must not replace, because they are protected at their targets. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** Protected files, which mounts keep from changing until the user replaces them. */
  readonly files: readonly FilePlan[];
  /** Protected paths that this command may write. */
  readonly mayWrite: readonly string[];
}

interface FolderPlan {
  readonly folder: string;
  /** Globs for one name. */
  readonly names: readonly string[];
  /** The entries with such names. */
  readonly had: readonly string[];
}

interface FilePlan {
  readonly path: string;
  readonly identity: string;
  readonly mode: number;
  readonly modifiedMs: number;
  /** In base64. */
  readonly content: string;
}

interface PlanRequest {
  readonly workspace: string;
  /** Every `.git` in the workspace: names that are protected at its top are protected beside these, too. */
  readonly repositories: readonly string[];
  /** Further paths that must not be created. */
  readonly paths: readonly string[];
  /** The protected entries that exist. */
  readonly readOnly: readonly string[];
  readonly confinement: Pick<Confinement, "absent" | "lifted" | "isReadOnly">;
}

interface Planned {
  readonly plan: HoldBackPlan;
  /** The protected entries that exist, also those behind links, without links. */
  readonly existing: readonly string[];
  readonly remarks: readonly string[];
}

function planHoldBack({ workspace, repositories, paths, readOnly, confinement }: PlanRequest): Planned {
  const { absent: names = [], lifted = [], isReadOnly = () => false } = confinement;
  const absent = new Set<string>();
  const existing = new Set<string>();
  const links = new Map<string, string>();
  const folders = new Map<string, string[]>();
  const see = (path: string, top: string) => {
    const found = locate(path, top);
    for (const link of found.links) links.set(link.path, link.target);
    if (liesInside(found.path, workspace)) (found.exists ? existing : absent).add(found.path);
  };
  const others = repositories.map((git) => dirname(git)).filter((top) => top !== workspace);
  const tooMany = others.slice(mostRepositories);
  for (const top of [workspace, ...others.slice(0, mostRepositories)]) {
    for (const { path: name, kind } of names) {
      const path = join(top, relative(workspace, name));
      if (kind === "names") {
        const folder = locate(dirname(path), top);
        // A new directory deeper inside is made as a whole, such as the `bin` of a virtual environment.
        const isShallow = relative(top, path).split("/").length <= 2;
        if (folder.exists || isShallow)
          folders.set(folder.path, [...(folders.get(folder.path) ?? []), basename(name)]);
      } else if (top === workspace || isReadOnly(path)) see(path, top);
    }
  }
  for (const path of paths) if (statsAt(path) === undefined && liesInside(path, workspace)) absent.add(path);
  const mounted = new Set([...readOnly, ...existing]);
  // A file stays protected by the mount of a directory around it, even when it is replaced.
  const files = [...mounted].filter((path) => !isBelowAny(path, mounted) && statsAt(path)?.isFile());
  const plan = {
    absent: [...absent].filter((path) => !isBelowAny(path, absent)),
    folders: Array.from(folders, ([folder, globs]) => ({
      folder,
      names: globs,
      had: namesMatching(folder, globs),
    })),
    links: Array.from(links, ([path, target]) => ({ path, target })),
    files: files.slice(0, mostFiles).flatMap((path) => fileAt(path) ?? []),
    mayWrite: lifted,
  };
  const remarks = tooMany
    .slice(0, 1)
    .map(
      (top) =>
        `Too many repositories: what commands create in ${tooMany.length} of them is not held back, among them ${relative(workspace, top)}.`,
    );
  return { plan, existing: [...existing], remarks };
}

// Each has about sixty paths to look at, every half second.
const mostRepositories = 100;

// Reading more files would make each command wait.
const mostFiles = 60;
const mostBytes = 256 * 1024;

function isBelowAny(path: string, paths: ReadonlySet<string>): boolean {
  const parent = dirname(path);
  return parent !== path && (paths.has(parent) || isBelowAny(parent, paths));
}

interface Located {
  readonly path: string;
  readonly exists: boolean;
  /** The links on the way. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
}

/** Follows links to where a path is, or would be. */
function locate(path: string, top: string, hopsLeft = 20): Located {
  const names = relative(top, path).split("/");
  let at = top;
  for (const [index, name] of names.entries()) {
    const next = join(at, name);
    const stats = statsAt(next);
    if (stats === undefined) return { path: join(next, ...names.slice(index + 1)), exists: false, links: [] };
    if (stats.isSymbolicLink()) {
      const target = attempt(() => readlinkSync(next)) ?? "";
      const link = { path: next, target };
      const goal = join(target.startsWith("/") ? target : join(at, target), ...names.slice(index + 1));
      if (hopsLeft === 0) return { path: goal, exists: true, links: [link] };
      const found = locate(goal, "/", hopsLeft - 1);
      return { ...found, links: [link, ...found.links.filter((one) => liesInside(one.path, top))] };
    }
    at = next;
  }
  return { path: at, exists: true, links: [] };
}

function namesMatching(folder: string, globs: readonly string[]): readonly string[] {
  const patterns = globs.flatMap((glob) => parseSegments(glob));
  const isMatch = (name: string) =>
    patterns.some((pattern) => pattern !== "**" && matchSegment(pattern, name));
  return (attempt(() => (existsSync(folder) ? readdirSync(folder) : [])) ?? []).filter(isMatch);
}

function fileAt(path: string): FilePlan | undefined {
  return atPinnedPath(path, (pinned) => {
    const stats = lstatSync(pinned, { throwIfNoEntry: false });
    const content = stats?.isFile() ? contentAt(pinned, mostBytes) : undefined;
    if (stats === undefined || content === undefined) return undefined;
    return {
      path,
      identity: identityOf(stats),
      mode: stats.mode & 0o7777,
      modifiedMs: stats.mtimeMs,
      content: Buffer.from(content).toString("base64"),
    };
  });
}

/** Differs for a file that was replaced, even by one that got the same inode. */
function identityOf({ dev, ino, birthtimeMs }: Stats): string {
  return `${dev}:${ino}:${birthtimeMs}`;
}

interface HoldBackOptions {
  readonly workspace: string;
  /** The folder for records of running commands, which all processes share. Created on first use. */
  readonly folder: string;
  readonly quarantine: Quarantine;
}

/**
 * Takes what commands create at protected paths, when they end and every half second while they run. A command cannot be
 * kept from creating them, because nothing can be mounted on a path that does not exist. Nothing is deleted: an entry
 * may be the user's, who allows it then.
 */
export class HoldBack {
  readonly #options: HoldBackOptions;
  /** The number of the plan in which each repository was new. */
  #seen: ReadonlyMap<string, number> = new Map();
  #plans = 0;

  constructor(options: HoldBackOptions) {
    this.#options = options;
  }

  /**
   * Looks at what exists before a command. When there are too many repositories, those that were found first count, then
   * the oldest, so that a command cannot displace them by creating others or by renaming old directories to `.git`.
   */
  plan(request: PlanRequest): Planned {
    const found = request.repositories.map((git) => ({
      git,
      seen: this.#seen.get(git) ?? this.#plans,
      born: statsAt(git)?.birthtimeMs ?? Date.now(),
    }));
    this.#plans += 1;
    this.#seen = new Map(found.map(({ git, seen }) => [git, seen]));
    found.sort((one, other) => one.seen - other.seen || one.born - other.born);
    return planHoldBack({ ...request, repositories: found.map(({ git }) => git) });
  }

  /** `isReadOnly` tells which entries of the planned names are protected; by default all. */
  begin(given: HoldBackPlan, isReadOnly: (path: string) => boolean = () => true): HeldCommand {
    const { folder } = this.#options;
    const plan = withPlanted(given, folder);
    const record = join(folder, newRecordName());
    inPrivateDirectory(folder, () => writeFileSync(record, JSON.stringify(plan), { mode: 0o600 }));
    return new HeldCommand(plan, { ...this.#options, record, isReadOnly });
  }

  /** Takes what commands have left whose Toolcrib process has ended. Returns remarks. */
  settleAbandoned(): readonly string[] {
    return recordsIn(this.#options.folder).flatMap((record) => {
      if (!ownerHasEnded(basename(record), 0, longAbandonedMs)) return [];
      const plan = readPlan(record);
      const quarantine = this.#options.quarantine.afterCrash();
      const parts = { ...this.#options, quarantine, record, isReadOnly: () => true };
      const remarks = plan === undefined ? [] : new HeldCommand(plan, parts).end();
      removeRecord(record);
      return remarks.map((remark) => `After a crash: ${remark}`);
    });
  }
}

export function openHoldBack({ workspace, directory }: Record<"workspace" | "directory", string>): HoldBack {
  const { held, quarantine } = recordFolders(directory);
  return new HoldBack({
    workspace,
    folder: held,
    quarantine: new Quarantine({ folder: quarantine, workspace }),
  });
}

/** Reads a record; undefined when its command has just ended, or its process died while it wrote. */
function readPlan(record: string): HoldBackPlan | undefined {
  return attempt(() => JSON.parse(readFileSync(record, "utf8")));
}

/** Adds what a running command has created at protected paths: it was not there before. */
function withPlanted(plan: HoldBackPlan, folder: string): HoldBackPlan {
  const others = recordsIn(folder);
  if (others.length === 0) return plan;
  const accepted = allowedBy(folder, others);
  const planted = others
    .flatMap((record) => readPlan(record)?.absent ?? [])
    .filter((path) => statsAt(path) !== undefined && !plan.mayWrite.includes(path))
    .filter((path) => withoutAccepted(path, accepted).length > 0);
  if (planted.length === 0) return plan;
  const absent = new Set([...plan.absent, ...planted]);
  return {
    ...plan,
    absent: [...absent],
    files: plan.files.filter(({ path }) => !absent.has(path) && !isBelowAny(path, absent)),
  };
}

/** Returns what file tools have changed while commands ran, and what the commands of `records` may change. */
function allowedBy(folder: string, records: readonly string[]): readonly Accepted[] {
  const lifted = records.flatMap((record) => readPlan(record)?.mayWrite ?? []);
  return [...acceptedIn(folder), ...lifted.map((path) => ({ path, state: undefined }))];
}

interface CommandOptions extends Omit<HoldBackOptions, "folder"> {
  readonly record: string;
  readonly isReadOnly: (path: string) => boolean;
}

/** One running command. */
export class HeldCommand {
  readonly #plan: HoldBackPlan;
  readonly #workspace: string;
  readonly #isReadOnly: (path: string) => boolean;
  readonly #record: string;
  readonly #quarantine: Quarantine;
  /** The paths at which nothing may be. */
  readonly #absent: Set<string>;
  readonly #files: Map<string, WatchedFile>;
  /** The states of the paths that this command may write. */
  readonly #before: ReadonlyMap<string, string | undefined>;
  /** How often an entry was taken from a path. */
  readonly #taken = new Map<string, number>();
  readonly #remarks: string[] = [];
  #watching: { stop(): void } | undefined;

  constructor(plan: HoldBackPlan, { workspace, record, quarantine, isReadOnly }: CommandOptions) {
    this.#plan = plan;
    this.#workspace = workspace;
    this.#isReadOnly = isReadOnly;
    this.#record = record;
    this.#quarantine = quarantine;
    this.#absent = new Set(plan.absent);
    this.#files = new Map(
      plan.files.map((file) => [file.path, { ...file, isMounted: true, state: undefined }]),
    );
    this.#before = new Map(plan.mayWrite.map((path) => [path, stateAt(path)]));
  }

  /**
   * Looks every half second, and at once when a file appears by which git obeys another directory. `kill` ends a command
   * that creates such a file, or does not stop. `also` is called each time.
   */
  watch(kill: () => void, also: () => void): void {
    const look = () => {
      const isObeyed = this.#obeyed().some((path) => statsAt(path) !== undefined);
      this.#hold();
      also();
      const isEndless = Array.from(this.#taken.values()).some((times) => times > mostTimes);
      if (!isObeyed && !isEndless) return;
      this.#remarks.push(isObeyed ? endedForGit : endedForLoop);
      this.#watching?.stop();
      kill();
    };
    // A timer has no caller to report to. The next look tries again.
    const lookQuietly = () => void attemptQuietly(look);
    const timer = setInterval(lookQuietly, everyMs);
    timer.unref();
    const watchers = this.#obeyed().flatMap((path) => watchFor(path, lookQuietly));
    this.#watching = {
      stop: () => {
        clearInterval(timer);
        for (const watcher of watchers) watcher.close();
      },
    };
  }

  /** Returns remarks about what was taken since the last call. */
  settle(): readonly string[] {
    const failed = this.#hold();
    return [...this.#remarks.splice(0), ...failed.map(notHeldBack)];
  }

  /** Whether a protected file was replaced, and this is known. */
  hasPutBack(path: string): boolean {
    return this.#files.get(path)?.isMounted === false;
  }

  end(): readonly string[] {
    this.#watching?.stop();
    const remarks = this.settle();
    this.forget();
    return remarks;
  }

  /** Ends without a look, when no command ran. */
  forget(): void {
    this.#watching?.stop();
    const folder = dirname(this.#record);
    removeRecord(this.#record);
    const others = recordsIn(folder);
    const changed = Array.from(this.#before).filter(([path, state]) => stateAt(path) !== state);
    const isWatched = ([path]: readonly [string, unknown]) =>
      others.some((record) => readPlan(record)?.absent.some((one) => liesInside(path, one)));
    if (others.length > 0)
      accept(
        folder,
        changed.filter(isWatched).map(([path]) => ({ path, state: undefined })),
      );
    else forgetAccepted(folder);
  }

  /** The paths by which git obeys another directory. */
  #obeyed(): readonly string[] {
    return this.#plan.absent.filter((path) => basename(path) === "commondir");
  }

  /** Takes what must not be there. Returns what could not be taken, and why. */
  #hold(): readonly string[] {
    const made = [...this.#new(), ...this.#replacedLinks()];
    const replaced = Array.from(this.#files.values()).filter(isReplaced);
    if (made.length === 0 && replaced.length === 0) {
      this.#putLinksBack();
      return [];
    }
    const folder = dirname(this.#record);
    const others = recordsIn(folder).filter((record) => record !== this.#record);
    const accepted = allowedBy(folder, others);
    const taken: HeldBack[] = [];
    const failed: string[] = [];
    const attemptToTake = (path: string, take: () => HeldBack | undefined) => {
      try {
        const held = take();
        if (held !== undefined) taken.push(held);
      } catch (error) {
        failed.push(`${path} (${(error as Error).message})`);
      }
    };
    for (const path of made.flatMap((one) => withoutAccepted(one, accepted)))
      attemptToTake(path, () => this.#take(path));
    for (const file of replaced) {
      if (withoutAccepted(file.path, accepted).length === 0) this.#follow(file);
      else attemptToTake(file.path, () => this.#putBack(file));
    }
    this.#remarks.push(...describe(taken, this.#workspace));
    this.#putLinksBack();
    return failed;
  }

  /** Returns entries at paths that must be free. */
  #new(): readonly string[] {
    const found = [...this.#absent].flatMap((path) => outermost(path));
    const inFolders = this.#plan.folders.flatMap(({ folder, names, had }) =>
      namesMatching(folder, names)
        .filter((name) => !had.includes(name) && this.#isReadOnly(join(folder, name)))
        .flatMap((name) => outermost(join(folder, name))),
    );
    return [...new Set([...found, ...inFolders])];
  }

  #replacedLinks(): readonly string[] {
    return this.#plan.links
      .filter(({ path, target }) => {
        const isThere = statsAt(path) !== undefined;
        return isThere && attempt(() => readlinkSync(path)) !== target;
      })
      .map(({ path }) => path);
  }

  /** Puts links back that were removed, because the protected files would be missing without them. */
  #putLinksBack(): void {
    for (const { path, target } of this.#plan.links) {
      if (statsAt(path) !== undefined || this.#absent.has(path)) continue;
      const isBack = attempt(() => atPinnedPath(path, (pinned) => symlinkSync(target, pinned) ?? true));
      const name = relative(this.#workspace, path);
      if (isBack) this.#remarks.push(`The link ${name} was removed while the command ran, and put back.`);
    }
  }

  #take(path: string): HeldBack | undefined {
    const parent = pinRealPath(dirname(path));
    if (parent === undefined) return undefined;
    try {
      const name = basename(path);
      if (lstatSync(parent.at(name), { throwIfNoEntry: false }) === undefined) return undefined;
      const held = changeAt(parent.at(name), () => this.#quarantine.take(parent, name, path));
      this.#taken.set(path, (this.#taken.get(path) ?? 0) + 1);
      return held;
    } finally {
      parent.close();
    }
  }

  /** Protects a file from now on as a file tool has left it. */
  #follow(file: WatchedFile): void {
    const now = fileAt(file.path);
    if (now === undefined) this.#files.delete(file.path);
    else this.#files.set(file.path, { ...now, isMounted: false, state: stateAt(file.path) });
  }

  /** Takes a file that has replaced a protected one, and puts the protected one back if its name is still free. */
  #putBack(file: WatchedFile): HeldBack | undefined {
    const held = this.#take(file.path);
    if (held === undefined) return undefined;
    const content = Buffer.from(file.content, "base64");
    const returned = atPinnedPath(file.path, (pinned) => {
      const temporary = join(dirname(pinned), temporaryName());
      writeFileSync(temporary, content, { flag: "wx", mode: 0o600 });
      try {
        chmodSync(temporary, file.mode);
        utimesSync(temporary, file.modifiedMs / 1000, file.modifiedMs / 1000);
        linkSync(temporary, pinned);
      } finally {
        unlinkSync(temporary);
      }
      return lstatSync(pinned);
    });
    if (returned === undefined) return held;
    // No mount protects this file in the command that runs, so each change of it counts.
    file.isMounted = false;
    file.identity = identityOf(returned);
    file.state = stateOf(returned);
    this.#quarantine.noteReturned(held, content);
    return { ...held, returned: "" };
  }
}

interface WatchedFile extends FilePlan {
  identity: string;
  /** Whether a mount keeps the command from changing it. */
  isMounted: boolean;
  /** The state of a file that was put back. */
  state: string | undefined;
}

/** Whether another file is at the path, or the one that was put back has changed. */
function isReplaced(file: WatchedFile): boolean {
  const stats = statsAt(file.path);
  if (stats === undefined) {
    // The user has removed it, because a mounted file cannot be removed inside. Another one may get its inode.
    file.identity = "missing";
    return false;
  }
  return file.isMounted ? identityOf(stats) !== file.identity : stateOf(stats) !== file.state;
}

function stateAt(path: string): string | undefined {
  const stats = statsAt(path);
  return stats && stateOf(stats);
}

/** Returns the entry at a path that must be free, or the link by which something is at it; none when it is free. */
function outermost(path: string): readonly string[] {
  if (statsAt(path) === undefined) return [];
  const parent = dirname(path);
  if (realPathOf(parent) === parent) return [path];
  for (let link = parent; link !== "/"; link = dirname(link))
    if (statsAt(link)?.isSymbolicLink() && realPathOf(dirname(link)) === dirname(link)) return [link];
  return [];
}

/** Returns what is at a path without what was accepted. */
function withoutAccepted(path: string, accepted: readonly Accepted[]): readonly string[] {
  const about = accepted.filter((one) => one.path === path || liesInside(path, one.path));
  if (about.some(({ state }) => state === undefined)) return [];
  const now = stateAt(path);
  if (about.some((one) => one.path === path && one.state === now)) return [];
  const isAround = accepted.some((one) => one.path !== path && liesInside(one.path, path));
  if (!isAround || statsAt(path)?.isDirectory() !== true) return [path];
  const names = attempt(() => readdirSync(path)) ?? [];
  return names.flatMap((name) => withoutAccepted(join(path, name), accepted));
}

function watchFor(path: string, look: () => void): readonly FSWatcher[] {
  const watcher = attempt(() => watch(dirname(path), { persistent: false }));
  // The folder may be removed, or the system may have no watch left. The timer still looks.
  watcher?.on("error", () => {});
  watcher?.on("change", (_, name) => {
    if (name === null || name === basename(path)) look();
  });
  return watcher === undefined ? [] : [watcher];
}

const everyMs = 500;

// A program that needs the file gives up sooner.
const mostTimes = 20;

const endedForGit =
  "The command was ended, because it created a file by which git would obey another directory.";
const endedForLoop = "The command was ended, because it created the same protected path again and again.";

function notHeldBack(what: string): string {
  return `A protected path was created and could NOT be held back: ${what}. Tell the user.`;
}

/** Describes what was taken, in one line for a model and the user. */
function describe(taken: readonly HeldBack[], workspace: string): readonly string[] {
  if (taken.length === 0) return [];
  const some = taken.slice(0, mostShown);
  const shown = some.map(({ path, id }) => `${relative(workspace, path)} (${id})`).join(", ");
  const more = taken.length > mostShown ? ` and ${taken.length - mostShown} more` : "";
  const rules = some.map((held) => ruleFor(held, workspace)).join(", ");
  const back = taken.some(({ returned }) => returned !== null) ? " The files from before are back." : "";
  return [
    `Held back, because editors, agents, shells or git would obey it: ${shown}${more}.${back} Only the user can allow it: toolcrib quarantine list. To allow it in every command, the rule is: ${rules}`,
  ];
}

const mostShown = 3;
