import type { Environment, OwnDirectory, RunningProcess } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { explainFailure } from "./explain-failure.ts";
import { type FilterDriver, withoutFilters } from "./filter-drivers.ts";
import { liesIn } from "./paths.ts";

/** Where git is to be used, and what its settings could run there. */
export interface Repository {
  /** Absolute and real: git's own directory for this working tree. */
  readonly gitDirectory: string;
  /** What linked working trees share; else the same. */
  readonly commonDirectory: string;
  /** Absolute and real. Above the workspace where that is only a part of it. */
  readonly top: string;
  /** Where git is started, relative to the workspace: the working tree, or the workspace where that lies below. */
  readonly directory: string;
  /** What makes a path of git one of the workspace: "", or names, each with "/" behind. */
  readonly prefix: string;
  /** What of git's paths lies in the workspace: "" for all, or names, each with "/" behind. */
  readonly below: string;
  readonly filters: readonly FilterDriver[];
  /** Settings that only this repository needs. */
  readonly settings: readonly string[];
  /** What git has in the place of the common directory where no sandbox is around it; see judgedDirectory. */
  readonly judged?: OwnDirectory;
}

export interface GitContext {
  readonly environment: Environment;
  readonly signal: AbortSignal;
  /** Told each second that git is still at work. */
  readonly progress?: (message: string) => void;
}

export interface GitOptions {
  readonly input?: Uint8Array | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** "read": leaves everything as it is, the index too. */
  readonly use?: "read" | "write" | undefined;
  /** Settings beside ours or instead of them: undefined leaves what the repository says, a hook for example. */
  readonly settings?: Readonly<Record<string, string | undefined>> | undefined;
  /** Names of filters that may run. Default: none. */
  readonly filters?: readonly string[] | undefined;
  /**
   * "ours": nothing of the repository's runs. "call": in the sandbox of the call, for what its rules let run; the repository
   * must lie in the workspace.
   */
  readonly confinement?: "ours" | "call" | undefined;
  /** Only git itself runs there, and changes no file of the working tree. */
  readonly leavesFiles?: boolean | undefined;
  /** What it is to see there beside the workspace. */
  readonly readable?: readonly string[] | undefined;
}

export interface GitResult {
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly code: number | undefined;
  /** Of the sandbox. */
  readonly remarks: readonly string[];
}

/** Starts git so that only what `options` name of the repository's own is run. `unavailable` where there is no git. */
export async function startGit(
  repository: Repository | "none",
  args: readonly string[],
  { environment, signal, progress }: GitContext,
  options: GitOptions = {},
): Promise<RunningProcess> {
  const { use = "read", confinement = "ours", leavesFiles = false, input, readable = [] } = options;
  const isFound = repository !== "none";
  const process = await environment.start("git", {
    args: [
      "--no-pager",
      ...settingsFor(repository, options).flatMap((setting) => ["-c", setting]),
      ...(isFound ? [`--git-dir=${repository.gitDirectory}`, `--work-tree=${repository.top}`] : []),
      ...args,
    ],
    cwd: (isFound && repository.directory) || ".",
    env: { ...heldVariables, ...(use === "read" && readingVariables), ...options.env },
    input,
    leavesFiles,
    ...(isFound && confinement === "ours" && repository.judged !== undefined
      ? { ownDirectory: repository.judged }
      : {}),
    ...(confinement === "ours" ? { confinement } : readable.length > 0 ? { confinement: { readable } } : {}),
    signal,
  });
  if (progress !== undefined) tellWhileRunning(process, args[0] ?? "", progress);
  return process;
}

function tellWhileRunning(
  { exit }: RunningProcess,
  command: string,
  progress: (message: string) => void,
): void {
  let seconds = 0;
  const timer = setInterval(() => {
    seconds += 1;
    progress(`git ${command}: ${seconds} s`);
  }, 1000);
  const stop = () => clearInterval(timer);
  exit.then(stop, stop);
}

/** Whether a sandbox of this call shows all of the repository. */
export function reachedBySandbox(
  { gitDirectory, commonDirectory, top }: Repository,
  { workspace, confinement }: Pick<Environment, "workspace" | "confinement">,
): boolean {
  const places = [gitDirectory, commonDirectory, top];
  return confinement !== undefined && places.every((place) => liesIn(place, [workspace]));
}

