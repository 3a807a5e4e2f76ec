import { existsSync, lstatSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { parseTarget } from "../../environment/remote/target.ts";
import { complaintOf, outputOfGit, runGit } from "../../git/run-git.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { newIdentifier } from "../../lib/identifier.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { redactText } from "../../policy/redaction/redact.ts";
import { allowedVariables } from "../../system/environment-variables.ts";
import type { RunSpec } from "../fleet.ts";
import { machineOf, type RunFolder } from "./run-folder.ts";
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
    await git(["init", "-q", "--bare", run.patchRepository]);
    if (spec.repository === null) return emptyTree(git, run);
    const { repository, revision } = spec;
    const mirror = await this.#mirror(repository, signal);
    const base = await this.#findCommit(mirror, repository, revision, signal);
    await writeFile(join(run.patchRepository, "objects/info/alternates"), `${join(mirror, "objects")}\n`);
    // Hard links would let a run change the objects of the mirror, which other runs use.
    const clone = [
      "clone",
      "-q",
      "--no-checkout",
      "--no-hardlinks",
      "--template=",
      "--",
      mirror,
      run.workspace,
    ];
    await git(clone, { protocols: "file" });
    const inside = [`--git-dir=${join(run.workspace, ".git")}`, `--work-tree=${run.workspace}`];
    const branch = revision === null ? [] : ["--detach", base];
    await git([...inside, "checkout", "-q", ...branch]);
    await git([...inside, "remote", "set-url", "origin", withoutUser(repository)]);
    return base;
  }

  /**
   * Returns the tree of a workspace as it is now, without what git ignores; submodules stay as in `base`. No setting of
   * the workspace counts.
   */
  async snapshot(run: RunFolder, base: string, signal: AbortSignal): Promise<string> {
    const index = join(run.path, newIdentifier("index"));
    const git = this.#git(signal);
    const inside = [`--git-dir=${run.patchRepository}`, `--work-tree=${run.workspace}`];
    const env = { GIT_INDEX_FILE: index };
    try {
      await git([...inside, "read-tree", base], { env });
      const entries = await git([inside[0]!, "ls-tree", "-r", "-z", base]);
      // Git in a submodule would follow the settings of that repository, whose filters are programs.
      const submodules = entries
        .toString()
        .split("\0")
        .filter((entry) => entry.startsWith("160000 "));
      const paths = submodules.map((entry) => `:(exclude,literal)${entry.slice(entry.indexOf("\t") + 1)}`);
      const add = ["add", "-A", "--ignore-errors", "--pathspec-from-file=-", "--pathspec-file-nul"];
      const input = Buffer.from([".", ...paths].join("\0"));
      const withPatterns = { ...env, GIT_LITERAL_PATHSPECS: "0" };
      await git([...inside, ...add], { env: withPatterns, input, inWorkspace: run.workspace });
      return (await git([...inside, "write-tree"], { env })).toString().trim();
    } finally {
      await rm(index, { force: true });
    }
  }

  /** Returns the changes of a workspace since `base`. */
  async patch(run: RunFolder, base: string, signal: AbortSignal): Promise<string> {
    const tree = await this.snapshot(run, base, signal);
    const diff = ["diff", "--binary", "--no-ext-diff", "--no-textconv", "--no-color", base, tree];
    return (await this.#git(signal)([`--git-dir=${run.patchRepository}`, ...diff])).toString();
  }

  async #mirror(repository: string, signal: AbortSignal): Promise<string> {
    const source = isUrl(repository) ? repository : resolve(repository);
    const path = join(this.#folder, "mirrors", `${contentHash(source).slice(0, 32)}.git`);
    await this.#alone(path, async () => {
      if (existsSync(path)) return;
      await mkdir(dirname(path), { recursive: true });
      const draft = `${path}.${newIdentifier("draft")}`;
      try {
        await this.#git(signal)(["clone", "-q", "--mirror", "--template=", "--", source, draft], {
          protocols: protocolsFor(source),
        });
        // A worker with the same folder may have been quicker.
        await rename(draft, path).catch((error) => {
          if (!existsSync(path)) throw error;
        });
        this.#fetchedAt.set(path, Date.now());
      } finally {
        await rm(draft, { recursive: true, force: true });
      }
    });
    return path;
  }

  async #findCommit(
    mirror: string,
    repository: string,
    revision: string | null,
    signal: AbortSignal,
  ): Promise<string> {
    const git = this.#git(signal);
    const inside = [`--git-dir=${mirror}`];
    const find = async () => {
      const args = [
        ...inside,
        "rev-parse",
        "--verify",
        "-q",
        "--end-of-options",
        `${revision ?? "HEAD"}^{commit}`,
      ];
      const { stdout, code } = await runGit({ environment: this.#environment, signal }, args, calm);
      return code === 0 ? stdout.toString().trim() : undefined;
    };
    // A commit never changes; a branch may have moved since the mirror was made.
    const isCommit = revision !== null && /^[0-9a-f]{40,64}$/.test(revision);
    const isFresh = (this.#fetchedAt.get(mirror) ?? 0) > Date.now() - freshMs;
    if ((!isCommit && !isFresh) || (await find()) === undefined)
      await this.#alone(mirror, async () => {
        await git([...inside, "fetch", "-q", "--prune", "origin"], { protocols: protocolsFor(repository) });
        this.#fetchedAt.set(mirror, Date.now());
      });
    const commit = await find();
    if (commit !== undefined) return commit;
    throw new ToolError("not-found", `The repository has no revision ${revision ?? "HEAD"}.`);
  }

  async #alone(path: string, work: () => Promise<unknown>): Promise<void> {
    const before = this.#mirroring.get(path) ?? Promise.resolve();
    const mine = before.catch(() => {}).then(work);
    this.#mirroring.set(path, mine);
    try {
      await mine;
    } finally {
      if (this.#mirroring.get(path) === mine) this.#mirroring.delete(path);
    }
  }

  #git(signal: AbortSignal): GitRunner {
    const { workspace } = this.#environment;
    return async (args: readonly string[], options: GitUse = {}): Promise<Buffer> => {
      const { protocols, env = {} } = options;
      const reaches = protocols !== undefined && protocols !== "file";
      const given = {
        use: "write",
        input: options.input,
        settings: { ...calm.settings, ...(reaches ? reaching : {}) },
        env: {
          // Only a connection needs the settings of the worker's user: addresses and credentials.
          ...(reaches ? connectionVariables() : calm.env),
          ...(protocols && { GIT_ALLOW_PROTOCOL: protocols }),
          ...env,
        },
      } as const;
      const context = { environment: this.#environment, signal };
      const where = options.inWorkspace === undefined ? [] : ["-C", options.inWorkspace];
      return outputOfGit(context, [...where, ...args], given).catch((error: unknown) => {
        signal.throwIfAborted();
        const message = error instanceof ToolError ? error.message : String(error);
        throw new ToolError("unavailable", redactText(message.replaceAll(workspace, "…")));
      });
    };
  }
}

