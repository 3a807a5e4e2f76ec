import { lstatSync, readdirSync, readlinkSync, type Stats } from "node:fs";
import type { IgnoreFileOutside } from "../../../contract/environment.ts";
import { type LeftOut, type Snapshot, type SnapshotOptions, typeBits } from "../../../contract/snapshot.ts";
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
import {
  directoriesOf,
  IgnoredBudget,
  namesBelow,
  SnapshotColumns,
  smallFileBytes,
} from "../../snapshot-columns.ts";
import { readSmallFile } from "../files/read-file.ts";
import { isSystem, KnownNames } from "./known-names.ts";
import { repositoryAbove, repositoryIn } from "./repository.ts";

/**
 * Implements Environment.snapshot. Directories are pinned one after the other, so that no link is entered. The calls
 * are synchronous, which is as fast as many concurrent calls and uses only one core.
 */
export async function takeSnapshot(
  pinning: Pinning,
  outside: readonly IgnoreFileOutside[],
  options: SnapshotOptions,
): Promise<Snapshot> {
  const timeSlice = new TimeSlice(options.signal);
  const walk = new Walk(pinning, options);
  try {
    walk.start(
      new IgnoreLevels(
        outside.map(outsideLevel).filter(({ files }) => !files.has(".ignore") && !files.has(".rgignore")),
      ),
    );
    while (walk.step()) if (timeSlice.isOver) await timeSlice.next();
    return walk.columns.done();
  } finally {
    walk.close();
  }
}

class Walk {
  readonly columns = new SnapshotColumns();
  readonly #pinning: Pinning;
  readonly #prefix: string;
  readonly #without: ReadonlySet<string>;
  readonly #decided: ReadonlyMap<string, LeftOut | undefined>;
  readonly #known: KnownNames;
  readonly #open: Frame[] = [];
  readonly #ignored: IgnoredBudget;

  constructor(pinning: Pinning, { without = [], like, known, ignored }: SnapshotOptions) {
    this.#pinning = pinning;
    this.#prefix = withSlash(pinning.root);
    this.#decided = directoriesOf(like);
    this.#without = namesBelow(this.#prefix, without);
    this.#known = new KnownNames(known);
    this.#ignored = new IgnoredBudget(ignored);
  }

  start(levels: IgnoreLevels): void {
    const { root } = this.#pinning;
    const above = repositoryAbove(root);
    if (above !== undefined) this.columns.repositories.push(above);
    const frame = new Frame(() => this.#pinning.pin(root), "", false);
    this.#enter(frame, { place: -1, stats: lstatSync(root) }, levels);
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
    const name = nameOf(next.path);
    const child = new Frame(() => frame.directory.child(name), next.path, next.isIgnored);
    try {
      this.#enter(child, next, frame.levels);
    } catch (error) {
      child.close();
      if (isExhaustion(error)) throw error;
      if (!(error instanceof LeadsOutside) && errnoOf(error) === undefined) throw error;
      // After any other error, the directory is missing or a link.
      if (isForbidden(error)) this.columns.leftOut.set(next.place, "unreadable");
    }
    return true;
  }

  close(): void {
    for (const frame of this.#open.splice(0)) frame.close();
  }

  #enter(frame: Frame, { place, stats }: Pick<Waiting, "place" | "stats">, above: IgnoreLevels): void {
    const at = this.#prefix + (frame.path === "" ? "" : `${frame.path}/`);
    const known = this.#known.in(frame.path, stats, at);
    const names = known ? known.map(nameOf) : readdirSync(frame.directory.at("."));
    // A directory that the earlier snapshot entered is entered again, because the two are compared.
    if (frame.isIgnored && !this.#ignored.takes(names.length) && !this.#decided.has(frame.path)) {
      this.columns.leftOut.set(place, "ignored");
      frame.close();
      return;
    }
    frame.levels = above.with(this.#readLevel(frame, names));
    const first = this.columns.next;
    for (const [index, name] of names.entries()) {
      if (name.startsWith(".") && isTemporaryName(name)) continue;
      const absolute = at + name;
      // Using the handle instead of the path would take a fifth longer. An attacker who swaps the directory for a link
      // right now could only cause a stat of another file of the same name.
      const found = lstatSync(absolute, ifThere);
      // A slice of an existing string takes neither time nor space.
      const path = known?.[index] ?? absolute.slice(this.#prefix.length);
      if (found === undefined) this.#missing(path);
      else this.#take(frame, path, found, stats.dev);
    }
    frame.confirm();
    this.columns.setContents(frame.path, place, first);
    frame.waiting.reverse();
    this.#open.push(frame);
  }

  #take(frame: Frame, path: string, stats: Stats, device: number): void {
    const { levels } = frame;
    const type = stats.mode & typeBits.all;
    if (this.#without.has(path)) return;
    if (type === typeBits.directory) {
      const isIgnored = frame.isIgnored || levels.decide(path, "directory") === "ignore";
      const why = this.#decided.has(path)
        ? this.#decided.get(path)
        : this.#whyNotEntered(path, stats, device, isIgnored);
      const place = this.columns.add(path, stats);
      if (why === undefined) frame.waiting.push({ place, path, stats, isIgnored });
      else this.columns.leftOut.set(place, why);
    } else if (type === typeBits.link) {
      const target = targetOf(frame.directory, nameOf(path));
      if (target !== undefined) this.columns.targets.set(this.columns.add(path, stats), target);
    } else {
      const place = this.columns.add(path, stats);
      const isIgnored =
        frame.isIgnored || (stats.size > smallFileBytes && levels.decide(path, "file") === "ignore");
      if (isIgnored && !this.#ignored.stores(stats.size)) this.columns.leftOut.set(place, "ignored");
    }
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
    if (isRepository) {
      const tree = path === "" ? this.#pinning.root : this.#prefix + path;
      this.columns.repositories.push(repositoryIn(tree, path));
      take("exclude", readSmallFile(frame.directory.at(".git/info/exclude"))?.toString());
    }
    if (names.includes(".gitignore")) take(".gitignore", readRules(frame.directory, ".gitignore"));
    return ignoreLevel(path, texts, isRepository);
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
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

interface Waiting {
  readonly place: number;
  readonly path: string;
  readonly stats: Stats;
  readonly isIgnored: boolean;
}

/** A directory that is being scanned, pinned from first use until everything below it is scanned. */
class Frame {
  /** The path relative to the workspace, which itself is "". */
  readonly path: string;
  /** Whether ignore files match the directory or one above it. */
  readonly isIgnored: boolean;
  levels: IgnoreLevels = new IgnoreLevels([]);
  /** Subdirectories that are still to be entered, last first. */
  readonly waiting: Waiting[] = [];
  readonly #hold: () => PinnedDirectory;
  #held: PinnedDirectory | undefined;

  constructor(hold: () => PinnedDirectory, path: string, isIgnored: boolean) {
    this.#hold = hold;
    this.path = path;
    this.isIgnored = isIgnored;
  }

  get directory(): PinnedDirectory {
    this.#held ??= this.#hold();
    return this.#held;
  }

  confirm(): void {
    this.#held?.confirm();
  }

  close(): void {
    this.#held?.close();
    this.#held = undefined;
  }
}
