import { lstatSync, readdirSync, readlinkSync, type Stats } from "node:fs";
import type { IgnoreFileOutside } from "../../../contract/environment.ts";
import {
  type Contents,
  figure,
  type LeftOut,
  type Snapshot,
  type SnapshotOptions,
  typeBits,
} from "../../../contract/snapshot.ts";
import { TimeSlice } from "../../../lib/async/time-slice.ts";
import { isExhaustion } from "../../../lib/exhaustion.ts";
import {
  type IgnoreFileName,
  IgnoreLevels,
  ignoreLevel,
  outsideLevel,
} from "../../../lib/ignore/ignore-rules.ts";
import { errnoOf, LeadsOutside } from "../../../system/file-errors.ts";
import type { PinnedDirectory, Pinning } from "../../../system/pinning.ts";
import { isTemporaryName } from "../../../system/temporary-file.ts";
import { withSlash } from "../../../system/workspace-path.ts";
import { PackedContents } from "../../directory-contents.ts";
import { pathsIn } from "../../entry-columns.ts";
import { IgnoredBudget, namesBelow, SnapshotColumns, smallFileBytes } from "../../snapshot-columns.ts";
import { readSmallFile } from "../files/read-file.ts";
import { type Entering, Frame } from "./frame.ts";
import { isSystem, KnownNames } from "./known-names.ts";
import { repositoryAbove, repositoryIn } from "./repository.ts";
import {
  MustLookAgain,
  requireSameRules,
  sameDirectory,
  type Taken,
  takeAgain,
  type Unchanged,
} from "./unchanged.ts";

/**
 * Implements Environment.snapshot. Directories are pinned one after the other, so that no link is entered. The calls
 * are synchronous, which is as fast as many concurrent calls and uses only one core.
 */
export async function takeSnapshot(
  pinning: Pinning,
  outside: readonly IgnoreFileOutside[],
  options: SnapshotOptions,
  unchanged?: Unchanged,
): Promise<Taken> {
  if (unchanged?.changed.size === 0) return takeAgain(pinning, unchanged);
  const timeSlice = new TimeSlice(options.signal);
  const walk = new Walk(pinning, options, unchanged);
  try {
    walk.start(
      new IgnoreLevels(
        outside.map(outsideLevel).filter(({ files }) => !files.has(".ignore") && !files.has(".rgignore")),
      ),
    );
    while (walk.step()) if (timeSlice.isOver) await timeSlice.next();
    return walk.done();
  } finally {
    walk.close();
  }
}

class Walk {
  readonly columns: SnapshotColumns;
  readonly #pinning: Pinning;
  readonly #prefix: string;
  readonly #without: ReadonlySet<string>;
  readonly #like: Snapshot | undefined;
  readonly #likeSkipped: ReadonlyMap<string, LeftOut>;
  readonly #known: KnownNames;
  readonly #open: Frame[] = [];
  readonly #ignored: IgnoredBudget;
  readonly #unchanged: Unchanged | undefined;
  readonly #earlier: Snapshot | undefined;
  readonly #earlierContents: PackedContents | undefined;
  /** The directories that may have changed, and those above them. */
  readonly #onTheWay: ReadonlySet<string>;
  readonly #repositories: ReadonlySet<string>;
  readonly #read: string[] = [];
  readonly #linked: number[] = [];
  readonly #knownLinks: ReadonlySet<number>;
  #isPlain = true;

  constructor(
    pinning: Pinning,
    { without = [], like, known, ignored }: SnapshotOptions,
    unchanged: Unchanged | undefined,
  ) {
    this.#pinning = pinning;
    this.#prefix = withSlash(pinning.root);
    this.columns = new SnapshotColumns(unchanged?.snapshot ?? like ?? known);
    this.#like = like;
    this.#likeSkipped = skippedIn(like);
    this.#without = namesBelow(this.#prefix, without);
    this.#unchanged = unchanged;
    this.#earlier = unchanged?.snapshot;
    this.#earlierContents = this.#earlier && PackedContents.from(this.#earlier.contents);
    this.#onTheWay = new Set(Array.from(unchanged?.changed ?? [], (path) => withParents(path)).flat());
    const repositories = this.#earlier?.repositories.filter(({ prefix }) => prefix === "");
    this.#repositories = new Set(repositories?.map(({ path }) => path));
    const inodeAt = (place: number) => this.#earlier!.entries.figureAt(place, figure.inode);
    this.#knownLinks = new Set(unchanged?.linked.map(inodeAt));
    this.#known = new KnownNames(unchanged === undefined ? known : undefined);
    this.#ignored = unchanged?.budget ?? new IgnoredBudget(ignored);
  }

