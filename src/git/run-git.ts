import { posix } from "node:path";
import type { Environment, OwnDirectory, RunningProcess } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { refuseBlockingFiles } from "../lib/blocking-files.ts";
import { gitReadingVariables, gitVariables } from "../lib/git-reading.ts";
import { explainFailure } from "./explain-failure.ts";
import { type FilterDriver, filesIncluded, settingsIn, withoutFilters } from "./filter-drivers.ts";
import { liesIn } from "./paths.ts";

export interface GitContext {
  readonly environment: Environment;
  readonly signal: AbortSignal;
  /** Called each second while git runs. */
  readonly progress?: (message: string) => void;
}

/** A repository, with the context of the call that uses it. */
export interface Repository extends GitContext {
  /** Absolute and real: git's own directory for this working tree. */
  readonly gitDirectory: string;
  /** The directory that linked working trees share; otherwise the same. */
  readonly commonDirectory: string;
  /** Absolute and real. Above the workspace if that is only a part of the working tree. */
  readonly top: string;
  /** Where git is started, relative to the workspace: the working tree, or the workspace if that is below it. */
  readonly directory: string;
  /** Makes a path of git a path of the workspace: "", or names, each followed by "/". */
  readonly prefix: string;
  /** The part of git's paths that is in the workspace: "" for all, or names, each followed by "/". */
  readonly below: string;
  readonly filters: readonly FilterDriver[];
  readonly settings: readonly string[];
  /** The output of `git config --list -z --show-scope`, if this call has run it. */
  readonly listing?: string | undefined;
  /** Replaces the common directory when git runs without a sandbox: see `checkedDirectory`. */
  readonly checked?: OwnDirectory;
}

export interface GitOptions {
  readonly input?: Uint8Array | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** "read" changes nothing, not even the index. Default: "read". */
  readonly use?: "read" | "write" | undefined;
  /** Settings that override `fixedSettings`; undefined keeps git's own setting. */
  readonly settings?: Readonly<Record<string, string | undefined>> | undefined;
  /** Names of filters that may run. Default: none. */
  readonly filters?: readonly string[] | undefined;
  /**
   * "ours": no program of the repository runs. "call": git runs in the sandbox of the call, with the programs that its rules
   * allow; the repository must be in the workspace. Default: "ours".
   */
  readonly confinement?: "ours" | "call" | undefined;
  /** Whether only git itself runs, and changes no file of the working tree. */
  readonly leavesFiles?: boolean | undefined;
  /** Directories that the sandbox shows besides the workspace. */
  readonly readable?: readonly string[] | undefined;
}

export interface GitResult {
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly code: number | undefined;
  readonly remarks: readonly string[];
}

/** Starts git so that no program of the repository runs except those in `options`. A `GitContext` has no repository. */
export async function startGit(
  git: Repository | GitContext,
  args: readonly string[],
  options: GitOptions = {},
): Promise<Pick<RunningProcess, "stdout" | "stderr" | "exit" | "stop">> {
  const { use = "read", confinement = "ours", leavesFiles = false, input, readable = [] } = options;
  const { environment, signal, progress } = git;
  const repository = "gitDirectory" in git ? git : undefined;
  const process = await environment.start("git", {
    args: [
      "--no-pager",
      ...settingsFor(repository, options).flatMap((setting) => ["-c", setting]),
      ...(repository ? [`--git-dir=${repository.gitDirectory}`, `--work-tree=${repository.top}`] : []),
      ...args,
    ],
    cwd: repository?.directory || ".",
    env: { ...fixedVariables, ...(use === "read" && gitReadingVariables), ...options.env },
    input,
    leavesFiles,
    ownDirectory: confinement === "ours" ? repository?.checked : undefined,
    confinement: confinement === "ours" ? confinement : readable.length > 0 ? { readable } : undefined,
    signal,
  });
  if (progress !== undefined) reportWhileRunning(process, args[0] ?? "", progress);
  return repository === undefined ? process : refuseBlockingFiles(process, placesOf(repository), git);
}

/** Where git reads files. */
function placesOf({ top, gitDirectory, commonDirectory, environment }: Repository) {
  return {
    trees: [top],
    directories: [...new Set([gitDirectory, commonDirectory])],
    files: async () => {
      const settings = (await settingsIn(commonDirectory, environment)) ?? "";
      return filesIncluded(settings).map((path) => posix.resolve(commonDirectory, path));
    },
  };
}

function reportWhileRunning(
  { exit }: Pick<RunningProcess, "exit">,
  command: string,
  progress: (message: string) => void,
): void {
  let seconds = 0;
  const timer = setInterval(() => progress(`git ${command}: ${++seconds} s`), 1000);
  const stop = () => clearInterval(timer);
  exit.then(stop, stop);
}

export function isInSandbox({ gitDirectory, commonDirectory, top, environment }: Repository): boolean {
  const { workspace, confinement } = environment;
  return (
    confinement !== undefined &&
    [gitDirectory, commonDirectory, top].every((path) => liesIn(path, [workspace]))
  );
}

