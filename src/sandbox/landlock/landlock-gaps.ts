/** What this version of Landlock does not hold back, also with seccomp and the tripwire. */
export function landlockGaps(version: number): readonly string[] {
  return [
    secretsCanBeRead,
    "Commands can change protected files inside the workspace (git hooks, settings of editors and agents) while they run; they are put back when the command has ended (a process: when it ends), and so is what you change in them meanwhile.",
    "Commands see names, sizes and times of files outside the workspace, and can change modes and times of those that the user owns, not what is in them (and make none setuid).",
    "Commands see other processes in /proc, though not their memory and variables, and share /dev/shm with them.",
    "/tmp is not there for commands: they have a private directory in TMPDIR.",
    ...(version < 6 ? [signalsPass] : []),
    ...(version < 5
      ? ["Devices that were handed to a command answer all its requests (Linux before 6.10)."]
      : []),
    version < 4
      ? "Commands reach no host, also none that a rule allows (Linux before 6.7)."
      : "A command that may reach some hosts can also reach a host that listens at the port number of the filtering proxy; processes that are to be reached listen at the machine's own addresses.",
    ...(version < 2 ? ["Files cannot be moved between directories (Linux before 5.19)."] : []),
  ];
}

export const secretsCanBeRead: string =
  "Commands can read secrets that lie inside the workspace: Landlock cannot take a file out of a directory.";

export const signalsPass: string =
  "Commands can send signals to other processes of the user (Linux before 6.12).";
