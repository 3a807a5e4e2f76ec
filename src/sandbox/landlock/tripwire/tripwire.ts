import { randomBytes } from "node:crypto";
import {
  type Dirent,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import type { AbsentPath, Confinement } from "../../../contract/confinement.ts";
import { isHash } from "../../../system/blob-store.ts";
import { makePrivateDirectory, namesIn } from "../../../system/directories.ts";
import { isGone, thisProcess } from "../../../system/process-identity.ts";
import { liesInside } from "../../../system/workspace-path.ts";
import { watchForBareRepository } from "../../git-repair.ts";
import { type GitProtection, repositoryBelow, repositoryOf } from "../../git-repositories.ts";
import { type ScanResult, TreeScan } from "../../tree-scan.ts";
import { EntryReader, type EntryRecord, linkOnTheWay, openUpAbove } from "./entry-record.ts";
import { Quarantine, type Repair, Restoration } from "./restoration.ts";

/** The protected entries as a command found them. */
interface RunRecord {
  readonly paths: readonly string[];
  readonly entries: readonly EntryRecord[];
  /** Directories that must not be moved, such as `.git`. */
  readonly held: readonly { readonly path: string; readonly identity: string }[];
}

/** From before one command to its end. */
export interface Watch {
  /** Directories outside the workspace that git must write to commit. */
  readonly writable: readonly string[];
  /** Restores what was changed so far, and keeps watching. Returns remarks. */
  settle(): readonly string[];
  end(): Promise<readonly string[]>;
}

interface TripwireOptions {
  readonly workspace: string;
  readonly directory: string;
  /** Other directories that commands can move things to. */
  readonly writable?: readonly string[];
}

/**
 * Protects what commands may read but not write, where their sandbox cannot: it records the entries before a command and
 * restores them afterwards. While several commands run, in any process, the record of the first counts. After a crash the
 * next process restores them.
 */
export class Tripwire {
  readonly #workspace: string;
  /** Where to look for directories that were moved. */
  readonly #around: readonly string[];
  readonly #records: string;
  readonly #contents: string;
  readonly #quarantineFolder: string;
  #reader = new EntryReader();
  readonly #tree: TreeScan;

  constructor({ workspace, directory, writable = [] }: TripwireOptions) {
    this.#workspace = workspace;
    this.#around = [workspace, ...writable];
    this.#records = join(directory, "runs");
    this.#contents = join(directory, "contents");
    this.#quarantineFolder = join(directory, "taken-back");
    this.#tree = new TreeScan(workspace);
    makePrivateDirectory(this.#records);
  }

  /** `outside`: scans of the directories outside the workspace that the command may write. */
  async begin(confinement: Confinement, outside: readonly ScanResult[] = []): Promise<Watch> {
    const settled = this.#settleAbandoned();
    const covered = await this.#tree.scan({
      isHidden: confinement.isHidden ?? never,
      isReadOnly: confinement.isReadOnly ?? never,
    });
    const bare = watchForBareRepository(this.#workspace);
    const places = protectedPlaces(this.#workspace, [covered, ...outside], confinement.absent ?? []);
    const earlier = this.#others();
    const { entries, isWhole } = this.#readKept(places.paths);
    const held = places.held.flatMap((path) => {
      const identity = identityOf(path);
      return identity === undefined ? [] : [{ path, identity }];
    });
    // A command that began in between may have changed entries already, but has recorded them before.
    const others = [...earlier, ...this.#others()];
    const record = others.reduceRight(asFoundBy, { paths: places.paths, entries, held });
    const file = join(this.#records, `${thisProcess()}.${randomBytes(6).toString("hex")}`);
    writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
    renameSync(`${file}.new`, file);
    const settle = () => [...this.#settle(record), ...[bare()].filter((told) => told !== "")];
    return {
      writable: places.held.filter((path) => !liesInside(path, this.#workspace)),
      settle,
      end: async () => {
        const remarks = settle();
        rmSync(file, { force: true });
        const unwatched = isWhole && covered.isWhole ? [] : [tooMany];
        return [...settled, ...remarks, ...unwatched];
      },
    };
  }

  /** Removes the stored contents of protected files, which may be secrets, unless a command still runs. */
  close(): void {
    if (this.#names().length === 0) rmSync(this.#contents, { recursive: true, force: true });
  }

  /** Another process may have closed, and removed contents that this one remembers as stored. */
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

  #settleAbandoned(): readonly string[] {
    return this.#names().flatMap((name) => {
      if (!isGone(name.split(".")[0] ?? "", 0, unseenMs)) return [];
      const record = readRecord(join(this.#records, name));
      const remarks = record === undefined ? [] : this.#settle(record);
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

  #settle(record: RunRecord): readonly string[] {
    const name = newName();
    const near = [...record.held.map(({ path }) => path).slice(0, 1), this.#workspace];
    const quarantine = new Quarantine({
      own: join(this.#quarantineFolder, name),
      near: near.map((path) => join(path, `.toolcrib-taken-back-${name}`)),
    });
    const { entries, paths, held } = record;
    const restoration = new Restoration({
      entries,
      reader: this.#reader,
      contents: this.#contents,
      quarantine,
    });
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
    return describeRepairs(restoration.repairs, quarantine.used, this.#workspace);
  }

  readonly #keep = (hash: string, content: Uint8Array): void => {
    if (this.#isKept(hash)) return;
    makePrivateDirectory(this.#contents);
    const temporary = join(this.#contents, newName());
    writeFileSync(temporary, content, { mode: 0o600 });
    renameSync(temporary, join(this.#contents, hash));
  };
}

const never = () => false;

const tooMany = "The workspace is too large to watch over every protected file in it.";

// Processes in other containers cannot be seen, and may run for days.
const unseenMs = 30 * 24 * 60 * 60 * 1000;

/** For the paths that another run has recorded, its record counts. */
function asFoundBy(mine: RunRecord, other: RunRecord): RunRecord {
  const [own, theirs] = [new Set(mine.paths), new Set(other.paths)];
  const theirHeld = new Set(other.held.map(({ path }) => path));
  return {
    paths: mine.paths,
    entries: [
      ...mine.entries.filter(({ path }) => !liesInOneOf(path, theirs)),
      ...other.entries.filter(({ path }) => liesInOneOf(path, own)),
    ],
    held: [...mine.held.filter(({ path }) => !theirHeld.has(path)), ...other.held],
  };
}

function readRecord(file: string): RunRecord | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    // Its run has just ended.
    return undefined;
  }
}

function newName(): string {
  return `${new Date().toISOString().replace(/[:.]/g, "-")}-${randomBytes(3).toString("hex")}`;
}

interface ProtectedPlaces {
  /** Entries, existing or not, that must not change. None lies in another. */
  readonly paths: readonly string[];
  /** Directories of repositories: commits write to them, but they must not be moved. */
  readonly held: readonly string[];
}

/** What a command must not change, in the workspace and in its repository. */
function protectedPlaces(
  workspace: string,
  covered: readonly ScanResult[],
  absent: readonly AbsentPath[],
): ProtectedPlaces {
  const own = repositoryOf(workspace);
  const nested = covered
    .flatMap(({ repositories }) => repositories)
    .filter((path) => path !== join(workspace, ".git") && !isLink(path))
    .map((path) => repositoryBelow(path, workspace));
  const known: readonly GitProtection[] = [...(own === undefined ? [] : [own]), ...nested];
  const held = new Set(known.flatMap((git) => git.held));
  const places = [
    ...covered.flatMap(({ readOnly }) => readOnly),
    ...covered.flatMap(({ hidden }) => hidden.map(({ path }) => path)),
    ...known.flatMap((git) => [...git.readOnly, ...git.absent.map(({ path }) => path)]),
    // A repository that exists is git's to write.
    ...absent.map(({ path }) => path).filter((path) => !held.has(path)),
  ];
  const paths = new Set(places);
  return {
    // A path behind a link is protected where it really is.
    paths: [...paths]
      .filter((path) => !liesInOneOf(dirname(path), paths) && linkOnTheWay(path, workspace) === undefined)
      .sort(),
    held: [...held],
  };
}

/** Whether `path` is one of these, or lies below one. */
function liesInOneOf(path: string, places: ReadonlySet<string>): boolean {
  return places.has(path) || (path !== "/" && liesInOneOf(dirname(path), places));
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== false;
}

/** Distinguishes a directory from every other, also from a later one; undefined when there is none. */
function identityOf(path: string): string | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats?.isDirectory() === true ? [stats.dev, stats.ino, stats.birthtimeNs].join(":") : undefined;
}

/** The path of a moved directory below one of these; undefined when it is not found. */
function findMoved(tops: readonly string[], identity: string): string | undefined {
  const queue = [...tops];
  for (let next = 0; next < queue.length && next < mostDirectories; next++) {
    for (const entry of directoriesIn(queue[next]!)) {
      const path = join(queue[next]!, entry.name);
      if (identityOf(path) === identity) return path;
      if (entry.name !== ".git") queue.push(path);
    }
  }
  return undefined;
}

const mostDirectories = 20_000;

function directoriesIn(path: string): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  } catch {
    return [];
  }
}

/** Remarks for the caller. `kept`: folders with what was found instead. */
function describeRepairs(
  repairs: readonly Repair[],
  kept: readonly string[],
  workspace: string,
): readonly string[] {
  const failed = repairs.filter(({ failure }) => failure !== undefined);
  const done = repairs.filter(({ failure }) => failure === undefined);
  const named = (some: readonly Repair[]) => {
    const shown = some
      .slice(0, mostShown)
      .map(
        ({ path, what, failure }) => `${relative(workspace, path)} (${what}${failure ? `: ${failure}` : ""})`,
      );
    return shown.join(", ") + (some.length > mostShown ? ` and ${some.length - mostShown} more` : "");
  };
  return [
    ...(failed.length === 0
      ? []
      : [`The command touched protected files that could NOT be put back, look at them: ${named(failed)}.`]),
    ...(done.length === 0
      ? []
      : [`The command touched protected files, which were put back as they were: ${named(done)}.`]),
    ...kept.map((folder) => `What was found instead is kept in ${folder}.`),
  ];
}

const mostShown = 20;
