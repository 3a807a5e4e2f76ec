import { assemble, type Line } from "./seccomp-program.ts";
import { type Architecture, table } from "./system-calls.ts";

/** The calls about which git's supervisor is asked: all that change files by their names, and that start programs. */
export const askedCalls: ReturnType<typeof table> = table(`
  open 2/-, openat 257/56, creat 85/-, truncate 76/45, mkdir 83/-, mkdirat 258/34, mknod 133/-, mknodat 259/33,
  chmod 90/-, fchmodat 268/53, fchmodat2 452/452, unlink 87/-, rmdir 84/-, unlinkat 263/35, rename 82/-,
  renameat 264/38, renameat2 316/276, link 86/-, linkat 265/37, symlink 88/-, symlinkat 266/36, execve 59/221,
  execveat 322/281, sched_rr_get_interval 148/127
`);

/** O_WRONLY, O_RDWR, O_CREAT, O_TRUNC and O_TMPFILE. */
const writes = 0x400243;

/** Returns a filter that passes these calls to a listener (SECCOMP_RET_USER_NOTIF), and files only if they are opened for writing. */
export function askingProgram(architecture: Architecture): Uint8Array {
  const numbered = Array.from(askedCalls).flatMap(([call, numbers]) => {
    const number = numbers[architecture];
    return number === undefined ? [] : [{ call, number }];
  });
  const opening: Readonly<Record<string, number>> = { open: 1, openat: 2 };
  return assemble([
    { load: 0 },
    ...numbered.map(({ call, number }): Line => ({ ifEqual: number, goTo: call in opening ? call : "ask" })),
    { return: allow },
    ...numbered
      .filter(({ call }) => call in opening)
      .flatMap(({ call }): Line[] => [
        { label: call },
        { load: 16 + opening[call]! * 8 },
        { ifAnyBitOf: writes, goTo: "ask" },
        { return: allow },
      ]),
    { label: "ask" },
    { return: 0x7fc00000 },
  ]);
}

const allow = 0x7fff0000;