  done(): Taken {
    const { columns } = this;
    const earlier = this.#earlier;
    if (earlier !== undefined) {
      const newPlace = columns.newPlaces();
      for (const [place, why] of earlier.leftOut) {
        const now = newPlace(place);
        if (now !== undefined && !columns.leftOut.has(now)) columns.leftOut.set(now, why);
      }
      for (const [place, target] of earlier.targets) {
        const now = newPlace(place);
        if (now !== undefined) columns.targets.set(now, target);
      }
      for (const place of this.#unchanged!.linked) {
        const now = newPlace(place);
        if (now !== undefined) this.#linked.push(now);
      }
    }
    const snapshot = columns.done(earlier);
    const isPlain = this.#isPlain && this.#unchanged?.isPlain !== false;
    return { snapshot, read: this.#read, linked: this.#linked, budget: this.#ignored, isPlain };
  }

  /** Whether the snapshot to be repeated has entered or skipped a directory. */
  #isDecided(path: string): boolean {
    return this.#like?.contents.has(path) === true || this.#likeSkipped.has(path);
  }

  start(levels: IgnoreLevels): void {
    const { root } = this.#pinning;
    const above = repositoryAbove(root);
    if (above !== undefined) this.columns.repositories.push(above);
    const frame = new Frame(
      () => this.#pinning.pin(root),
      "",
      () => false,
    );
    this.#enter(frame, { place: -1, stats: lstatSync(root), earlier: -1 }, () => levels);
  }

