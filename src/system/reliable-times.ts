import { statfsSync } from "node:fs";

/**
 * Tells whether the times of directories are reliable: they change when a name in a directory is added or removed, by
 * the clock of this machine. Asks each file system once.
 */
export class ReliableTimes {
  readonly #byDevice = new Map<number, boolean>();

  /** `path` is on the device. */
  of(device: number, path: string): boolean {
    const isReliable = this.#byDevice.get(device) ?? reliableTypes.has(statfsSync(path).type);
    this.#byDevice.set(device, isReliable);
    return isReliable;
  }
}

// These are ext2 to ext4, xfs, btrfs, tmpfs, overlay, f2fs, zfs and apfs.
const reliableTypes = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0x1a,
]);
