import { type Stats, statfsSync } from "node:fs";
import { figure, isSettled, type Snapshot } from "../../../contract/snapshot.ts";
import { ReliableTimes } from "../../../system/reliable-times.ts";
import { pathsIn } from "../../entry-columns.ts";

export class KnownNames {
  readonly #earlier: Snapshot | undefined;
  readonly #reliable = new ReliableTimes();

  constructor(earlier: Snapshot | undefined) {
    this.#earlier = earlier;
  }

  /** Returns the paths in an unchanged directory; undefined when it must be read. */
  in(path: string, stats: Stats, at: string): readonly string[] | undefined {
    const contents = this.#earlier?.contents.get(path);
    if (contents === undefined || !this.#isUnchanged(contents.place, stats)) return undefined;
    if (!this.#reliable.of(stats.dev, at)) return undefined;
    return pathsIn(this.#earlier!.entries, contents);
  }

  /** Whether a directory has its old times, which change when a name in it is added or removed. */
  #isUnchanged(place: number, stats: Stats): boolean {
    if (place < 0) return false;
    const earlier = this.#earlier!;
    const is = (column: number, value: number) => earlier.entries.figureAt(place, column) === value;
    return (
      is(figure.changed, stats.ctimeMs) &&
      is(figure.modified, stats.mtimeMs) &&
      is(figure.inode, stats.ino) &&
      is(figure.device, stats.dev) &&
      isSettled(earlier, place)
    );
  }
}

/** Whether the kernel generates the file system. Such file systems are endless and cannot be restored. */
export function isSystem(path: string): boolean {
  return systemTypes.has(statfsSync(path).type);
}

// These are proc, sysfs, devpts, cgroup, cgroup2, debugfs, tracefs, securityfs, bpf, configfs, mqueue and fusectl.
const systemTypes = new Set([
  0x9fa0, 0x62656572, 0x1cd1, 0x27e0eb, 0x63677270, 0x64626720, 0x74726163, 0x73636673, 0xcafe4a11,
  0x62656570, 0x19800202, 0x65735543,
]);

/**
 * The file systems on which every change of a file causes an event in its directory, including the end of a mapping:
 * ext2 to ext4, xfs, btrfs, tmpfs and f2fs. Not overlay, network file systems or FUSE, and not zfs, whose rollback
 * changes files without events.
 */
export const watchableTypes: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0xf2f52010,
]);