  /** Scans one directory; false when none is left. */
  step(): boolean {
    const frame = this.#open.at(-1);
    if (frame === undefined) return false;
    const next = frame.waiting.pop();
    if (next === undefined) {
      this.#open.pop()?.close();
      return true;
    }
    if (this.#shareTree(next)) return true;
    const name = nameOf(next.path);
    const child = new Frame(() => frame.directory.child(name), next.path, next.isIgnored);
    try {
      this.#enter(child, next, () => frame.levels);
    } catch (error) {
      child.close();
      if (isExhaustion(error) || error instanceof MustLookAgain) throw error;
      if (!(error instanceof LeadsOutside) && errnoOf(error) === undefined) throw error;
      // After any other error, the directory is missing or a link.
      if (isForbidden(error)) this.columns.leftOut.set(next.place, "unreadable");
    }
    return true;
  }

  close(): void {
    for (const frame of this.#open.splice(0)) frame.close();
  }

  #enter(frame: Frame, { place, stats: seen, earlier }: Entering, above: () => IgnoreLevels): void {
    const range = earlier === undefined ? undefined : this.#earlier?.contents.get(frame.path);
    if (range !== undefined && !this.#unchanged!.changed.has(frame.path)) {
      this.#share(frame, place, range, above);
      return;
    }
    const at = this.#prefix + (frame.path === "" ? "" : `${frame.path}/`);
    const stats = seen ?? lstatSync(this.#prefix + frame.path);
    if (seen === undefined) this.#refresh(place, earlier, stats);
    const known = this.#known.in(frame.path, stats, at);
    const names = known ? known.map(nameOf) : readdirSync(frame.directory.at("."));
    this.#read.push(frame.path);
    // A directory that the earlier snapshot entered is entered again, because the two are compared.
    if (frame.isIgnored && !this.#within(this.#ignored.takes(names.length))) {
      this.#isPlain = this.#isPlain && !this.#isDecided(frame.path);
      if (!this.#isDecided(frame.path)) {
        this.columns.leftOut.set(place, "ignored");
        frame.close();
        return;
      }
    }
    if (range !== undefined) requireSameRules(this.#earlier!, at, range, names);
    if (names.includes(".git")) this.#addRepository(frame.path);
    frame.readLevels = () => above().with(this.#readLevel(frame, names));
    const first = this.columns.next;
    for (const [index, name] of names.entries()) {
      if (name.startsWith(".") && isTemporaryName(name)) continue;
      const absolute = at + name;
      // Using the handle instead of the path would take a fifth longer. An attacker who swaps the directory for a link
      // right now could only cause a stat of another file of the same name.
      const found = lstatSync(absolute, ifThere);
      const path = known?.[index] ?? absolute.slice(this.#prefix.length);
      if (found === undefined) this.#missing(path);
      else this.#take(frame, path, found, { device: stats.dev, range });
    }
    frame.confirm();
    this.columns.setContents(frame.path, place, first);
    frame.waiting.reverse();
    this.#open.push(frame);
  }

  #take(frame: Frame, path: string, stats: Stats, { device, range }: Surroundings): void {
    const type = stats.mode & typeBits.all;
    if (this.#without.has(path)) return;
    if (type === typeBits.directory) {
      const isIgnored = frame.isIgnored || frame.levels.decide(path, "directory") === "ignore";
      const plain = this.#whyNotEntered(path, stats, device, isIgnored);
      const why = this.#isDecided(path) ? this.#likeSkipped.get(path) : plain;
      this.#isPlain = this.#isPlain && why === plain;
      const place = this.columns.add(path, stats);
      const earlier = range && sameDirectory(this.#earlier!, path, stats);
      if (why === undefined) frame.waiting.push({ place, path, stats, earlier, isIgnored: () => isIgnored });
      else this.columns.leftOut.set(place, why);
    } else if (type === typeBits.link) {
      const target = targetOf(frame.directory, nameOf(path));
      if (target === undefined) return;
      const place = this.columns.add(path, stats);
      this.columns.targets.set(place, target);
      if (stats.nlink > 1) this.#addLinked(place, stats.ino);
    } else {
      const place = this.columns.add(path, stats);
      if (stats.nlink > 1) this.#addLinked(place, stats.ino);
      const isIgnored =
        frame.isIgnored || (stats.size > smallFileBytes && frame.levels.decide(path, "file") === "ignore");
      if (isIgnored && !this.#within(this.#ignored.stores(stats.size)))
        this.columns.leftOut.set(place, "ignored");
    }
  }

  /** Adds a directory with an unchanged list of entries, whose subdirectories may have changed. */
  #share(frame: Frame, place: number, range: Contents, above: () => IgnoreLevels): void {
    const earlier = this.#earlier!;
    const first = this.columns.next;
    if (this.#repositories.has(frame.path)) this.#addRepository(frame.path);
    this.columns.share(earlier, range.first, range.end);
    this.columns.setContents(frame.path, place, first);
    frame.readLevels = () => {
      const names = pathsIn(earlier.entries, range).map(nameOf);
      return above().with(this.#readLevel(frame, names));
    };
    for (let from = range.end - 1; from >= range.first; from -= 1) {
      if ((earlier.entries.figureAt(from, figure.mode) & typeBits.all) !== typeBits.directory) continue;
      if (earlier.leftOut.has(from)) continue;
      const path = earlier.entries.pathAt(from);
      const isIgnored = () => frame.isIgnored || frame.levels.decide(path, "directory") === "ignore";
      frame.waiting.push({
        place: first + from - range.first,
        path,
        stats: undefined,
        earlier: from,
        isIgnored,
      });
    }
    this.#open.push(frame);
  }

  /** Adds everything below a directory without changes. Returns false when something may have changed. */
  #shareTree({ path, place, earlier: from }: Entering & { readonly path: string }): boolean {
    if (from === undefined || this.#onTheWay.has(path)) return false;
    const contents = this.#earlierContents;
    const range = contents?.below(path);
    if (contents === undefined || range === undefined) return false;
    const { directories, numbers } = contents;
    const first = numbers[range.start * 3 + 1]!;
    const offset = this.columns.next - first;
    this.columns.share(this.#earlier!, first, numbers[range.end * 3 - 1]!);
    this.columns.shareContents(contents, range, { place, offset });
    // The repositories are in the order of the scan.
    for (const repository of this.#repositories) {
      const index = directories.indexes.get(repository);
      if (index !== undefined && index >= range.start && index < range.end) this.#addRepository(repository);
    }
    return true;
  }

  /** Updates the figures of a directory whose entries have changed. */
  #refresh(place: number, earlier: number | undefined, stats: Stats): void {
    const isSame =
      earlier !== undefined && this.#earlier!.entries.figureAt(earlier, figure.inode) === stats.ino;
    if (!stats.isDirectory() || !isSame) throw new MustLookAgain();
    this.columns.replace(place, stats);
  }

  /** Another name of a new link may be in an unchanged directory. */
  #addLinked(place: number, inode: number): void {
    this.#linked.push(place);
    if (this.#unchanged !== undefined && !this.#knownLinks.has(inode)) throw new MustLookAgain();
  }

  /** A budget that is used up leaves out other entries than before. */
  #within(isWithin: boolean): boolean {
    if (!isWithin && this.#unchanged !== undefined) throw new MustLookAgain();
    return isWithin;
  }

  #addRepository(path: string): void {
    const tree = path === "" ? this.#pinning.root : this.#prefix + path;
    this.columns.repositories.push(repositoryIn(tree, path));
  }

  #whyNotEntered(path: string, stats: Stats, device: number, isIgnored: boolean): LeftOut | undefined {
    if (path === ".git" || path.endsWith("/.git")) return "repository";
    if (isIgnored && !this.#ignored.enters(nameOf(path))) return "ignored";
    return stats.dev !== device && isSystem(this.#prefix + path) ? "system" : undefined;
  }

  /** Adds an entry that was not found because its name is not valid UTF-8. Other missing entries no longer exist. */
  #missing(path: string): void {
    if (path.includes("\ufffd"))
      this.columns.leftOut.set(this.columns.add(path, unknownFigures), "unreadable");
  }

  #readLevel(frame: Frame, names: readonly string[]) {
    const { path } = frame;
    const texts = new Map<IgnoreFileName, string>();
    const take = (name: IgnoreFileName, text: string | undefined) =>
      text !== undefined && texts.set(name, text);
    const isRepository = names.includes(".git");
    if (isRepository) take("exclude", readSmallFile(frame.directory.at(".git/info/exclude"))?.toString());
    if (names.includes(".gitignore")) take(".gitignore", readRules(frame.directory, ".gitignore"));
    return ignoreLevel(path, texts, isRepository);
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Returns a path and the paths of all directories above it. */
function withParents(path: string): string[] {
  const paths = [path, ""];
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1))
    paths.push(path.slice(0, end));
  return paths;
}

/** Returns the directories that a snapshot has skipped. */
function skippedIn(snapshot: Snapshot | undefined): ReadonlyMap<string, LeftOut> {
  const skipped = new Map<string, LeftOut>();
  for (const [place, why] of snapshot?.leftOut ?? [])
    if ((snapshot!.entries.figureAt(place, figure.mode) & typeBits.all) === typeBits.directory)
      skipped.set(snapshot!.entries.pathAt(place), why);
  return skipped;
}

const ifThere = { throwIfNoEntry: false } as const;

const unknownFigures = { mode: 0, size: 0, mtimeMs: 0, ctimeMs: 0, ino: 0, dev: 0 };

/** Reads an ignore file. Like git, it does not follow a link. */
function readRules(directory: PinnedDirectory, name: string): string | undefined {
  const stats = lstatSync(directory.at(name), { throwIfNoEntry: false });
  return stats?.isFile() ? readSmallFile(directory.at(name))?.toString() : undefined;
}

/** Returns the target of a link; undefined when the entry is no longer a link. */
function targetOf(directory: PinnedDirectory, name: string): string | undefined {
  try {
    return readlinkSync(directory.at(name));
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

function isForbidden(error: unknown): boolean {
  return ["EACCES", "EPERM", "ENAMETOOLONG", "EIO"].includes(errnoOf(error) ?? "");
}

interface Surroundings {
  readonly device: number;
  /** The entries of the directory in the earlier snapshot. */
  readonly range: Contents | undefined;
}
