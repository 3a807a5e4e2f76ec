import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { interpret } from "../../../test/support/seccomp/interpret.ts";
import { type SeccompOptions, seccompProgram } from "./seccomp-program.ts";
import { newestKnownCall, numberOf, systemCalls } from "./system-calls.ts";

const architectures = ["x64", "arm64"] as const;
const networks = ["own namespace", "filtered", "none"] as const;
const word = { x64: 0xc000003e, arm64: 0xc00000b7 };

type Answer = "allow" | "EPERM" | "ENOSYS" | "EPROTONOSUPPORT";

const answers: Record<number, Answer> = {
  2147418112: "allow",
  327681: "EPERM",
  327718: "ENOSYS",
  327773: "EPROTONOSUPPORT",
};

/** The kernel's answer; arguments may have upper halves, which must not matter. */
function ask(
  options: SeccompOptions,
  number: number,
  args: readonly bigint[] = [],
  architecture = word[options.architecture],
): Answer {
  return answers[interpret(seccompProgram(options), { number, architecture, args })]!;
}

function call(
  options: SeccompOptions,
  name: string,
  ...args: readonly (number | bigint)[]
): Answer | undefined {
  const number = numberOf(name, options.architecture);
  return number === undefined ? undefined : ask(options, number, args.map(BigInt));
}

