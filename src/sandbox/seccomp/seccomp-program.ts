import {
  type Architecture,
  newestKnownCall,
  numberOf,
  processCalls,
  refusedCalls,
  sharedMemoryCalls,
} from "./system-calls.ts";

export interface SeccompOptions {
  readonly architecture: Architecture;
  /**
   * "own namespace": a network of its own. "filtered": the machine's network, TCP only, with ports checked by Landlock.
   * "none": the machine's network, without internet sockets.
   */
  readonly network: "own namespace" | "filtered" | "none";
  /** Allows unix sockets, for "own namespace", when no socket of the machine is visible. Default: false. */
  readonly unixSockets?: boolean;
  /** The only user and group inside a user namespace. Giving a file to another one returns EPERM, as outside. */
  readonly owner?: { readonly user: number; readonly group: number } | undefined;
  /** Whether others may connect to the program, for "filtered". Default: false. */
  readonly mayListen?: boolean;
  /** Refuses to truncate a file by its path, for Landlock before ABI 3, which ignores truncation. */
  readonly refuseTruncation?: boolean;
}

/** Returns a seccomp filter. Refused calls return EPERM; calls that libraries can do without return ENOSYS. */
export function seccompProgram(options: SeccompOptions): Uint8Array {
  const { architecture, network } = options;
  const unixSockets = network === "own namespace" && options.unixSockets === true;
  const isShared = network !== "own namespace";
  const rules: CallRule[] = [
    ...Array.from(refusedCalls.keys(), (call) => ({ call, lines: refuse })),
    { call: "clone3", lines: [{ goTo: "missing" }] },
    { call: "clone", lines: [low(0), { ifAnyBitOf: namespaceFlags, goTo: "refuse" }] },
    {
      call: "ioctl",
      lines: [low(1), { ifEqual: 0x5412, goTo: "refuse" }, { ifEqual: 0x541c, goTo: "refuse" }],
    },
    {
      call: "socketpair",
      lines: unixSockets ? [low(0), { ifEqual: AF_UNIX, goTo: "allow" }, ...refuse] : pairLines,
    },
    { call: "socket", lines: socketLines(network, unixSockets) },
    ...modeCalls,
    ...owningCalls(options.owner),
    ...openingCalls(options.refuseTruncation === true),
    ...(isShared ? sharedCalls(options.mayListen === true) : []),
  ];
  const numbered = rules.flatMap(({ call, lines }) => {
    const number = numberOf(call, architecture);
    return number === undefined ? [] : [{ number, lines }];
  });
  return assemble([
    { load: 4 },
    { ifEqual: architecture === "x64" ? 0xc000003e : 0xc00000b7, goTo: "known architecture" },
    // 32-bit calls have different numbers.
    { return: EPERM },
    { label: "known architecture" },
    { load: 0 },
    // This also refuses calls of the x32 ABI, which have bit 30 set.
    { ifAtLeast: newestKnownCall + 1, goTo: "missing" },
    ...numbered.map(({ number, lines }): Line => ({ ifEqual: number, goTo: blockOf(number, lines) })),
    { goTo: "allow" },
    ...numbered
      .filter(({ lines }) => !isJump(lines))
      .flatMap(({ number, lines }): Line[] => [
        { label: blockOf(number, lines) },
        ...lines,
        { goTo: "allow" },
      ]),
    { label: "allow" },
    { return: 0x7fff0000 },
    { label: "refuse" },
    { return: EPERM },
    { label: "missing" },
    { return: ENOSYS },
    { label: "wrong protocol" },
    { return: EPROTONOSUPPORT },
  ]);
}

interface CallRule {
  readonly call: string;
  /** An allowed call reaches the end of these instructions. */
  readonly lines: readonly Line[];
}

const EPERM = 0x00050000 | 1;
const ENOSYS = 0x00050000 | 38;
const EPROTONOSUPPORT = 0x00050000 | 93;

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. Only clone3 and unshare accept CLONE_NEWTIME. */
const namespaceFlags = 0x7e020000;

const refuse: readonly Line[] = [{ goTo: "refuse" }];

/**
 * Allows internet sockets with the common protocols, and asking the kernel for addresses (netlink, protocol "route").
 * Refuses AF_UNIX where sockets of the machine may be visible, because agents and daemons listen there. Socket pairs are
 * another call.
 */
