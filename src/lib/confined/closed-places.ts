import type { SandboxLevel } from "../../contract/account.ts";

/** What was refused by this level of the sandbox, whatever the rules, and what to do instead. */
export function explainClosedPlaces(output: string, sandbox: SandboxLevel): readonly string[] {
  return closed
    .filter(({ levels, sign }) => (levels === "all" || levels.includes(sandbox)) && sign.test(output))
    .map(({ remark }) => remark);
}

interface ClosedPlace {
  readonly levels: "all" | readonly SandboxLevel[];
  readonly sign: RegExp;
  readonly remark: string;
}

const closed: readonly ClosedPlace[] = [
  {
    levels: ["landlock"],
    sign: /(?:^|[\s'"‘“(])\/(?:var\/)?tmp\/[^\n]{0,300}permission denied|permission denied[^\n]{0,100}['"‘“ ]\/(?:var\/)?tmp\/|AccessDeniedException: \/(?:var\/)?tmp\//im,
    remark: "Temporary files belong into $TMPDIR here: without bubblewrap /tmp cannot be given to a command.",
  },
  {
    levels: ["landlock"],
    sign: /listen EACCES|bind[^\n]{0,80}permission denied|permission denied[^\n]{0,80}bind/i,
    remark:
      "Without bubblewrap a command cannot listen: process.start can, for what is reached from outside; tests that connect to their own server need bubblewrap.",
  },
  {
    levels: "all",
    sign: /listen EPERM|(?:AF_UNIX|\.sock\b)[^\n]{0,100}operation not permitted|connection\.py[\s\S]{0,400}\[Errno 1\] Operation not permitted/i,
    remark:
      "The sandbox has no Unix sockets, which lead out of it: what needs them runs outside, by a rule such as `unconfined run WORDS`.",
  },
  {
    levels: ["bwrap"],
    sign: /^(?!.{0,50}config file).{0,300}device or resource busy/im,
    remark:
      "What is protected or hidden, and the directories that it lies in, can be neither moved nor deleted by a command: a person can.",
  },
  {
    levels: "all",
    sign: /fatal: cannot (?:copy|mkdir)[^\n]{0,300}\.git\b[^\n]{0,300}(?:denied|read-only|exists)/i,
    remark: "A repository is made by `git init` or `git clone` in a command of its own: run that first.",
  },
  {
    levels: "all",
    sign: /could not (?:write|lock) config file [^\n]{0,300}\.git\//,
    remark:
      "Commands do not change the settings of a repository, which can name programs to run: give them for one command (`git -c name=value …`), or ask the person to set them.",
  },
];