describe.each(architectures)("a seccomp program for %s", (architecture) => {
  const own: SeccompOptions = { architecture, network: "own namespace" };
  const filtered: SeccompOptions = { architecture, network: "filtered" };
  const none: SeccompOptions = { architecture, network: "none" };

  it("refuses system calls of every other architecture", () => {
    fc.assert(
      fc.property(fc.nat(0xffffffff), fc.nat(500), fc.constantFrom(...networks), (other, number, network) => {
        fc.pre(other !== word[architecture]);
        expect(ask({ architecture, network }, number, [], other)).toBe("EPERM");
      }),
    );
    expect(ask(own, 1, [], 0x40000003)).toBe("EPERM");
  });

  it("allows unix sockets only where asked, in a network of its own", () => {
    const answered = (options: SeccompOptions) => [
      call(options, "socket", 1, 1, 0),
      call(options, "socket", 1, 2, 0),
      call(options, "socketpair", 1, 2, 0),
      call(options, "socketpair", 2, 1, 0),
    ];
    const refused = ["EPERM", "EPERM", "EPERM", "EPERM"];
    expect(answered({ ...own, unixSockets: true })).toEqual(["allow", "allow", "allow", "EPERM"]);
    for (const options of [own, { ...filtered, unixSockets: true }, { ...none, unixSockets: true }])
      expect(answered(options)).toEqual(refused);
  });

  it("answers EPERM to another owner of a file, in a user namespace with one user", () => {
    const options = { ...own, owner: { user: 1000, group: 100 } };
    const same = 0xffffffff;
    const allowed = [
      call(options, "fchown", 3, 1000, 100),
      call(options, "fchown", 3, same, same),
      call(options, "fchownat", 3, 0, same, 100, 0),
    ];
    const refused = [
      call(options, "fchown", 3, 0, 100),
      call(options, "fchown", 3, 1000, 0),
      call(options, "fchownat", 3, 0, 1001, same, 0),
      call(options, "chown", 0, 0, 0) ?? "EPERM",
      call(options, "lchown", 0, 0, 0) ?? "EPERM",
    ];
    expect(new Set(allowed)).toEqual(new Set(["allow"]));
    expect(new Set(refused)).toEqual(new Set(["EPERM"]));
    expect(call(own, "fchown", 3, 0, 0)).toBe("allow");
  });

  it("answers ENOSYS to system calls that are newer than itself, or of the x32 ABI", () => {
    fc.assert(
      fc.property(fc.integer({ min: newestKnownCall + 1, max: 0xffffffff }), (number) => {
        expect(ask(own, number)).toBe("ENOSYS");
      }),
    );
    for (const name of systemCalls.keys()) {
      const number = numberOf(name, architecture);
      if (number !== undefined) expect(ask(own, number + 0x40000000)).toBe("ENOSYS");
    }
  });

  it("allows every system call without a rule, with any arguments", { tags: "slow" }, () => {
    const checked = new Set(Array.from(systemCalls.keys(), (name) => numberOf(name, architecture)));
    const free = Array.from({ length: newestKnownCall + 1 }, (_, number) => number).filter(
      (number) => !checked.has(number),
    );
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 0n, max: 0xffffffffffffffffn }), { maxLength: 6 }), (args) => {
        for (const number of free) expect(ask(filtered, number, args)).toBe("allow");
      }),
      { numRuns: 3 },
    );
  });

  it("refuses system calls that commands never need, with any arguments", () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 0n, max: 0xffffffffffffffffn }), { maxLength: 6 }), (args) => {
        for (const name of always)
          expect([name, call(own, name, ...args) ?? "EPERM"]).toEqual([name, "EPERM"]);
      }),
      { numRuns: 5 },
    );
    expect(call(own, "clone3")).toBe("ENOSYS");
  });

  it("allows processes and threads, but no namespaces", () => {
    const thread = 0x3d0f00;
    expect(call(own, "clone", 0x11)).toBe("allow");
    expect(call(own, "clone", thread)).toBe("allow");
    for (const flag of [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000]) {
      expect(call(own, "clone", 0x11 | flag)).toBe("EPERM");
      expect(call(own, "clone", BigInt(thread | flag) + upper)).toBe("EPERM");
    }
    expect(call(own, "clone", 0x11n + upper)).toBe("allow");
  });

  it("lets programs query terminals, but not type into them", () => {
    expect(call(own, "ioctl", 0, 0x5401)).toBe("allow");
    for (const request of [0x5412n, 0x541cn]) {
      expect(call(own, "ioctl", 0, request)).toBe("EPERM");
      expect(call(own, "ioctl", 0, request + upper)).toBe("EPERM");
    }
  });

  it("allows the socket types that each network mode needs", () => {
    const sockets = (options: SeccompOptions) =>
      Object.fromEntries(
        Object.entries(kinds).map(([name, [family, type, protocol]]) => [
          name,
          call(
            options,
            "socket",
            BigInt(family) + upper,
            BigInt(type | 0x80800) + upper,
            BigInt(protocol) + upper,
          ),
        ]),
      );
    const refused = Object.fromEntries(Object.keys(kinds).map((name) => [name, "EPERM"]));
    expect(sockets(own)).toEqual({
      ...refused,
      TCP: "allow",
      "TCP, named": "allow",
      "TCP by IPv6": "allow",
      UDP: "allow",
      "UDP by IPv6": "allow",
      ping: "allow",
      routes: "allow",
      MPTCP: "EPROTONOSUPPORT",
      SCTP: "EPROTONOSUPPORT",
      SMC: "EPROTONOSUPPORT",
    });
    expect(sockets(filtered)).toEqual({
      ...refused,
      TCP: "allow",
      "TCP, named": "allow",
      "TCP by IPv6": "allow",
      routes: "allow",
      MPTCP: "EPROTONOSUPPORT",
      SCTP: "EPROTONOSUPPORT",
      SMC: "EPROTONOSUPPORT",
    });
    expect(sockets(none)).toEqual({ ...refused, routes: "allow" });
  });

  it("refuses every other socket family, and socket pairs of all families but one", () => {
    for (let family = 0; family < 64; family++) {
      if (![2, 10, 16].includes(family)) expect(call(own, "socket", family, 1, 0)).toBe("EPERM");
      expect(call(own, "socketpair", family, 1, 0)).toBe(family === 1 ? "allow" : "EPERM");
    }
  });

  it("refuses datagram pairs, which could connect to any socket of the machine", () => {
    const closedOnExec = 0o2000000n;
    for (const options of [own, filtered, none])
      for (let type = 0n; type < 16n; type++)
        expect([type, call(options, "socketpair", 1, type | closedOnExec | upper, 0)]).toEqual([
          type,
          type === 1n || type === 5n ? "allow" : "EPERM",
        ]);
  });

  it("blocks what Landlock leaves open between users of one machine", () => {
    const checked = {
      "a shared memory": (options: SeccompOptions) => call(options, "shmget", 1, 2, 3),
      "a queue": (options: SeccompOptions) => call(options, "mq_open", 1, 2, 3),
      "limits of its own": (options: SeccompOptions) => call(options, "prlimit64", upper, 1, 2),
      "limits of another": (options: SeccompOptions) => call(options, "prlimit64", 77, 1, 2),
      "its own processors": (options: SeccompOptions) => call(options, "sched_setaffinity", upper, 8, 1),
      "another's processors": (options: SeccompOptions) => call(options, "sched_setaffinity", 77, 8, 1),
      "to be nice": (options: SeccompOptions) => call(options, "setpriority", 0, upper, 10),
      "to let another be nice": (options: SeccompOptions) => call(options, "setpriority", 0, 77, 10),
      "to let all be nice": (options: SeccompOptions) => call(options, "setpriority", 2n + upper, 0, 10),
      "to let all wait for the disk": (options: SeccompOptions) => call(options, "ioprio_set", 3, 0, 10),
      sending: (options: SeccompOptions) => call(options, "sendto", 1, 2, 3, 0x4000n + upper, 5),
      "sending to connect": (options: SeccompOptions) => call(options, "sendto", 1, 2, 3, 0x20004000, 5),
      "a message": (options: SeccompOptions) => call(options, "sendmsg", 1, 2, 0x4000),
      "a message to connect": (options: SeccompOptions) =>
        call(options, "sendmsg", 1, 2, 0x20000000n + upper),
      "messages to connect": (options: SeccompOptions) => call(options, "sendmmsg", 1, 2, 3, 0x20000000),
      listening: (options: SeccompOptions) => call(options, "listen", 3, 5),
    };
    const all = (options: SeccompOptions) =>
      Object.fromEntries(Object.entries(checked).map(([name, asked]) => [name, asked(options)]));
    const open = Object.fromEntries(Object.keys(checked).map((name) => [name, "allow"]));
    const closed = {
      ...open,
      "a shared memory": "EPERM",
      "a queue": "EPERM",
      "limits of another": "EPERM",
      "another's processors": "EPERM",
      "to let another be nice": "EPERM",
      "to let all be nice": "EPERM",
      "to let all wait for the disk": "EPERM",
      "sending to connect": "EPERM",
      "a message to connect": "EPERM",
      "messages to connect": "EPERM",
      listening: "EPERM",
    };
    expect(all(own)).toEqual(open);
    expect(all(filtered)).toEqual(closed);
    expect(all(none)).toEqual(closed);
    expect(all({ ...filtered, mayListen: true })).toEqual({ ...closed, listening: "allow" });
  });

  it("refuses to create setuid and setgid files", () => {
    const modes = [0o644n, 0o1777n, 0o4755n, 0o2755n].map((mode) => mode + upper);
    const verdicts = ["allow", "allow", "EPERM", "EPERM"];
    const calls: readonly (readonly [string, (mode: bigint) => readonly (number | bigint)[]])[] = [
      ["chmod", (mode) => [0, mode]],
      ["fchmod", (mode) => [3, mode]],
      ["fchmodat", (mode) => [3, 0, mode]],
      ["fchmodat2", (mode) => [3, 0, mode, 0]],
      ["creat", (mode) => [0, mode]],
      ["mknod", (mode) => [0, mode, 0]],
      ["mknodat", (mode) => [3, 0, mode, 0]],
      ["open", (mode) => [0, 0x41n + upper, mode]],
      ["openat", (mode) => [3, 0, 0x41n + upper, mode]],
      ["openat", (mode) => [3, 0, 0x400002, mode]],
    ];
    for (const options of [own, filtered, none, { ...filtered, refuseTruncation: true }])
      for (const [name, args] of calls) {
        if (numberOf(name, architecture) === undefined) continue;
        expect([name, ...modes.map((mode) => call(options, name, ...args(mode)))]).toEqual([
          name,
          ...verdicts,
        ]);
      }
    // Without file creation, the mode argument is ignored.
    expect(call(own, "openat", 3, 0, 1, 0o4755)).toBe("allow");
    expect(call(own, "openat2", 1, 2)).toBe("ENOSYS");
  });

  it("refuses truncation that Landlock would not see, on request", () => {
    const old: SeccompOptions = { ...filtered, refuseTruncation: true };
    const opened = (options: SeccompOptions, flags: number) =>
      call(options, "openat", 0, 0, BigInt(flags) + upper, 0);
    expect([call(old, "truncate", 1, 2), call(filtered, "truncate", 1, 2)]).toEqual(["EPERM", "allow"]);
    // Read, write, both, neither; then the same with O_TRUNC.
    expect([0, 1, 2, 3, 0x200, 0x201, 0x202, 0x203].map((flags) => opened(old, flags))).toEqual([
      ...["allow", "allow", "allow", "allow"],
      ...["EPERM", "allow", "allow", "EPERM"],
    ]);
    expect(opened(filtered, 0x200)).toBe("allow");
    expect(call(old, "open", 0, 0x200) ?? "EPERM").toBe("EPERM");
  });
});

