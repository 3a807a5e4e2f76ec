import { randomBytes } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Confinement } from "../../../contract/confinement.ts";
import {
  EntryReader,
  type EntryRecord,
  linkAbove,
  openUpAbove,
} from "../../../engine/sandbox/entry-record.ts";
import type { HeldBack } from "../../../engine/sandbox/held-back.ts";
import { type HeldCommand, type HoldBack, openHoldBack } from "../../../engine/sandbox/hold-back.ts";
import { Quarantine } from "../../../engine/sandbox/quarantine.ts";
import { attempt } from "../../../system/attempt.ts";
import { isHash } from "../../../system/blob-store.ts";
import { makePrivateDirectory, namesIn } from "../../../system/directories.ts";
import { longAbandonedMs, newRecordName, ownerHasEnded } from "../../../system/process-identity.ts";
import { liesInside } from "../../../system/workspace-path.ts";
import { watchForBareRepository } from "../../git-repair.ts";
import { type GitProtection, repositoriesIn, repositoryBelow, repositoryOf } from "../../git-repositories.ts";
import { isInOneOf } from "../../real-paths.ts";
import { RepositoryWatch } from "../../repository-watch.ts";
import { recordFolders } from "../../restore-abandoned.ts";
import { rulesOf, type ScanResult, TreeScan } from "../../tree-scan.ts";
import { type Repair, Restoration } from "./restoration.ts";

/** The protected entries at the beginning of a command. */
interface RunRecord {
  readonly paths: readonly string[];
  readonly entries: readonly EntryRecord[];
  /** Paths without an entry, which are held back and not restored. */
  readonly absent: readonly string[];
  /** Directories that must not be moved, such as `.git`. */
  readonly held: readonly { readonly path: string; readonly identity: string }[];
}

/** The protection of one command, from before its start to its end. */
export interface Watch {
  /** Directories outside the workspace that git must write to commit. */
  readonly writable: readonly string[];
  /** Call it when the command runs. `kill` ends it. */
  watch(kill: () => void): void;
  /** Restores the changes so far, and keeps watching. Returns remarks. `isIdle`: see `PreparedLaunch`. */
  settle(isIdle: boolean): Promise<readonly string[]>;
  /** Call it when an idle command continues. */
  resume(): void;
  end(): Promise<readonly string[]>;
}

/**
 * Records entries that commands may read but not write, and restores them after the command, because Landlock cannot
 * protect them. While several commands run, in any process, the record of the first is used. After a crash the next
 * process restores the entries.
 */
export class Tripwire {
  readonly #workspace: string;
  /** The directories that are searched for moved directories. */
  readonly #around: readonly string[];
  readonly #records: string;
  readonly #contents: string;
  readonly #quarantine: Quarantine;
  readonly #holdBack: HoldBack;
  #reader = new EntryReader();
  readonly #tree: TreeScan;
  readonly #repositories: RepositoryWatch;