function socketLines(network: SeccompOptions["network"], unixSockets: boolean): readonly Line[] {
  const internet: readonly Line[] =
    network === "none" ? refuse : network === "filtered" ? transmissionOnly : anyInternet;
  return [
    low(0),
    { ifEqual: AF_INET, goTo: "internet" },
    { ifEqual: AF_INET6, goTo: "internet" },
    { ifEqual: AF_NETLINK, goTo: "netlink" },
    ...(unixSockets ? [{ ifEqual: AF_UNIX, goTo: "allow" } as const] : []),
    ...refuse,
    { label: "netlink" },
    low(2),
    { ifEqual: 0, goTo: "allow" },
    ...refuse,
    { label: "internet" },
    ...internet,
  ];
}

/** Allows only stream (1) and seqpacket (5): a datagram pair (2 or 3) can be connected to any socket of the machine. */
const pairLines: readonly Line[] = [
  low(0),
  { ifEqual: AF_UNIX, goTo: "pair" },
  ...refuse,
  { label: "pair" },
  ...[low(1), { and: 0xf }],
  { ifEqual: 1, goTo: "allow" },
  { ifEqual: 5, goTo: "allow" },
  ...refuse,
];

/** Allows only TCP, because Landlock does not check other stream protocols (MPTCP, SCTP, SMC). */
const transmissionOnly: readonly Line[] = [
  ...[low(1), { and: 0xf }],
  { ifEqual: 1, goTo: "stream" },
  ...refuse,
  { label: "stream" },
  low(2),
  { ifEqual: 0, goTo: "allow" },
  { ifEqual: 6, goTo: "allow" },
  { goTo: "wrong protocol" },
];

const anyInternet: readonly Line[] = [
  ...[low(1), { and: 0xf }],
  { ifEqual: 1, goTo: "stream or datagram" },
  { ifEqual: 2, goTo: "stream or datagram" },
  ...refuse,
  { label: "stream or datagram" },
  low(2),
  // The protocols are unspecified, ICMP, TCP, UDP and ICMPv6.
  ...[0, 1, 6, 17, 58].map((protocol): Line => ({ ifEqual: protocol, goTo: "allow" })),
  { goTo: "wrong protocol" },
];

/** Refuses calls that Landlock does not check, for programs without namespaces. */
function sharedCalls(mayListen: boolean): readonly CallRule[] {
  return [
    ...Array.from(sharedMemoryCalls.keys(), (call) => ({ call, lines: refuse })),
    ...Array.from(processCalls.keys(), (call) => ({ call, lines: onlyItself(0) })),
    // Kind 2 or 3 selects a user, for whom 0 means all processes of this user.
    { call: "setpriority", lines: [low(0), { ifEqual: 2, goTo: "refuse" }, ...onlyItself(1)] },
    { call: "ioprio_set", lines: [low(0), { ifEqual: 3, goTo: "refuse" }, ...onlyItself(1)] },
    // TCP Fast Open connects without a check by Landlock.
    ...refusingFlags(MSG_FASTOPEN, { sendto: 3, sendmsg: 2, sendmmsg: 3 }),
    // Landlock checks bind; a socket that was never bound listens at a port of the kernel's choice.
    ...(mayListen ? [] : [{ call: "listen", lines: refuse } as const]),
  ];
}

const MSG_FASTOPEN = 0x20000000;

/** Accepts 0, which means the calling process. */
function onlyItself(argument: number): readonly Line[] {
  return [low(argument), { ifEqual: 0, goTo: "allow" }, ...refuse];
}

/** Refuses calls with one of the flags. `calls` maps each call to the index of the argument with its flags. */
function refusingFlags(flags: number, calls: Readonly<Record<string, number>>): readonly CallRule[] {
  return Object.entries(calls).map(([call, argument]) => ({
    call,
    lines: [low(argument), { ifAnyBitOf: flags, goTo: "refuse" }],
  }));
}

/** S_ISUID and S_ISGID. A program with such a mode runs with the rights of its owner or group. */
const lendsRights = 0o6000;

const modeCalls = refusingFlags(lendsRights, {
  ...{ chmod: 1, fchmod: 1, fchmodat: 2, fchmodat2: 2 },
  ...{ creat: 1, mknod: 1, mknodat: 2 },
});

/**
 * The kernel answers EINVAL to an owner that is not in the user namespace. Programs such as fakeroot forgive EPERM, which
 * they get outside.
 */
function owningCalls(owner: SeccompOptions["owner"]): readonly CallRule[] {
  if (owner === undefined) return [];
  const calls = { chown: 1, fchown: 1, lchown: 1, fchownat: 2 };
  const isKnown = (name: string, argument: number, id: number): readonly Line[] => [
    low(argument),
    { ifEqual: unchanged, goTo: name },
    { ifEqual: id, goTo: name },
    ...refuse,
    { label: name },
  ];
  return Object.entries(calls).map(([call, argument]) => ({
    call,
    lines: [
      ...isKnown(`user of ${call}`, argument, owner.user),
      ...isKnown(`group of ${call}`, argument + 1, owner.group),
    ],
  }));
}

