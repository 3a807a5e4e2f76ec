/** A ruleset as the kernel takes it, for one version (ABI) of Landlock. */
export interface LandlockRules {
  /** Of `struct landlock_ruleset_attr`, as large as that version knows it. */
  readonly attributeBytes: number;
  readonly handledFiles: number;
  readonly handledNetwork: number;
  readonly scoped: number;
  readonly paths: readonly { readonly rights: number; readonly path: string }[];
  /** What a device of its own is for a program. */
  readonly deviceRights: number;
  readonly ports: readonly { readonly rights: number; readonly port: number }[];
}

export interface Reach {
  /** Files, and directories with all in them. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** Written, and asked for what devices answer; nothing is made or removed there. */
  readonly devices: readonly string[];
  /** What is in them is read and written by whoever knows its name. */
  readonly openable: readonly string[];
  /** Listed, but what is in them not read. */
  readonly listable: readonly string[];
  readonly connectPorts: readonly number[];
  readonly mayListen: boolean;
}

/** What is not named cannot be reached, as far as this version of Landlock knows of it. */
export function landlockRules(version: number, reach: Reach): LandlockRules {
  const handledFiles =
    rights.files & ~(version < 2 ? rights.refer : 0) & ~(version < 3 ? rights.truncate : 0);
  const known = version < 5 ? handledFiles & ~rights.askDevice : handledFiles;
  const path = (granted: number) => (path: string) => ({ rights: granted & known, path });
  const knowsPorts = version >= 4;
  return {
    attributeBytes: version >= 6 ? 24 : knowsPorts ? 16 : 8,
    handledFiles: known,
    handledNetwork: knowsPorts ? (reach.mayListen ? rights.connect : rights.connect | rights.bind) : 0,
    scoped: version >= 6 ? rights.abstractSockets | rights.signals : 0,
    paths: [
      ...reach.readable.map(path(rights.read)),
      ...reach.writable.map(path(rights.read | rights.write)),
      ...reach.devices.map(path(rights.device)),
      ...reach.openable.map(path(rights.open)),
      ...reach.listable.map(path(rights.list)),
    ],
    deviceRights: rights.device & known,
    ports: knowsPorts ? reach.connectPorts.map((port) => ({ rights: rights.connect, port })) : [],
  };
}

const bit = (number: number) => 1 << number;

/** As in <linux/landlock.h>. Device files are made by nobody: bits 6 and 11 are in no grant. */
const rights = {
  files: bit(16) - 1,
  list: bit(3),
  open: bit(1) | bit(2) | bit(14),
  read: bit(0) | bit(2) | bit(3),
  write: bit(1) | bit(4) | bit(5) | bit(7) | bit(8) | bit(9) | bit(10) | bit(12) | bit(13) | bit(14),
  device: bit(1) | bit(2) | bit(3) | bit(14) | bit(15),
  refer: bit(13),
  truncate: bit(14),
  askDevice: bit(15),
  bind: bit(0),
  connect: bit(1),
  abstractSockets: bit(0),
  signals: bit(1),
};
