import type { ResourceLimits } from "../../contract/confinement.ts";
import { systemText } from "../../system/system-text.ts";

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * The same command, held by the kernel to what it can hold single processes to; whatever they start inherits it. These
 * are backstops, for when we cannot look: limits of all together are kept by `LimitWatch`. What the system does not let
 * us set stays as it is, which is lower then.
 *
 * `tasks`: how many processes and threads the machine has, if it tells.
 */
export function withKernelLimits(
  command: Command,
  limits: ResourceLimits,
  { tasks }: { readonly tasks: number },
): Command {
  // The kernel counts all that a user runs, also outside, and what has ended but is not yet awaited. It must come after
  // us, who can say what happened.
  const processes = 2 * limits.processes + (tasks || manyTasks);
  const lines = [
    // Before us, should the machine run out of memory.
    `echo ${oomScore()} >/proc/self/oom_score_adj`,
    // A core dump would hold whatever the program knew, also secrets.
    "ulimit -c 0",
    // SIGXCPU first, SIGKILL for who does not heed it.
    `ulimit -S -t ${limits.cpuSeconds}`,
    `ulimit -H -t ${limits.cpuSeconds + cpuGraceSeconds}`,
    `ulimit -f ${Math.ceil(limits.fileBytes / blockBytes)}`,
    // Dash and its like call it -p.
    `ulimit -u ${processes} || ulimit -p ${processes}`,
  ];
  const line = `{ ${lines.join("; ")}; } 2>/dev/null; exec "$@"`;
  return { file: "/bin/sh", args: ["-c", line, "sh", command.file, ...command.args] };
}

const cpuGraceSeconds = 5;
const blockBytes = 512;

// Of one user, where the system does not tell.
const manyTasks = 4096;

/** Those of the highest are ended first. */
function oomScore(): number {
  return Math.max(500, Number(systemText("/proc/self/oom_score_adj")));
}