function settingsFor(repository: Repository | "none", options: GitOptions): readonly string[] {
  const held = Object.entries({ ...heldSettings, ...options.settings }).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${value}`],
  );
  if (repository === "none") return held;
  const refused = repository.filters.filter(({ name }) => !options.filters?.includes(name));
  return [...held, ...withoutFilters(refused), ...repository.settings];
}

/** Runs git to its end, whatever its exit code. `too-large` when it says more than `maxBytes`. */
export async function runGit(
  repository: Repository | "none",
  args: readonly string[],
  context: GitContext,
  options: GitOptions & { readonly maxBytes?: number | undefined } = {},
): Promise<GitResult> {
  const { maxBytes = usualMaxBytes } = options;
  const process = await startGit(repository, args, context, options);
  const complaint = complaintOf(process);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of process.stdout) {
    bytes += piece.length;
    if (bytes > maxBytes) {
      process.stop();
      throw tooLarge(args[0] ?? "", maxBytes);
    }
    pieces.push(piece);
  }
  const { code, remarks } = await process.exit;
  return { stdout: Buffer.concat(pieces), stderr: await complaint, code, remarks };
}

const usualMaxBytes = 64 * 1024 * 1024;

/** What git prints; what it complains of instead is thrown with the way out. */
export async function outputOfGit(
  repository: Repository | "none",
  args: readonly string[],
  context: GitContext,
  options: Parameters<typeof runGit>[3] = {},
): Promise<Buffer> {
  const { stdout, stderr, code } = await runGit(repository, args, context, options);
  if (code !== 0) throw explainFailure(stderr, code);
  return stdout;
}

/** The beginning of what a process writes to stderr, all of which is read. */
export async function complaintOf({ stderr }: Pick<RunningProcess, "stderr">): Promise<string> {
  let text = "";
  for await (const piece of stderr) if (text.length < maxComplaint) text += Buffer.from(piece).toString();
  return text.slice(0, maxComplaint);
}

const maxComplaint = 8 * 1024;

function tooLarge(command: string, maxBytes: number): ToolError {
  return new ToolError("too-large", `git ${command} says more than ${maxBytes >> 20} MB`, {
    hint: "Ask for less: give paths, or fewer commits.",
  });
}

/**
 * What a repository's own settings could run or lead to, and how that is turned off: settings on the command line win over
 * those of every file. Drivers have free names, and are looked up (filter-drivers.ts); options of single commands stand with them.
 */
const heldSettings: Readonly<Record<string, string>> = {
  // Programs that git starts by itself.
  "core.fsmonitor": "false",
  "core.hooksPath": "/dev/null",
  "core.pager": "cat",
  "core.editor": "false",
  "core.askPass": "",
  "core.sshCommand": "false",
  "core.gitProxy": "",
  "core.alternateRefsCommand": "false",
  "credential.helper": "",
  "diff.external": "",
  "sequence.editor": "false",
  "interactive.diffFilter": "",
  // Signing and checking of signatures run a program that settings name.
  "commit.gpgSign": "false",
  "tag.gpgSign": "false",
  "log.showSignature": "false",
  "gpg.program": "false",
  "gpg.openpgp.program": "false",
  "gpg.x509.program": "false",
  "gpg.ssh.program": "false",
  "gpg.ssh.defaultKeyCommand": "false",
  // To use a remembered resolution is a merge, for which drivers have free names.
  "rerere.enabled": "false",
  // Cleaning up starts hooks and goes on when the call has ended.
  "gc.auto": "0",
  "maintenance.auto": "false",
  // Git in a submodule obeys the settings of that repository.
  "submodule.recurse": "false",
  "status.submoduleSummary": "false",
  "diff.submodule": "short",
  // A diff would write the index, whatever the variable says: what only looks changed is left out by us.
  "diff.autoRefreshIndex": "false",
  "diff.suppressBlankEmpty": "false",
  // Comparing takes five times the memory of a file: larger ones are told of like binary ones.
  "core.bigFileThreshold": "100m",
  // Nothing is fetched.
  "protocol.allow": "never",
  // Files anywhere, whose lines would be shown.
  "mailmap.file": "",
  "commit.template": "",
  // A folder that only looks like a repository is none.
  "safe.bareRepository": "explicit",
  // What we read must look the same everywhere.
  "color.ui": "false",
  "core.quotePath": "false",
  "core.abbrev": "auto",
  "i18n.logOutputEncoding": "UTF-8",
  "log.showRoot": "true",
  "diff.noprefix": "false",
  "diff.mnemonicPrefix": "false",
  "advice.detachedHead": "false",
};

/**
 * None of our own `GIT_` variables reach git. No protocol has the name "none": a partial clone would else fetch what it lacks
 * with whatever program its settings name. Paths are paths, never patterns.
 */
const heldVariables: Readonly<Record<string, string>> = {
  GIT_ALLOW_PROTOCOL: "none",
  GIT_NO_LAZY_FETCH: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  GIT_EDITOR: "false",
  GIT_ASKPASS: "",
  SSH_ASKPASS: "",
  GIT_LITERAL_PATHSPECS: "1",
  LC_ALL: "C",
};

/** Reading leaves the index as it is, so that the person's own git never finds it locked by us. */
const readingVariables: Readonly<Record<string, string>> = { GIT_OPTIONAL_LOCKS: "0" };

/** Options for every command that shows a diff. */
export const heldDiffOptions: readonly string[] = [
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--submodule=short",
  "--ignore-submodules=dirty",
  // Cancels diff.orderFile, which would be read.
  "-O/dev/null",
];