function settingsFor(repository: Repository | undefined, options: GitOptions): readonly string[] {
  const fixed = Object.entries({ ...fixedSettings, ...options.settings }).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${value}`],
  );
  if (repository === undefined) return fixed;
  const refused = repository.filters.filter(({ name }) => !options.filters?.includes(name));
  return [...fixed, ...withoutFilters(refused), ...repository.settings];
}

/** Runs git to its end, whatever its exit code. Throws `too-large` if it prints too much. */
export async function runGit(
  git: Repository | GitContext,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  const process = await startGit(git, args, options);
  const complaint = complaintOf(process);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of process.stdout) {
    bytes += piece.length;
    if (bytes > maxBytes) {
      process.stop();
      throw new ToolError("too-large", `git ${args[0]} prints more than ${maxBytes >> 20} MB`, {
        hint: "Pass paths, or request fewer commits.",
      });
    }
    pieces.push(piece);
  }
  const { code, remarks } = await process.exit;
  return { stdout: Buffer.concat(pieces), stderr: await complaint, code, remarks };
}

const maxBytes = 64 * 1024 * 1024;

/** Returns the output of git. Throws an explained error if git fails. */
export async function outputOfGit(
  git: Repository | GitContext,
  args: readonly string[],
  options: GitOptions = {},
): Promise<Buffer> {
  const { stdout, stderr, code } = await runGit(git, args, options);
  if (code !== 0) throw explainFailure(stderr, code);
  return stdout;
}

/** Reads a process's standard error to the end, and returns the beginning. */
export function complaintOf({ stderr }: Pick<RunningProcess, "stderr">): Promise<string> {
  return beginningOf(stderr, 8 * 1024);
}

async function beginningOf(stream: AsyncIterable<Uint8Array>, maxChars: number): Promise<string> {
  let text = "";
  for await (const piece of stream) if (text.length < maxChars) text += Buffer.from(piece).toString();
  return text.slice(0, maxChars);
}

/** Returns the output of a fixed program, which may read outside the workspace: it runs without the sandbox of the call. */
export async function outputOfProgram(
  program: string,
  args: readonly string[],
  { environment, signal }: GitContext,
): Promise<string> {
  const env = { LC_ALL: "C" };
  const process = await environment.start(program, { args, env, confinement: "ours", signal });
  const output = beginningOf(process.stdout, 1024 * 1024);
  await Promise.all([output, complaintOf(process), process.exit]);
  return output;
}

/**
 * Turns off everything that a repository's own settings could run or read elsewhere: settings on the command line override
 * those of every file. Filters have free names, and are looked up (filter-drivers.ts).
 */
const fixedSettings: Readonly<Record<string, string>> = {
  // Git would start these programs.
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
  // Signing and checking signatures run a program from the settings.
  "commit.gpgSign": "false",
  "tag.gpgSign": "false",
  "log.showSignature": "false",
  "gpg.program": "false",
  "gpg.openpgp.program": "false",
  "gpg.x509.program": "false",
  "gpg.ssh.program": "false",
  "gpg.ssh.defaultKeyCommand": "false",
  // Reusing a recorded resolution is a merge, whose drivers have free names.
  "rerere.enabled": "false",
  // Cleaning up starts hooks and continues after the call.
  "gc.auto": "0",
  "maintenance.auto": "false",
  // Git in a submodule follows the settings of that repository.
  "submodule.recurse": "false",
  "status.submoduleSummary": "false",
  "diff.submodule": "short",
  // A diff would write the index despite GIT_OPTIONAL_LOCKS; our parser drops files that only look changed.
  "diff.autoRefreshIndex": "false",
  "diff.suppressBlankEmpty": "false",
  // Comparing takes five times the memory of a file: larger ones count as binary.
  "core.bigFileThreshold": "100m",
  // Nothing is fetched.
  "protocol.allow": "never",
  // Both can name any file, whose content git would show.
  "mailmap.file": "",
  "commit.template": "",
  // Git ignores a folder that only looks like a repository.
  "safe.bareRepository": "explicit",
  // Output that is parsed must look the same everywhere.
  "color.ui": "false",
  "core.quotePath": "false",
  "core.abbrev": "auto",
  "i18n.logOutputEncoding": "UTF-8",
  "log.showRoot": "true",
  "diff.noprefix": "false",
  "diff.mnemonicPrefix": "false",
  "advice.detachedHead": "false",
};

/** Paths are literal, never patterns. */
const fixedVariables: Readonly<Record<string, string>> = {
  ...gitVariables,
  GIT_PAGER: "cat",
  GIT_EDITOR: "false",
  GIT_ASKPASS: "",
  SSH_ASKPASS: "",
  GIT_LITERAL_PATHSPECS: "1",
  LC_ALL: "C",
};

export const fixedDiffOptions: readonly string[] = [
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--submodule=short",
  "--ignore-submodules=dirty",
  // This cancels diff.orderFile, which git would read.
  "-O/dev/null",
];
