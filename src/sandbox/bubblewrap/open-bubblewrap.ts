import { existsSync, realpathSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { GitService } from "../../engine/sandbox/git/git-service.ts";
import { filesOfGitSettings } from "../../engine/sandbox/git-files.ts";
import { openHoldBack } from "../../engine/sandbox/hold-back.ts";
import { InstanceNetwork } from "../../engine/sandbox/network/instance-network.ts";
import { copyShims, furnishHome } from "../../engine/sandbox/private-installs.ts";
import { findVisible } from "../../engine/sandbox/visible.ts";
import { undefinedUnlessExhausted } from "../../lib/exhaustion.ts";
import { makePrivateDirectory } from "../../system/directories.ts";
import { readSystemFile } from "../../system/process-identity.ts";
import { openPrivateDirectories } from "../private-directories.ts";
import { probeOnce } from "../probe.ts";
import { RepositoryWatch } from "../repository-watch.ts";
import { recordFolders } from "../restore-abandoned.ts";
import type { OpenedSandbox, Sandbox, SandboxContext } from "../sandbox.ts";
import { seccompProgram } from "../seccomp/seccomp-program.ts";
import { Bubblewrap } from "./bubblewrap.ts";
import { WorkspaceView } from "./workspace-view.ts";

/** Opens bubblewrap if it works with the profile for commands. AppArmor profiles name the default of `preferred`. */
export async function openBubblewrap(
  options: SandboxContext & { readonly preferred?: string },
): Promise<OpenedSandbox> {
  if (process.platform !== "linux") return { missing: "bwrap: bubblewrap needs Linux." };
  const { arch: architecture } = process;
  if (architecture !== "x64" && architecture !== "arm64")
    return { missing: `bwrap: there is no seccomp program for ${architecture} processors.` };
  const { workspace, own, findProgram, preferred = "/usr/bin/bwrap" } = options;
  const program = existsSync(preferred) ? preferred : await findProgram("bwrap").catch(() => undefined);
  if (program === undefined) return { missing: notInstalled };
  makePrivateDirectory(options.directory);
  // Mounts follow no links in their paths.
  const directory = realpathSync(options.directory);
  const privates = openPrivateDirectories(directory, options.temporary);
  furnishHome(homedir(), privates.home);
  const visible = findVisible({
    also: options.alsoVisible,
    gitFiles: await filesOfGitSettings(findProgram),
  });
  // A read-only mount does not stop `connect`.
  const unixSockets =
    (options.alsoVisible ?? []).length === 0 && options.temporary === undefined && workspace !== "/";
  const seccomp = join(privates.own, "seccomp");
  const filter = (withSockets: boolean) =>
    seccompProgram({
      architecture,
      network: "own namespace",
      unixSockets: withSockets,
      owner: { user: process.getuid!(), group: process.getgid!() },
    });
  writeFileSync(seccomp, filter(unixSockets), { mode: 0o600 });
  const missing: string[] = [];
  let sandbox: Bubblewrap | undefined;
  // The first command in a repository pays for it.
  const gitService = once(async () => {
    const opened = unixSockets
      ? await GitService.open({ architecture, privates, findProgram, seccomp: filter(false) })
      : { missing: showsSockets };
    const reason = "missing" in opened ? opened.missing : await failureOfGit(sandbox!, opened, program);
    if (!("missing" in opened) && reason === undefined) return opened;
    if (!("missing" in opened)) opened.close();
    missing.push(
      `Git in the sandbox cannot change settings, remotes and the upstream of branches: ${reason}`,
    );
    return undefined;
  });
  const view = new WorkspaceView({
    ...{ workspace, directory, own, privates, gitService },
    holdBack: openHoldBack({ workspace, directory }),
    repositories: new RepositoryWatch({ workspace, folder: recordFolders(directory).repositories }),
    visible,
    copies: copyShims(visible.toolChains, privates.home),
  });
  const shared = await sharedNetwork(program, options);
  const parts = { program, seccomp, view, privates, gitService };
  let failure: string | undefined;
  let noNetwork = "missing" in shared ? shared.missing : undefined;
  for (const network of "missing" in shared ? [undefined] : [shared, undefined]) {
    // Before 0.8, or with the setuid bit, only the seccomp program refuses new user namespaces.
    for (const forbidsUserNamespaces of [true, false]) {
      missing.length = 0;
      if (network === undefined && noNetwork !== undefined) missing.push(withoutNetwork(noNetwork));
      const report = { level: "bwrap", missing, gaps } as const;
      sandbox = new Bubblewrap({ ...parts, network, report, forbidsUserNamespaces });
      const how = `joins a network by ${network?.perl}, no user namespaces: ${forbidsUserNamespaces}`;
      const proven = { by: program, how, folders: [workspace, directory] };
      failure = await failureOf(sandbox, workspace, proven).catch(async (error) => {
        await sandbox!.close();
        throw error;
      });
      if (failure === undefined) return sandbox;
    }
    await network?.close();
    noNetwork ??= reasonFor(failure!, program);
  }
  await privates.close();
  return { missing: reasonFor(failure!, program) };
}

/** Opens the network that commands share, or returns why there is none. */
async function sharedNetwork(
  bubblewrap: string,
  { findProgram, exposed }: SandboxContext,
): Promise<InstanceNetwork | { readonly missing: string }> {
  const find = (name: string) => findProgram(name).catch(() => undefined);
  const perl = await find("perl");
  if (perl === undefined) return { missing: "perl is not installed. Install it: `apt install perl-base`." };
  const network = new InstanceNetwork({ bubblewrap, perl, exposed });
  try {
    await network.join();
    return network;
  } catch (error) {
    undefinedUnlessExhausted(error);
    return { missing: reasonFor((error as Error).message, bubblewrap) };
  }
}

function withoutNetwork(reason: string): string {
  return `Commands have no network, and cannot reach each other's servers: ${reason}`;
}

/** The programs by which git has run in this process. */
const ranGit = new Set<string>();

async function failureOfGit(
  sandbox: Bubblewrap,
  service: GitService,
  program: string,
): Promise<string | undefined> {
  const failure = ranGit.has(program) ? undefined : await sandbox.proveGit(service);
  if (failure === undefined) ranGit.add(program);
  return failure;
}

const showsSockets = "commands see paths where programs of this machine may listen.";

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

async function failureOf(
  sandbox: Sandbox,
  workspace: string,
  proven: Parameters<typeof probeOnce>[2],
): Promise<string | undefined> {
  const failure = await probeOnce(sandbox, { file: "/bin/sh", args: ["-c", ":"], cwd: workspace }, proven);
  if (failure === undefined) return undefined;
  const { stderr, error, code } = failure;
  return stderr || (code === null && error) || `it ended with ${code ?? "a signal"}.`;
}

const notInstalled =
  "bwrap: bubblewrap is not installed. Install it: `apt install bubblewrap`, `dnf install bubblewrap`, `apk add bubblewrap`.";

/** Explains why bubblewrap failed, by its English messages, because it has no error codes. */
function reasonFor(output: string, program: string): string {
  if (/unknown option/i.test(output))
    return `bwrap: ${program} is too old (${output}). Version 0.5 or later is needed.`;
  if (/mount proc/i.test(output)) return `bwrap: ${hiddenProc} (${output})`;
  if (!/namespace|uid map|gid map|Operation not permitted|No permissions/i.test(output))
    return `bwrap: ${program} does not work here: ${output}`;
  const [, , why] = refusals.find(([setting, value]) => isSet(setting, value)) ?? [];
  return `bwrap: ${why ?? "The system or the container forbids namespaces: run the container with `--security-opt seccomp=unconfined` or let its profile allow them."} (${output})`;
}

/** A new /proc would show what the container's own hides. */
const hiddenProc =
  "The container hides parts of /proc: run it with `--security-opt unmask=/proc/*` (podman) or `--security-opt systempaths=unconfined` (docker).";

const refusals = [
  [
    "kernel/apparmor_restrict_unprivileged_userns",
    "1",
    "AppArmor forbids user namespaces: install the bubblewrap of your distribution as /usr/bin/bwrap with its AppArmor profile (`apt install bubblewrap apparmor-profiles && ln -s /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict`), or `sysctl kernel.apparmor_restrict_unprivileged_userns=0`.",
  ],
  [
    "kernel/unprivileged_userns_clone",
    "0",
    "The kernel forbids user namespaces: `sysctl kernel.unprivileged_userns_clone=1`.",
  ],
  [
    "user/max_user_namespaces",
    "0",
    "The kernel forbids user namespaces: `sysctl user.max_user_namespaces=10000`.",
  ],
] as const;

function isSet(setting: string, value: string): boolean {
  return readSystemFile(join("/proc/sys", setting)).trim() === value;
}

const gaps = [
  "Below the top of the workspace, commands can create new files that editors or agents run automatically. New git repositories there whose settings run programs are disabled only after the command has ended. Until then an editor that polls git runs these programs.",
  "When you replace a secret or protected file while a command runs, as most editors do when they save, that command can see and change the new file; the answer names it. Git settings that it may have changed are restored.",
  "Secrets in node_modules are not hidden. A secret created while a process runs is not hidden from that process.",
  "When a command turns the top of the workspace into a git repository without a `.git`, that is undone within half a second.",
  "Without perl, before Linux 5.12, or where the system forbids such mounts, a command that replaces directories by links while another command starts can cause empty files to be created outside; that other command does not run then.",
] as const;