interface GitUse {
  /** The protocols that git may use. Default: none. */
  readonly protocols?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: Uint8Array;
  readonly inWorkspace?: string;
}

/** Without settings of the user and the system, which could name filters that a repository's attributes start. */
const calm = {
  settings: { "protocol.allow": undefined, "core.symlinks": "true" },
  env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
} as const;

/** The runs of a fleet begin together: one fetch serves them all. */
const freshMs = 60_000;

const reaching = { "core.sshCommand": undefined, "credential.helper": undefined } as const;

/** The settings of the user that a connection needs: addresses and credentials. */
export function connectionVariables(): Readonly<Record<string, string>> {
  const names = ["SSH_AUTH_SOCK", "GIT_SSH_COMMAND", "GIT_CONFIG_GLOBAL"];
  const given = names.flatMap((name) => (process.env[name] ? [[name, process.env[name]] as const] : []));
  return Object.fromEntries(given);
}

/** Never `ext`, which runs any program. */
export function protocolsFor(repository: string): string {
  return isUrl(repository) ? "https:http:ssh:git" : "file";
}

async function emptyTree(git: GitRunner, run: RunFolder): Promise<string> {
  const args = [`--git-dir=${run.patchRepository}`, "hash-object", "-t", "tree", "-w", "/dev/null"];
  return (await git(args)).toString().trim();
}

