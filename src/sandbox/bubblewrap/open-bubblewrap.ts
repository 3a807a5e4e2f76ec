import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makePrivateDirectory } from "../../system/directories.ts";
import { openPrivateDirectories } from "../private-directories.ts";
import { probe } from "../probe.ts";
import type { OpenedSandbox, Sandbox, SandboxContext } from "../sandbox.ts";
import { seccompProgram } from "../seccomp/seccomp-program.ts";
import { Bubblewrap, type BubblewrapOptions } from "./bubblewrap.ts";
import { findMachinePaths } from "./machine-paths.ts";
import { DelayedRemoval, Placeholders, placeholdersFolder } from "./placeholders.ts";
import { WorkspaceView } from "./workspace-view.ts";

export interface OpenBubblewrapOptions extends SandboxContext {
  /** Used if it exists. Default: the one of the system, which profiles of AppArmor name. */
  readonly preferred?: string;
}

/** Tries bubblewrap with the profile that commands get. */
export async function openBubblewrap(options: OpenBubblewrapOptions): Promise<OpenedSandbox> {
  if (process.platform !== "linux") return { missing: "bwrap: bubblewrap needs Linux." };
  const { arch: architecture } = process;
  if (architecture !== "x64" && architecture !== "arm64")
    return { missing: `bwrap: there is no seccomp program for ${architecture} processors.` };
  const program = await findBubblewrap(options);
  if (program === undefined) return { missing: notInstalled };
  const { workspace, directory, own = [] } = options;
  makePrivateDirectory(directory);
  const privates = openPrivateDirectories(directory);
  const placeholders = new Placeholders(
    placeholdersFolder(directory),
    new DelayedRemoval(join(privates.own, "aside")),
  );
  placeholders.removeAbandoned();
  const view = new WorkspaceView({
    ...{ workspace, directory, own, privates, placeholders },
    machine: findMachinePaths(),
  });
  const seccomp = join(privates.own, "seccomp");
  writeFileSync(seccomp, seccompProgram({ architecture, network: "own namespace" }), { mode: 0o600 });
  const report = { level: "bwrap", missing: [], gaps } as const;
  const made: BubblewrapOptions = {
    ...{ program, seccomp, view, privates, report },
    findProgram: options.findProgram,
    forbidsUserNamespaces: true,
  };
  const failure = await failureOf(new Bubblewrap(made), workspace);
  if (failure === undefined) return new Bubblewrap(made);
  // Older than 0.8, or with the setuid bit: then the seccomp program alone refuses new user namespaces.
  const older = new Bubblewrap({ ...made, forbidsUserNamespaces: false });
  const stillFailing = await failureOf(older, workspace);
  if (stillFailing === undefined) return older;
  await privates.close();
  return { missing: reasonFor(stillFailing, program) };
}

async function findBubblewrap({
  findProgram,
  preferred = "/usr/bin/bwrap",
}: OpenBubblewrapOptions): Promise<string | undefined> {
  if (existsSync(preferred)) return preferred;
  return findProgram("bwrap").catch(() => undefined);
}

/** Undefined when a program that does nothing runs in it. */
async function failureOf(sandbox: Sandbox, workspace: string): Promise<string | undefined> {
  const failure = await probe(sandbox, { file: "/bin/sh", args: ["-c", ":"], cwd: workspace });
  if (failure === undefined) return undefined;
  const { stderr, error, code } = failure;
  return stderr || (code === null && error) || `It ended with ${code ?? "a signal"}.`;
}

const notInstalled =
  "bwrap: bubblewrap is not installed. Install it: `apt install bubblewrap`, `dnf install bubblewrap`, `apk add bubblewrap`.";

/** bwrap has no error codes, so its English messages decide. */
function reasonFor(said: string, program: string): string {
  if (/unknown option/i.test(said))
    return `bwrap: ${program} is too old (${said}). Version 0.5 or later is needed.`;
  if (/namespace|uid map|gid map|Operation not permitted|No permissions/i.test(said)) return forbidden(said);
  return `bwrap: ${program} does not work here: ${said}`;
}

function forbidden(said: string): string {
  const why =
    setting("kernel/apparmor_restrict_unprivileged_userns") === "1"
      ? "AppArmor forbids user namespaces: install the bubblewrap of your distribution as /usr/bin/bwrap with its AppArmor profile, or `sysctl kernel.apparmor_restrict_unprivileged_userns=0`."
      : setting("kernel/unprivileged_userns_clone") === "0"
        ? "The kernel forbids user namespaces: `sysctl kernel.unprivileged_userns_clone=1`."
        : setting("user/max_user_namespaces") === "0"
          ? "The kernel forbids user namespaces: `sysctl user.max_user_namespaces=10000`."
          : "The system or the container forbids namespaces: run the container with `--security-opt seccomp=unconfined` or let its profile allow them.";
  return `bwrap: ${why} (${said})`;
}

function setting(name: string): string | undefined {
  try {
    return readFileSync(join("/proc/sys", name), "latin1").trim();
  } catch {
    return undefined;
  }
}

const gaps = [
  "Files outside the home and temporary directories can be read as far as the user can.",
  "Below the top of the workspace, new files that editors, agents or git run by themselves can come into being.",
  "A secret or protected file that you replace while a command runs, as most editors do when they save, is uncovered for it until it is ended, a twentieth of a second later; what it may have written into settings of git is undone.",
  "Secrets in node_modules are not hidden, nor is a secret from a process that ran before it came into being.",
  "What git takes for a repository at the top of the workspace without a `.git` is undone when the command has ended, not before.",
  "Whoever runs on in the workspace stands still while a command begins that is kept from more than he is; one of another Toolcrib, or one whom his own timers wake, could have empty files made outside meanwhile.",
] as const;
