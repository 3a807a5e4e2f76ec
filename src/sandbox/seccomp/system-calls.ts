export type Architecture = "x64" | "arm64";

type Numbers = Readonly<Record<Architecture, number | undefined>>;

/**
 * Calls that are refused to every program. They act on other processes, mounts, namespaces or the whole machine, or
 * belong to parts of the kernel that are seldom needed and often exploited.
 */
export const refusedCalls: ReadonlyMap<string, Numbers> = table(`
  ptrace 101/117, process_vm_readv 310/270, process_vm_writev 311/271, process_madvise 440/440, kcmp 312/272,
  pidfd_getfd 438/438, mount 165/40, umount2 166/39, pivot_root 155/41, chroot 161/51, open_tree 428/428,
  open_tree_attr 467/467, move_mount 429/429, fsopen 430/430, fsconfig 431/431, fsmount 432/432,
  fspick 433/433, mount_setattr 442/442, unshare 272/97, setns 308/268, io_uring_setup 425/425,
  io_uring_enter 426/426, io_uring_register 427/427, bpf 321/280, perf_event_open 298/241, userfaultfd 323/282,
  keyctl 250/219, add_key 248/217, request_key 249/218, open_by_handle_at 304/265, fanotify_init 300/262,
  lookup_dcookie 212/18, uselib 134/-, modify_ldt 154/-, init_module 175/105, finit_module 313/273,
  delete_module 176/106, kexec_load 246/104, kexec_file_load 320/294, reboot 169/142, swapon 167/224,
  swapoff 168/225, acct 163/89, quotactl 179/60, quotactl_fd 443/443, settimeofday 164/170,
  clock_settime 227/112, sethostname 170/161, setdomainname 171/162, syslog 103/116, vhangup 153/58,
  iopl 172/-, ioperm 173/-
`);

/** Calls for memory, semaphores and queues that all processes of a user share. */
export const sharedMemoryCalls: ReadonlyMap<string, Numbers> = table(`
  shmget 29/194, shmat 30/196, shmctl 31/195, semget 64/190, semop 65/193, semctl 66/191, semtimedop 220/192,
  msgget 68/186, msgsnd 69/189, msgrcv 70/188, msgctl 71/187, mq_open 240/180, mq_unlink 241/181
`);

/** Calls that set the limits or the priority of a process, which is their first argument. */
export const processCalls: ReadonlyMap<string, Numbers> = table(`
  prlimit64 302/261, sched_setscheduler 144/119, sched_setparam 142/118, sched_setattr 314/274,
  sched_setaffinity 203/122
`);

/** Calls that are refused for some of their arguments. */
const filteredCalls = table(`
  clone 56/220, clone3 435/435, ioctl 16/29, socket 41/198, socketpair 53/199, listen 50/201, sendto 44/206,
  sendmsg 46/211, sendmmsg 307/269, setpriority 141/140, ioprio_set 251/30, truncate 76/45, chmod 90/-,
  fchmod 91/52, fchmodat 268/53, fchmodat2 452/452, creat 85/-, mknod 133/-, mknodat 259/33, open 2/-,
  openat 257/56, openat2 437/437, chown 92/-, fchown 93/55, lchown 94/-, fchownat 260/54
`);

/** Parses entries of the form "name x64/arm64". "-" means that an architecture has no such call. */
export function table(text: string): ReadonlyMap<string, Numbers> {
  return new Map(
    [...text.matchAll(/(\w+) (\d+)\/(\d+|-)/g)].map(([, name, x64, arm64]) => [
      name!,
      { x64: Number(x64), arm64: arm64 === "-" ? undefined : Number(arm64) },
    ]),
  );
}

/** The highest number that was reviewed for these tables (Linux 6.18). Newer calls return ENOSYS. */
export const newestKnownCall = 469;

export const systemCalls: ReadonlyMap<string, Numbers> = new Map([
  ...[...refusedCalls, ...sharedMemoryCalls, ...processCalls, ...filteredCalls],
]);

/** Returns the number of a call; undefined when the architecture has none. Throws for a call that is in no table. */
export function numberOf(call: string, architecture: Architecture): number | undefined {
  const numbers = systemCalls.get(call);
  if (numbers === undefined) throw new Error(`${call} is not in a table of system calls`);
  return numbers[architecture];
}
