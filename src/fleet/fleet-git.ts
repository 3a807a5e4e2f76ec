import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { type GitResult, outputOfGit, runGit } from "../git/run-git.ts";
import { newIdentifier } from "../lib/identifier.ts";
import { redactText } from "../policy/redaction/redact.ts";
import { failureDelayMs } from "./queue/failure-delay.ts";
import { isUrl } from "./work/worker-limits.ts";

export interface GitUse {
  /** The repository that git may reach. Default: none. */
  readonly source?: string;
  /** Whether the settings of the user count. Default: only to reach a URL, whose address and credentials they have. */
  readonly isUsers?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: Uint8Array;
  /** The folder to start in. Default: that of the environment. */
  readonly directory?: string;
}

/** Runs git for workers and exports. No program and no setting of a repository counts. */
export class FleetGit {
  readonly #environment: Environment;
  readonly #signal: AbortSignal;

  constructor(environment: Environment, signal: AbortSignal) {
    this.#environment = environment;
    this.#signal = signal;
  }

  /** Runs git to its end, whatever its exit code. */
  run(args: readonly string[], use: GitUse = {}): Promise<GitResult> {
    return runGit(this.#context, [...startIn(use), ...args], optionsOf(use));
  }

  /** Returns what git prints. Throws `too-large`, or `unavailable` with git's message. */
  async output(args: readonly string[], use: GitUse = {}): Promise<Buffer> {
    try {
      return await outputOfGit(this.#context, [...startIn(use), ...args], optionsOf(use));
    } catch (error) {
      this.#signal.throwIfAborted();
      if (!(error instanceof ToolError)) throw error;
      const message = redactText(error.message.replaceAll(this.#environment.workspace, "…"));
      throw new ToolError(error.code === "too-large" ? "too-large" : "unavailable", message);
    }
  }

  /** Returns the commit that a name stands for; undefined when the repository does not have it. */
  async commit(repository: string, name: string): Promise<string | undefined> {
    const find = ["rev-parse", "--verify", "-q", "--end-of-options", `${name}^{commit}`];
    const { stdout, code } = await this.run([`--git-dir=${repository}`, ...find]);
    return code === 0 ? stdout.toString().trim() : undefined;
  }

  /** Clones a repository without a working tree, unless it is there. */
  async clone(kind: "--bare" | "--mirror", source: string, path: string): Promise<void> {
    if (existsSync(path)) return;
    await mkdir(dirname(path), { recursive: true });
    await this.#retried(async () => {
      const draft = `${path}.${newIdentifier("draft")}`;
      try {
        await this.output(["clone", "-q", kind, "--template=", "--", source, draft], { source });
        // Another process with the same folder may have been quicker.
        await rename(draft, path).catch((error) => {
          if (!existsSync(path)) throw error;
        });
      } finally {
        await rm(draft, { recursive: true, force: true });
      }
    });
  }

  async fetch(path: string, source: string, ...words: readonly string[]): Promise<void> {
    const [options, refs] = [words.filter(isOption), words.filter((word) => !isOption(word))];
    const args = [`--git-dir=${path}`, "fetch", "-q", ...options, "--", source, ...refs];
    await this.#retried(() => this.output(args, { source }));
  }

  get #context() {
    return { environment: this.#environment, signal: this.#signal };
  }

  /** Networks, servers and locks fail for moments. A repository that is missing or private stays so. */
  async #retried(act: () => Promise<unknown>): Promise<void> {
    for (let failures = 1; ; failures += 1) {
      try {
        await act();
        return;
      } catch (error) {
        const isLasting = !(error instanceof ToolError) || lasting.test(error.message);
        if (this.#signal.aborted || isLasting || failures === mostAttempts) throw error;
      }
      await pause(failureDelayMs(failures), undefined, { signal: this.#signal });
    }
  }
}

const mostAttempts = 4;

const lasting =
  /not found|does not exist|not appear to be|not a git repository|authentication|could not read (?:username|password)|permission denied|access denied|publickey|error: 40[134]/i;

function isOption(word: string): boolean {
  return word.startsWith("--");
}

function startIn({ directory }: GitUse): readonly string[] {
  return directory === undefined ? [] : ["-C", directory];
}

function optionsOf({ source, env, input, isUsers }: GitUse) {
  const reaches = source !== undefined && isUrl(source);
  // Settings of the user and the system could name filters that a repository's attributes start.
  const isPlain = !(isUsers ?? reaches);
  return {
    use: "write",
    input,
    settings: {
      ...{ "protocol.allow": undefined, "core.symlinks": "true" },
      ...(reaches && { "core.sshCommand": undefined, "credential.helper": undefined }),
    },
    env: {
      ...(isPlain ? { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" } : connectionVariables()),
      // Never `ext`, which runs any program.
      ...(source !== undefined && { GIT_ALLOW_PROTOCOL: reaches ? "https:http:ssh:git" : "file" }),
      ...env,
    },
  } as const;
}

function connectionVariables(): Readonly<Record<string, string>> {
  const names = ["SSH_AUTH_SOCK", "GIT_SSH_COMMAND", "GIT_CONFIG_GLOBAL"];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}
