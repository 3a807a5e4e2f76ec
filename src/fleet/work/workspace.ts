import { lstatSync } from "node:fs";
import { readdir, rm, utimes, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { newIdentifier } from "../../lib/identifier.ts";
import { printableLine } from "../../lib/text/printable.ts";
import type { RunSpec } from "../fleet.ts";
import { FleetGit } from "../fleet-git.ts";
import type { RunFolder } from "./run-folder.ts";
import { isUrl } from "./worker-limits.ts";

/** Makes workspaces of runs, in the working folder of a worker. */
export class Workspaces {
  readonly #folder: string;
  /** Its workspace is the working folder. */
  readonly #environment: Environment;
  /** Mirrors that are being made or fetched in this process. */
  readonly #mirroring = new Map<string, Promise<unknown>>();
  readonly #fetchedAt = new Map<string, number>();

  constructor(folder: string, environment: Environment) {
    this.#folder = folder;
    this.#environment = environment;
  }

  /** Fills the workspace of a run. Returns the commit that its patch is relative to. */
  async prepare(spec: RunSpec, run: RunFolder, signal: AbortSignal): Promise<string> {
    const git = this.#git(signal);
    await git.output(["init", "-q", "--bare", run.patchRepository]);
    if (spec.repository === null) {
      const empty = ["hash-object", "-t", "tree", "-w", "/dev/null"];
      return (await git.output([`--git-dir=${run.patchRepository}`, ...empty])).toString().trim();
    }
    const { repository, revision } = spec;
    const { mirror, commit } = await this.#mirror(repository, revision, signal);
    await writeFile(join(run.patchRepository, "objects/info/alternates"), `${join(mirror, "objects")}\n`);
    // Hard links would let a run change the objects of the mirror, which other runs use.
    const clone = ["clone", "-q", "--no-checkout", "--no-hardlinks", "--template=", "--"];
    await git.output([...clone, mirror, run.workspace], { source: mirror });
    const inside = [`--git-dir=${join(run.workspace, ".git")}`, `--work-tree=${run.workspace}`];
    const branch = revision === null ? [] : ["--detach", commit];
    await git.output([...inside, "checkout", "-q", ...branch]);
    await git.output([...inside, "remote", "set-url", "origin", withoutUser(repository)]);
    return commit;
  }

  /**
   * Returns the tree of a workspace as it is now, without what git ignores; submodules stay as in `base`. No setting of
   * the workspace counts. Throws for files that git cannot read.
   */
  async snapshot(run: RunFolder, base: string, signal: AbortSignal): Promise<string> {
    await refuseObstacles(run.workspace);
    const index = join(run.path, newIdentifier("index"));
    const git = this.#git(AbortSignal.any([signal, AbortSignal.timeout(longestSnapshotMs)]));
    const inside = [`--git-dir=${run.patchRepository}`, `--work-tree=${run.workspace}`];
    const env = { GIT_INDEX_FILE: index };
    try {
      await git.output([...inside, "read-tree", base], { env });
      const entries = await git.output([inside[0]!, "ls-tree", "-r", "-z", base]);
      // Git in a submodule would follow the settings of that repository, whose filters are programs.
      const submodules = entries
        .toString()
        .split("\0")
        .filter((entry) => entry.startsWith("160000 "));
      const paths = submodules.map((entry) => `:(exclude,literal)${entry.slice(entry.indexOf("\t") + 1)}`);
      const add = ["add", "-A", "--ignore-errors", "--pathspec-from-file=-", "--pathspec-file-nul"];
      const input = Buffer.from([".", ...paths].join("\0"));
      const withPatterns = { ...env, GIT_LITERAL_PATHSPECS: "0" };
      await git.output([...inside, ...add], { env: withPatterns, input, directory: run.workspace });
      return (await git.output([...inside, "write-tree"], { env })).toString().trim();
    } finally {
      await rm(index, { force: true });
    }
  }

  /** Returns the changes of a workspace since `base`. Throws when they are too large to store. */
  async patch(run: RunFolder, base: string, signal: AbortSignal): Promise<Buffer> {
    const tree = await this.snapshot(run, base, signal);
    const diff = ["diff", "--binary", "--no-ext-diff", "--no-textconv", "--no-color", base, tree];
    try {
      return await this.#git(signal).output([`--git-dir=${run.patchRepository}`, ...diff]);
    } catch (error) {
      if (!(error instanceof ToolError && error.code === "too-large")) throw error;
      throw new ToolError("too-large", "The patch is larger than 64 MB.", {
        hint: "List generated files in .gitignore, or let the set-up command make them.",
      });
    }
  }

  /** Returns a mirror that has the commit of a revision. */
  async #mirror(
    repository: string,
    revision: string | null,
    signal: AbortSignal,
  ): Promise<{ readonly mirror: string; readonly commit: string }> {
    const git = this.#git(signal);
    const source = isUrl(repository) ? repository : resolve(repository);
    const mirror = join(this.#folder, "mirrors", `${contentHash(source).slice(0, 32)}.git`);
    const find = () => git.commit(mirror, revision ?? "HEAD");
    // A commit never changes; a branch may have moved since the mirror was made.
    const isCommit = revision !== null && /^[0-9a-f]{40,64}$/.test(revision);
    const commit = await this.#alone(mirror, async () => {
      const isFresh = () => (this.#fetchedAt.get(mirror) ?? 0) > Date.now() - freshMs;
      if (lstatSync(mirror, { throwIfNoEntry: false }) === undefined) {
        await git.clone("--mirror", source, mirror);
        this.#fetchedAt.set(mirror, Date.now());
      }
      // Mirrors that were not used for long are removed.
      await utimes(mirror, new Date(), new Date());
      const known = isCommit || isFresh() ? await find() : undefined;
      if (known !== undefined) return known;
      await git.fetch(mirror, source, "--prune", "+refs/*:refs/*");
      this.#fetchedAt.set(mirror, Date.now());
      return find();
    });
    if (commit !== undefined) return { mirror, commit };
    throw new ToolError("not-found", `The repository has no revision ${revision ?? "HEAD"}.`);
  }

  async #alone<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#mirroring.get(path) ?? Promise.resolve();
    const mine = before.catch(() => {}).then(work);
    this.#mirroring.set(path, mine);
    try {
      return await mine;
    } finally {
      if (this.#mirroring.get(path) === mine) this.#mirroring.delete(path);
    }
  }

  #git(signal: AbortSignal): FleetGit {
    return new FleetGit(this.#environment, signal);
  }
}

