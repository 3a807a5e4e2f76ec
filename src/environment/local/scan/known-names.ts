import { type Stats, statfsSync } from "node:fs";
import { figure, figureCount, isSettled, type Snapshot } from "../../../contract/snapshot.ts";

/** The names in directories from an earlier snapshot, as long as they are valid. */
export class KnownNames {
  readonly #earlier: Snapshot | undefined;
  /** By device: whether its directories can be relied on. */
  readonly #isReliable = new Map<number, boolean>();

  constructor(earlier: Snapshot | undefined) {
    this.#earlier = earlier;
  }

  /** The paths in a directory that looks as it did, undefined when it does not: then it has to be read. */
  in(path: string, stats: Stats, at: string): readonly string[] | undefined {
    const contents = this.#earlier?.contents.get(path);
    if (contents === undefined || !this.#isUnchanged(contents.place, stats)) return undefined;
    if (!this.#tellsChanges(stats.dev, at)) return undefined;
    return this.#earlier!.paths.slice(contents.first, contents.end);
  }

  /** A directory changes its times when a name in it comes or goes. */
  #isUnchanged(place: number, stats: Stats): boolean {
    if (place < 0) return false;
    const earlier = this.#earlier!;
    const is = (column: number, value: number) => earlier.figures[place * figureCount + column] === value;
    return (
      is(figure.changed, stats.ctimeMs) &&
      is(figure.modified, stats.mtimeMs) &&
      is(figure.inode, stats.ino) &&
      is(figure.device, stats.dev) &&
      isSettled(earlier, place)
    );
  }

  #tellsChanges(device: number, at: string): boolean {
    const known = this.#isReliable.get(device);
    if (known !== undefined) return known;
    const isReliable = tellsChanges(at);
    this.#isReliable.set(device, isReliable);
    return isReliable;
  }
}

/** File systems that the kernel generates: endless, and not restorable. */
export function isSystem(path: string): boolean {
  return systemTypes.has(statfsSync(path).type);
}

// proc, sysfs, devpts, cgroup, cgroup2, debugfs, tracefs, securityfs, bpf, configfs, mqueue, fusectl
const systemTypes = new Set([
  0x9fa0, 0x62656572, 0x1cd1, 0x27e0eb, 0x63677270, 0x64626720, 0x74726163, 0x73636673, 0xcafe4a11,
  0x62656570, 0x19800202, 0x65735543,
]);

/** Whether directories change their times when a name in them comes or goes, by a clock that is this machine's. */
function tellsChanges(path: string): boolean {
  return reliableTypes.has(statfsSync(path).type);
}

// ext2 to ext4, xfs, btrfs, tmpfs, overlay, f2fs, zfs, apfs
const reliableTypes = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0x1a,
]);