/** Bits that the kernel ignores. */
const upper = 0xdeadbeef00000000n;

const kinds: Record<string, readonly [family: number, type: number, protocol: number]> = {
  TCP: [2, 1, 0],
  "TCP, named": [2, 1, 6],
  "TCP by IPv6": [10, 1, 0],
  UDP: [2, 2, 0],
  "UDP by IPv6": [10, 2, 17],
  ping: [2, 2, 1],
  raw: [2, 3, 1],
  sequences: [2, 5, 132],
  MPTCP: [2, 1, 262],
  SCTP: [10, 1, 132],
  SMC: [2, 1, 256],
  unix: [1, 1, 0],
  routes: [16, 3, 0],
  "kernel events": [16, 3, 15],
  packets: [17, 3, 768],
  "kernel cryptography": [38, 5, 0],
  "the host of a virtual machine": [40, 1, 0],
};

const always: readonly string[] = [
  ...(["ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd"] as const),
  ...(["mount", "umount2", "pivot_root", "chroot", "open_tree", "open_tree_attr", "move_mount"] as const),
  ...(["fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "unshare", "setns"] as const),
  ...(["io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "perf_event_open"] as const),
  ...(["userfaultfd", "keyctl", "add_key", "request_key", "open_by_handle_at", "fanotify_init"] as const),
  ...(["init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot"] as const),
  ...(["swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "settimeofday", "clock_settime"] as const),
  ...(["sethostname", "setdomainname", "syslog", "vhangup", "iopl", "ioperm", "modify_ldt"] as const),
  ...(["lookup_dcookie", "uselib"] as const),
];