  /** `directory` is the state directory of the sandbox. Commands can also move entries to `writable`. */
  constructor(options: {
    readonly workspace: string;
    readonly directory: string;
    readonly writable?: readonly string[];
  }) {
    const { workspace, directory, writable = [] } = options;
    const { tripwire, quarantine, repositories } = recordFolders(directory);
    this.#workspace = workspace;
    this.#around = [workspace, ...writable];
    this.#records = join(tripwire, "runs");
    this.#contents = join(tripwire, "contents");
    this.#quarantine = new Quarantine({ folder: quarantine, workspace });
    this.#holdBack = openHoldBack({ workspace, directory });
    this.#tree = new TreeScan(workspace);
    this.#repositories = new RepositoryWatch({ workspace, folder: repositories });
    makePrivateDirectory(this.#records);
  }

  /** Records the entries. `scanOutside` scans the directories outside the workspace that the command may write. */
  async begin(
    confinement: Confinement,
    scanOutside: (options?: { readonly fresh: true }) => Promise<readonly ScanResult[]> = async () => [],
  ): Promise<Watch> {
    const outside = await scanOutside();
    const settled = this.settleAbandoned();
    const covered = await this.#tree.scan(rulesOf(confinement));
    const restoreBare = watchForBareRepository(this.#workspace);
    const scans = [covered, ...outside];
    const git = repositoriesIn(this.#workspace, covered.repositories);
    const plan = () =>
      this.#holdBack.plan({
        workspace: this.#workspace,
        repositories: covered.repositories,
        paths: git.parts.flatMap((part) => part.absent.map(({ path }) => path)),
        // The record has these.
        readOnly: [],
        confinement,
      });
    const planned = plan();
    const { absent } = planned.plan;
    const watched = protectedPaths(this.#workspace, scans, [...planned.existing, ...absent]);
    const earlier = this.#others();
    const { entries, isWhole } = this.#readKept(watched.paths);
    const held = watched.held.flatMap((path) => {
      const identity = identityOf(path);
      return identity === undefined ? [] : [{ path, identity }];
    });
    // A command that began in between may have changed entries, but its record shows them unchanged.
    const others = [...earlier, ...this.#others()];
    const record = others.reduceRight(withEarlier, { paths: watched.paths, absent, entries, held });
    const file = join(this.#records, newRecordName());
    writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
    renameSync(`${file}.new`, file);
    const check = this.#repositories.begin(allRepositories(scans));
    let command: HeldCommand | undefined = this.#holdBack.begin(planned.plan, confinement.isReadOnly);
    let resume: (() => void) | undefined;
    const guardRemarks: string[] = [];
    const guard = () => void guardRemarks.push(...[restoreBare()].filter((remark) => remark !== ""));
    const settle = async (isIdle: boolean) => {
      const taken = (isIdle ? command?.end() : command?.settle()) ?? [];
      if (isIdle) command = undefined;
      guard();
      const restored = [...taken, ...this.#settle(record), ...guardRemarks.splice(0)];
      const now = await this.#tree.scan(rulesOf(confinement), { fresh: true });
      const nowOutside = await scanOutside({ fresh: true });
      return [...restored, ...check.settle(allRepositories([now, ...nowOutside]))];
    };
    return {
      writable: watched.held.filter((path) => !liesInside(path, this.#workspace)),
      watch: (kill) => {
        resume = () => {
          if (command !== undefined) return;
          command = this.#holdBack.begin(plan().plan, confinement.isReadOnly);
          command.watch(kill, guard);
        };
        command?.watch(kill, guard);
      },
      resume: () => resume?.(),
      settle,
      end: async () => {
        const remarks = await settle(true);
        rmSync(file, { force: true });
        check.end();
        const unwatched = isWhole && covered.isWhole ? [] : [tooMany];
        return [...settled, ...planned.remarks, ...remarks, ...unwatched];
      },
    };
  }

  /** Removes the stored contents of protected files, which may be secrets, unless a command is still running. */
  close(): void {
    if (this.#names().length === 0) rmSync(this.#contents, { recursive: true, force: true });
  }

  /** Reads entries and stores their contents, again if another process has removed stored contents. */
  #readKept(paths: readonly string[]): ReturnType<EntryReader["read"]> {
    const read = this.#reader.read(paths, this.#keep);
    if (
      read.entries.every((entry) => entry.kind !== "file" || !isHash(entry.hash) || this.#isKept(entry.hash))
    )
      return read;
    this.#reader = new EntryReader();
    return this.#reader.read(paths, this.#keep);
  }

  #isKept(hash: string): boolean {
    return existsSync(join(this.#contents, hash));
  }

  /** Restores entries for commands whose Toolcrib process has ended. Returns remarks. */
  settleAbandoned(): readonly string[] {
    return this.#names().flatMap((name) => {
      if (!ownerHasEnded(name, 0, longAbandonedMs)) return [];
      const record = readRecord(join(this.#records, name));
      const remarks = record === undefined ? [] : this.#settle(record, this.#quarantine.afterCrash());
      rmSync(join(this.#records, name), { force: true });
      return remarks.map((remark) => `After a crash: ${remark}`);
    });
  }

  #others(): readonly RunRecord[] {
    return this.#names().flatMap((name) => readRecord(join(this.#records, name)) ?? []);
  }

  #names(): readonly string[] {
    return namesIn(this.#records)
      .filter((name) => !name.endsWith(".new"))
      .sort();
  }

  #settle(record: RunRecord, quarantine: Quarantine = this.#quarantine): readonly string[] {
    const { entries, held } = record;
    const paths = record.paths.filter((path) => !record.absent.includes(path));
    const parts = { reader: this.#reader, contents: this.#contents, quarantine };
    const restoration = new Restoration(entries, parts);
    const closeAgain = openUpAbove([...paths, ...held.map(({ path }) => path)], this.#workspace);
    try {
      const isLost = ({ path, identity }: RunRecord["held"][number]) => identityOf(path) !== identity;
      for (const one of held) {
        const isInAnother = held.some(
          (outer) => outer !== one && liesInside(one.path, outer.path) && isLost(outer),
        );
        if (isLost(one) && !isInAnother)
          restoration.moveBack(findMoved(this.#around, one.identity), one.path);
      }
      for (const path of paths) restoration.settle(path, this.#workspace);
    } finally {
      closeAgain();
    }
    return describeRepairs(restoration.repairs, restoration.taken, this.#workspace);
  }

  readonly #keep = (hash: string, content: Uint8Array): void => {
    if (this.#isKept(hash)) return;
    makePrivateDirectory(this.#contents);
    const temporary = join(this.#contents, newName());
    writeFileSync(temporary, content, { mode: 0o600 });
    renameSync(temporary, join(this.#contents, hash));
  };
}

function allRepositories(scans: readonly ScanResult[]): Pick<ScanResult, "repositories" | "bare"> {
  return {
    repositories: scans.flatMap(({ repositories }) => repositories),
    bare: scans.flatMap(({ bare }) => bare),
  };
}

const tooMany = "The workspace is too large to watch every protected file in it.";

/** Replaces entries of a record by those of an earlier one, which recorded them before they could change. */
function withEarlier(mine: RunRecord, other: RunRecord): RunRecord {
  const [own, theirs] = [new Set(mine.paths), new Set(other.paths)];
  const theirHeld = new Set(other.held.map(({ path }) => path));
  return {
    paths: mine.paths,
    absent: [...new Set([...mine.absent, ...(other.absent ?? []).filter((path) => own.has(path))])],
    entries: [
      ...mine.entries.filter(({ path }) => !isInOneOf(path, theirs)),
      ...other.entries.filter(({ path }) => isInOneOf(path, own)),
    ],
    held: [...mine.held.filter(({ path }) => !theirHeld.has(path)), ...other.held],
  };
}

/** Reads a record; undefined when its run has just ended. */
function readRecord(file: string): RunRecord | undefined {
  return attempt(() => JSON.parse(readFileSync(file, "utf8")));
}

function newName(): string {
  return `${new Date().toISOString().replace(/[:.]/g, "-")}-${randomBytes(3).toString("hex")}`;
}

/**
 * Returns the entries that a command must not change. `paths` may be missing, and none is inside another. `held` are
 * directories of repositories, which commits write to, but which must not be moved.
 */
function protectedPaths(
  workspace: string,
  covered: readonly ScanResult[],
  existing: readonly string[],
): { readonly paths: readonly string[]; readonly held: readonly string[] } {
  const own = repositoryOf(workspace);
  const nested = covered
    .flatMap(({ repositories }) => repositories)
    .filter((path) => path !== join(workspace, ".git") && !isLink(path))
    .map((path) => repositoryBelow(path, workspace));
  const known: readonly GitProtection[] = [...(own === undefined ? [] : [own]), ...nested];
  const held = new Set(known.flatMap((git) => git.held));
  const paths = new Set([
    ...covered.flatMap(({ readOnly }) => readOnly),
    ...covered.flatMap(({ hidden }) => hidden.map(({ path }) => path)),
    ...known.flatMap((git) => [...git.readOnly, ...git.absent.map(({ path }) => path)]),
    ...existing.filter((path) => !held.has(path)),
  ]);
  return {
    // A path behind a link is protected at its real path.
    paths: [...paths]
      .filter((path) => !isInOneOf(dirname(path), paths) && linkAbove(path, workspace) === undefined)
      .sort(),
    held: [...held],
  };
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== false;
}

/** Identifies a directory, even among later ones of the same name; undefined when it does not exist. */
function identityOf(path: string): string | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats?.isDirectory() === true ? [stats.dev, stats.ino, stats.birthtimeNs].join(":") : undefined;
}

/** Returns the path of a moved directory below `tops`; undefined when it is not found. */
function findMoved(tops: readonly string[], identity: string): string | undefined {
  const queue = [...tops];
  for (let next = 0; next < queue.length && next < mostDirectories; next++) {
    const entries = attempt(() => readdirSync(queue[next]!, { withFileTypes: true })) ?? [];
    for (const entry of entries.filter((child) => child.isDirectory())) {
      const path = join(queue[next]!, entry.name);
      if (identityOf(path) === identity) return path;
      if (entry.name !== ".git") queue.push(path);
    }
  }
  return undefined;
}

const mostDirectories = 20_000;

/** Describes repairs in remarks. `taken` are the entries that the command had left. */
function describeRepairs(
  repairs: readonly Repair[],
  taken: readonly HeldBack[],
  workspace: string,
): readonly string[] {
  const failed = repairs.filter(({ failure }) => failure !== undefined);
  const done = repairs.filter(({ failure }) => failure === undefined);
  const describe = (start: string, some: readonly Repair[]) => {
    if (some.length === 0) return [];
    const shown = some.slice(0, mostShown).map(({ path, what, failure }) => {
      return `${relative(workspace, path)} (${what}${failure ? `: ${failure}` : ""})`;
    });
    const more = some.length > mostShown ? ` and ${some.length - mostShown} more` : "";
    return [`${start}: ${shown.join(", ")}${more}.`];
  };
  return [
    ...describe("The command changed protected files that could NOT be restored; check them", failed),
    ...describe("The command changed protected files, which were restored", done),
    ...(taken.length > 0 ? ["The user can see the command's versions: toolcrib quarantine list."] : []),
  ];
}

const mostShown = 20;
