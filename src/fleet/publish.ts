import { mkdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { complaintOf } from "../git/run-git.ts";
import { contentHash } from "../lib/bytes/content-hash.ts";
import { openLocalEnvironment } from "../toolcrib/index.ts";
import type { Run, RunSpec } from "./fleet.ts";
import { FleetGit, type GitUse } from "./fleet-git.ts";
import { pathPart } from "./work/run-folder.ts";
import { isUrl } from "./work/worker-limits.ts";

export interface PublishOptions {
  /** Gets a bare repository for each repository of the runs, `patches/` and `published.json`. */
  readonly folder: string;
  readonly readPatch: (run: Run) => Promise<Uint8Array>;
  /**
   * The user's own shell command, which runs in the repository of each new branch: to push it, or to open a pull request.
   * It gets the branch and the texts as variables, never as a part of its text. Default: nothing leaves this machine.
   */
  readonly pushCommand?: string | undefined;
  readonly signal: AbortSignal;
}

export interface PublishedRun {
  readonly run: string;
  readonly task: string;
  readonly repository: string;
  readonly branch: string;
  /** `new`: a branch was made. `same`: an earlier export made it; it is not pushed again. */
  readonly state: "new" | "same" | "failed";
  readonly commit: string | null;
  readonly patch: string | null;
  /** Why it failed, or the output of the user's command. */
  readonly message: string | null;
}

/** Makes a branch with one commit for each solved run that has `publish` and changed something. No file is checked out. */
export async function publishRuns(
  runs: readonly Run[],
  options: PublishOptions,
): Promise<readonly PublishedRun[]> {
  const folder = resolve(options.folder);
  await mkdir(join(folder, "patches"), { recursive: true });
  const environment = openLocalEnvironment({ workspace: folder });
  try {
    const publisher = new Publisher(environment, { ...options, folder });
    await publisher.findAuthor();
    const published: PublishedRun[] = [];
    for (const run of runs) {
      options.signal.throwIfAborted();
      if (run.outcome !== "solved" || run.spec.publish === null || !run.result?.patch?.files) continue;
      published.push(await publisher.publish(run));
    }
    await writeFile(join(folder, "published.json"), `${JSON.stringify(published, null, 2)}\n`);
    return published;
  } finally {
    await environment.close();
  }
}

class Publisher {
  readonly #environment: Environment;
  readonly #options: PublishOptions;
  readonly #git: FleetGit;
  #author: Readonly<Record<string, string>> = {};

  constructor(environment: Environment, options: PublishOptions) {
    this.#environment = environment;
    this.#options = options;
    this.#git = new FleetGit(environment, options.signal);
  }

  /** Reads the identity of the user from git's own settings. */
  async findAuthor(): Promise<void> {
    const values = await Promise.all(
      ["user.name", "user.email"].map(async (key) => {
        const { stdout, code } = await this.#git.run(["config", "--global", "--get", key], { isUsers: true });
        return code === 0 ? stdout.toString().trim() : "";
      }),
    );
    const [name = "", email = ""] = values;
    if (name === "" || email === "")
      throw new ToolError("invalid-input", "Git does not know the author of the commits.", {
        hint: 'Run: git config --global user.name "Your Name" && git config --global user.email you@example.com',
      });
    this.#author = {
      ...{ GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email },
      ...{ GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email },
    };
  }

  async publish(run: Run): Promise<PublishedRun> {
    const { spec, id } = run;
    const branch = branchOf(run);
    const named = { run: id, task: spec.task, repository: spec.repository ?? "", branch };
    try {
      const { repository, base } = await this.#findBase(run);
      const patch = await this.#options.readPatch(run);
      const file = join(this.#options.folder, "patches", `${pathPart(id)}.patch`);
      await writeFile(file, patch);
      const commit = await this.#commit(run, repository, base, file);
      const isNew = await this.#makeBranch(repository, branch, commit);
      const message = isNew ? await this.#push(run, repository, branch, commit) : null;
      return { ...named, state: isNew ? "new" : "same", commit, patch: file, message };
    } catch (error) {
      this.#options.signal.throwIfAborted();
      const message = error instanceof Error ? error.message : String(error);
      return { ...named, state: "failed", commit: null, patch: null, message };
    }
  }

  /** Returns a repository with the commit that a run started from. Fetches it when the repository has moved on since. */
  async #findBase({ spec, result }: Run): Promise<{ readonly repository: string; readonly base: string }> {
    if (spec.repository === null) throw new ToolError("invalid-input", "The run has no repository.");
    const source = isUrl(spec.repository) ? spec.repository : resolve(spec.repository);
    const last =
      source
        .replace(/\.git$/, "")
        .split("/")
        .at(-1) ?? "";
    const path = join(this.#options.folder, `${plain(last)}-${contentHash(source).slice(0, 8)}.git`);
    const base = result?.base ?? "";
    if (!/^[0-9a-f]{40,64}$/.test(base))
      throw new ToolError("invalid-input", "The result does not name the commit that the run started from.");
    await this.#git.clone("--bare", source, path);
    // Branches of earlier exports are in `refs/heads`, so those of the repository go elsewhere.
    const refs = ["+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"];
    if ((await this.#git.commit(path, base)) === undefined) await this.#git.fetch(path, source, ...refs);
    if ((await this.#git.commit(path, base)) !== undefined) return { repository: path, base };
    throw new ToolError("not-found", `The repository no longer has the commit ${base} of the run.`);
  }

  /** Makes the commit without a working tree. The same run gives the same commit, however often. */
  async #commit(
    { spec, endedAt, id }: Run,
    repository: string,
    base: string,
    patch: string,
  ): Promise<string> {
    const inside = [`--git-dir=${repository}`];
    const index = { GIT_INDEX_FILE: join(this.#options.folder, `${pathPart(id)}.index`) };
    const git = async (args: readonly string[], use: GitUse) =>
      (await this.#git.output([...inside, ...args], use)).toString().trim();
    try {
      await git(["read-tree", base], { env: index });
      await git(["apply", "--cached", "--whitespace=nowarn", "--", patch], { env: index });
      const tree = await git(["write-tree"], { env: index });
      const date = `@${Math.floor((endedAt ?? 0) / 1000)} +0000`;
      const env = { ...this.#author, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
      const message = Buffer.from(`${messageOf(spec)}\n`);
      return await git(["commit-tree", tree, "-p", base], { env, input: message });
    } finally {
      await rm(index.GIT_INDEX_FILE, { force: true });
    }
  }

  /** Returns false when the branch has this commit already. Never moves a branch. */
  async #makeBranch(repository: string, branch: string, commit: string): Promise<boolean> {
    const inside = [`--git-dir=${repository}`];
    const reference = `refs/heads/${branch}`;
    // "+main" would force a push, and "refs/heads/main" would push another branch.
    if (!/^(?!(?:refs|heads|tags|remotes)\/|HEAD$)\w/.test(branch))
      throw new ToolError("invalid-input", `${branch} cannot be the name of a branch.`);
    await this.#git.output([...inside, "check-ref-format", "--branch", branch]);
    const found = await this.#git.run([...inside, "rev-parse", "--verify", "-q", reference]);
    if (found.code === 0) {
      if (found.stdout.toString().trim() === commit) return false;
      throw new ToolError("already-exists", `The branch ${branch} exists with another commit.`);
    }
    await this.#git.output([...inside, "update-ref", reference, commit, "0".repeat(commit.length)]);
    return true;
  }

  async #push(run: Run, repository: string, branch: string, commit: string): Promise<string | null> {
    const { pushCommand } = this.#options;
    if (pushCommand === undefined) return null;
    try {
      return await this.#runCommand(pushCommand, run, repository, branch);
    } catch (error) {
      // The next export makes it again, and runs the command again.
      const remove = ["update-ref", "-d", `refs/heads/${branch}`, commit];
      await this.#git.output([`--git-dir=${repository}`, ...remove]);
      throw error;
    }
  }

  async #runCommand(
    command: string,
    { spec, fleet, result }: Run,
    repository: string,
    branch: string,
  ): Promise<string> {
    const [title = "", ...body] = messageOf(spec).split("\n");
    // PATH is that of the environment: no run may provide the programs that publish its work.
    const own = Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || name === "PATH" ? [] : [[name, value]],
    );
    const started = await this.#environment.start("sh", {
      args: ["-c", command],
      cwd: repository,
      env: {
        ...Object.fromEntries(own),
        TOOLCRIB_BRANCH: branch,
        TOOLCRIB_FLEET: fleet,
        TOOLCRIB_TASK: spec.task,
        TOOLCRIB_TITLE: title,
        TOOLCRIB_BODY: [body.join("\n").trim(), result?.text ?? ""]
          .filter((part) => part !== "")
          .join("\n\n"),
      },
      confinement: "ours",
      signal: this.#options.signal,
    });
    const [output, complaint, { code }] = await Promise.all([
      complaintOf({ stderr: started.stdout }),
      complaintOf(started),
      started.exit,
    ]);
    if (code !== 0)
      throw new ToolError("unavailable", `The command ended with ${code}: ${(complaint || output).trim()}`);
    return output.trim();
  }
}

/** Fills in the template of the spec. The result is a plain name, whatever the task is called. */
function branchOf({ spec, fleet, id }: Run): string {
  const template = spec.publish?.branch ?? "";
  const names = { task: plain(spec.task), fleet: plain(fleet), run: id };
  const branch = template.replace(/\{(task|fleet|run)\}/g, (_, key: keyof typeof names) => names[key]);
  return branch === template ? `${branch}-${plain(spec.task)}` : branch;
}

function messageOf({ publish, task, fleet }: RunSpec): string {
  const names = { task, fleet };
  return (publish?.message ?? task).replace(/\{(task|fleet)\}/g, (_, key: keyof typeof names) => names[key]);
}

function plain(text: string): string {
  return (
    text
      .replace(/[^A-Za-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, 80) || "run"
  );
}
