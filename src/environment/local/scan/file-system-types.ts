import { statfsSync } from "node:fs";

/** What the kernel makes up: endless, and nothing of it can be brought back. */
export function isSystem(path: string): boolean {
  return systemTypes.has(statfsSync(path).type);
}

// proc, sysfs, devpts, cgroup, cgroup2, debugfs, tracefs, securityfs, bpf, configfs, mqueue, fusectl
const systemTypes = new Set([
  0x9fa0, 0x62656572, 0x1cd1, 0x27e0eb, 0x63677270, 0x64626720, 0x74726163, 0x73636673, 0xcafe4a11,
  0x62656570, 0x19800202, 0x65735543,
]);

/** Whether directories change their times when a name in them comes or goes, by a clock that is this machine's. */
export function tellsChanges(path: string): boolean {
  return reliableTypes.has(statfsSync(path).type);
}

// ext2 to ext4, xfs, btrfs, tmpfs, overlay, f2fs, zfs, apfs
const reliableTypes = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0x1a,
]);