/** The runs of a fleet begin together: one fetch serves them all. */
const freshMs = 60_000;

/** Git reads each file once; a longer time means that it waits for one that never ends. */
const longestSnapshotMs = 15 * 60_000;

/** Git would wait forever for a pipe with the name of one of its own files, and skip folders that it cannot read. */
async function refuseObstacles(workspace: string): Promise<void> {
  // Names are bytes: not all of them are UTF-8.
  const folders = [Buffer.from(workspace)];
  const refuse = (path: Buffer, problem: string) => {
    const name = printableLine(path.subarray(workspace.length + 1).toString()) || "the workspace";
    return new ToolError("unsupported", `The patch cannot be made: ${name} ${problem}.`);
  };
  for (const folder of folders) {
    const entries = await readdir(folder, { withFileTypes: true, encoding: "buffer" }).catch(() => {
      throw refuse(folder, "cannot be read");
    });
    for (const entry of entries) {
      const path = Buffer.concat([folder, Buffer.from("/"), entry.name]);
      const name = entry.name.toString("latin1");
      if (entry.isDirectory() && name !== ".git") folders.push(path);
      if (entry.isFIFO() && name.startsWith(".git")) throw refuse(path, "is a pipe");
    }
  }
}

/** A name or a password in the address is not for the model. */
function withoutUser(repository: string): string {
  return repository.replace(/^([a-z]+:\/\/)[^/@]*@/i, "$1");
}

/** Throws when a path of the check leaves the workspace, or a link is on its way. */
export function checkedPath(workspace: string, path: string): string {
  const parts = path.split("/");
  if (path === "" || path.startsWith("/") || /[\\\0]/.test(path) || parts.some((part) => odd.has(part)))
    throw new ToolError("denied", `The check has a file outside the workspace: ${path}`);
  if (parts[0] === ".git") throw new ToolError("denied", `The check has a file of git: ${path}`);
  let current = workspace;
  for (const part of parts) {
    current = join(current, part);
    if (lstatSync(current, { throwIfNoEntry: false })?.isSymbolicLink() ?? false)
      throw new ToolError("denied", `The path of a file of the check contains a link: ${path}`);
  }
  return current;
}

const odd: ReadonlySet<string> = new Set(["", ".", ".."]);