/** -1: the owner stays the same. */
const unchanged = 0xffffffff;

const O_TRUNC = 0x200;
// The flags are O_CREAT and O_TMPFILE. Without them the mode is ignored.
const makesFile = 0x400040;

function openingCalls(refuseTruncation: boolean): readonly CallRule[] {
  const lines = (flags: number) => [
    ...(refuseTruncation ? truncatesUnseen(flags) : []),
    ...makesLending({ flags, mode: flags + 1 }),
  ];
  return [
    { call: "open", lines: lines(1) },
    { call: "openat", lines: lines(2) },
    // The flags of openat2 are in memory, which a filter cannot read.
    { call: "openat2", lines: [{ goTo: "missing" }] },
    ...(refuseTruncation ? [{ call: "truncate", lines: refuse } as const] : []),
  ];
}

function makesLending({ flags, mode }: { readonly flags: number; readonly mode: number }): readonly Line[] {
  const making = `making by ${flags}`;
  return [
    low(flags),
    { ifAnyBitOf: makesFile, goTo: making },
    { goTo: "allow" },
    { label: making },
    low(mode),
    { ifAnyBitOf: lendsRights, goTo: "refuse" },
  ];
}

/**
 * Refuses O_TRUNC with access mode 0 (read) or 3 (neither read nor write), which Landlock does not treat as writing.
 */
function truncatesUnseen(argument: number): readonly Line[] {
  return [
    low(argument),
    { and: O_TRUNC | 3 },
    { ifEqual: O_TRUNC, goTo: "refuse" },
    { ifEqual: O_TRUNC | 3, goTo: "refuse" },
  ];
}

/** Loads the lower half of an argument. The kernel ignores the upper half of those that are checked. */
function low(argument: number): Line {
  return { load: 16 + argument * 8 };
}

function isJump(lines: readonly Line[]): lines is readonly [{ readonly goTo: string }] {
  return lines.length === 1 && "goTo" in lines[0]! && Object.keys(lines[0]).length === 1;
}

function blockOf(number: number, lines: readonly Line[]): string {
  return isJump(lines) ? lines[0].goTo : `call ${number}`;
}

/** One instruction of the kernel's packet filter machine, which has one register. Jumps go only forward. */
export type Line =
  | { readonly load: number }
  | { readonly and: number }
  | { readonly ifEqual: number; readonly goTo: string }
  | { readonly ifAtLeast: number; readonly goTo: string }
  | { readonly ifAnyBitOf: number; readonly goTo: string }
  | { readonly goTo: string }
  | { readonly return: number }
  | { readonly label: string };

/** Returns the bytes for `prctl(PR_SET_SECCOMP)` and `bwrap --seccomp`: eight for each instruction, little-endian. */
export function assemble(lines: readonly Line[]): Uint8Array {
  const labels = new Map<string, number>();
  const instructions: Exclude<Line, { readonly label: string }>[] = [];
  for (const line of lines) {
    if ("label" in line) labels.set(line.label, instructions.length);
    else instructions.push(line);
  }
  const bytes = new Uint8Array(instructions.length * 8);
  const view = new DataView(bytes.buffer);
  for (const [at, line] of instructions.entries()) {
    const { code, value } = encoded(line);
    view.setUint16(at * 8, code, true);
    if (!("goTo" in line)) {
      view.setUint32(at * 8 + 4, value, true);
      continue;
    }
    const distance = (labels.get(line.goTo) ?? -1) - at - 1;
    if (distance < 0) throw new Error(`"${line.goTo}" does not follow instruction ${at}`);
    if (code === jumpAlways) {
      view.setUint32(at * 8 + 4, distance, true);
      continue;
    }
    if (distance > 255) throw new Error(`"${line.goTo}" is too far from instruction ${at}`);
    view.setUint8(at * 8 + 2, distance);
    view.setUint32(at * 8 + 4, value, true);
  }
  return bytes;
}

const jumpAlways = 0x05;

function encoded(line: Exclude<Line, { readonly label: string }>): { code: number; value: number } {
  if ("load" in line) return { code: 0x20, value: line.load };
  if ("and" in line) return { code: 0x54, value: line.and };
  if ("ifEqual" in line) return { code: 0x15, value: line.ifEqual };
  if ("ifAtLeast" in line) return { code: 0x35, value: line.ifAtLeast };
  if ("ifAnyBitOf" in line) return { code: 0x45, value: line.ifAnyBitOf };
  if ("return" in line) return { code: 0x06, value: line.return };
  return { code: jumpAlways, value: 0 };
}