type GitRunner = (args: readonly string[], options?: GitUse) => Promise<Buffer>;

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

/**
 * A container with the workspace of a run, at podman or docker. Its name has the machine, so that workers with another
 * working folder do not take it for theirs.
 */
export class RunContainer {
  readonly #environment: Environment;
  readonly #engine: string;
  readonly #name: string;

  constructor(environment: Environment, engine: string, run: string) {
    this.#environment = environment;
    this.#engine = engine;
    const machine = contentHash(machineOf(environment.workspace)).slice(0, 12);
    this.#name = `toolcrib-${machine}-${run.replaceAll(/[^\w]/g, "-")}`;
  }

  /** Starts the container, or the one that an earlier delivery has left, without its processes. Returns its target. */
  async start(image: string, workspace: string, signal: AbortSignal): Promise<string> {
    if (!/^[\w][\w./:@-]*$/.test(image))
      throw new ToolError("denied", `${image} is not the name of an image.`);
    const target = `${this.#engine}:${this.#name}:/workspace`;
    const found = await this.#run(["restart", "-t", "0", this.#name], signal);
    if (found.code === 0) return target;
    const mount = `type=bind,source=${workspace},target=/workspace`;
    const created = await this.#run(
      [
        ...["run", "-d", "--name", this.#name, "--security-opt", "no-new-privileges"],
        // A shell waits for processes that lost their parent, as an init does, which podman may not have.
        ...["--mount", mount, "--workdir", "/workspace", "--entrypoint", "sh", image, "-c", keepRunning],
      ],
      signal,
    );
    if (created.code === 0) return target;
    throw new ToolError("unavailable", `The container of ${image} did not start: ${created.complaint}`);
  }

  /** Ends its processes. The next delivery finds what the set-up command has installed. */
  async stop(): Promise<void> {
    await this.#run(["stop", "-t", "0", this.#name]).catch(() => {});
  }

  async remove(): Promise<void> {
    // docker never waits before it removes.
    const atOnce = this.#engine === "podman" ? ["-t", "0"] : [];
    await this.#run(["rm", "-f", ...atOnce, this.#name]).catch(() => {});
  }

  #run(args: readonly string[], signal: AbortSignal = new AbortController().signal) {
    return runProgram(this.#environment, this.#engine, args, signal);
  }
}

const keepRunning = "while :; do sleep 86400; done";

/** Creates the folder that a target names, as the workspace of one run. */
export async function makeTargetFolder(
  environment: Environment,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const target = parseTarget(name);
  if (target.directory === undefined) return;
  const [program = "", ...args] = target.commandFor(["mkdir", "-p", "--", target.directory], {
    mayAsk: false,
  });
  const { code, complaint } = await runProgram(environment, program, args, signal);
  if (code === 0) return;
  throw new ToolError(
    "unavailable",
    `The folder of ${name} could not be created: ${printableLine(complaint)}`,
  );
}

async function runProgram(
  environment: Environment,
  program: string,
  args: readonly string[],
  signal: AbortSignal,
) {
  // Where its server and its storage are, as the connection of the session finds them.
  const { PATH: _, ...env } = allowedVariables(process.env, { base: "all", extra: [] });
  const started = await environment.start(program, { args, env, confinement: "ours", signal });
  const drained = (async () => {
    for await (const _ of started.stdout);
  })();
  const [complaint, { code }] = await Promise.all([complaintOf(started), started.exit, drained]);
  return { code, complaint: complaint.trim().split("\n").at(-1) ?? "" };
}
