import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { shellQuote } from "../../lib/text/shell-quote.ts";
import { userDirectories, workspaceFiles } from "../../system/directories.ts";
import { workspaceId } from "../../toolcrib/elsewhere.ts";
import { OpenPolicy } from "../../toolcrib/open-policy.ts";
import { previewDecision } from "../../toolcrib/replay-calls.ts";
import type { RunSpec } from "../fleet.ts";
import { restrict, type WorkerLimits } from "./worker-limits.ts";

type Restrictions = ReturnType<typeof restrict>;

/** Decides whether a worker may do runs, before anything of them is paid: their target, repository and commands. */
export class RunPermissions implements AsyncDisposable {
  readonly #limits: WorkerLimits;
  readonly #config: string;
  readonly #decided = new Map<string, Promise<ToolError | undefined>>();
  /** The rules of runs, by their text. */
  readonly #policies = new Map<string, Promise<OpenPolicy>>();
  /** An empty folder: nothing of a run exists yet. */
  #environment: Promise<Environment> | undefined;

  constructor(limits: WorkerLimits, configDirectory?: string) {
    this.#limits = limits;
    this.#config = configDirectory ?? userDirectories().config;
  }

  /** Returns why the worker may not do a run; undefined when it may. */
  async refusalOf(spec: RunSpec): Promise<ToolError | undefined> {
    try {
      const restrictions = restrict(spec, this.#limits);
      // The sandbox of another machine is not known here.
      if (spec.target !== "local" && !spec.target.startsWith("image:")) return undefined;
      const setup = await this.#decide("set-up", spec.setup, restrictions);
      return setup ?? (await this.#decide("check", spec.check?.command ?? null, restrictions));
    } catch (error) {
      if (error instanceof ToolError) return error;
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const environment = await this.#environment;
    this.#environment = undefined;
    if (environment === undefined) return;
    await environment.close();
    await rm(environment.workspace, { recursive: true, force: true });
  }

  /** Decides each command once. */
  async #decide(
    what: string,
    command: string | null,
    restrictions: Restrictions,
  ): Promise<ToolError | undefined> {
    if (command === null) return undefined;
    const key = JSON.stringify([what, command, restrictions]);
    const decided = this.#decided.get(key) ?? this.#refusalOfCommand(what, command, restrictions);
    this.#decided.set(key, decided);
    return decided;
  }

  async #refusalOfCommand(
    what: string,
    command: string,
    { mode, rules }: Restrictions,
  ): Promise<ToolError | undefined> {
    this.#environment ??= openEmptyFolder();
    const environment = await this.#environment;
    const key = rules.join("\n");
    const opening = this.#policies.get(key) ?? this.#openPolicy(environment, rules);
    this.#policies.set(key, opening);
    const policy = (await opening).current;
    const wanted = this.#limits.sandbox ?? "auto";
    const sandbox = async () =>
      wanted === "auto" ? ((await environment.sandbox?.())?.level ?? "none") : wanted;
    const call = {
      tool: { name: "shell.run", risk: "execute" },
      accesses: [{ kind: "execute", command }],
    } as const;
    const { verdict } = await previewDecision(call, { policy, mode, environment, sandbox });
    if (verdict === "allow") return undefined;
    const why = verdict === "deny" ? "is denied" : "needs approval, and no user is there to ask";
    const rule = shellQuote(`allow run ${printableLine(command)}`);
    // Without a sandbox, no rule allows a command that the mode asks about.
    const way = (await sandbox()) === "none" ? "a sandbox" : `--rule ${rule}`;
    return new ToolError("denied", `The ${what} command ${why}: ${printableLine(command)}`, {
      hint: `To allow it, start the worker with ${way}, or with --mode yolo.`,
    });
  }

  #openPolicy({ workspace }: Environment, rules: readonly string[]): Promise<OpenPolicy> {
    const id = workspaceId({ workspace });
    return OpenPolicy.open({ workspace, id, state: userDirectories().state, config: this.#config, rules });
  }
}

async function openEmptyFolder(): Promise<Environment> {
  const workspace = await realpath(await mkdtemp(join(tmpdir(), "toolcrib-permissions-")));
  const { sandbox: directory } = workspaceFiles(userDirectories().state, workspace);
  return openLocalEnvironment({ workspace, sandbox: { want: "auto", directory } });
}
