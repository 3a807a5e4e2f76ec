import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { parseTarget, type Target } from "../../environment/remote/target.ts";
import { complaintOf } from "../../git/run-git.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { allowedVariables } from "../../system/environment-variables.ts";
import type { RunSpec } from "../fleet.ts";
import { machineOf, type RunFolder } from "./run-folder.ts";
import type { WorkContext } from "./work-run.ts";
import { allowsTarget } from "./worker-limits.ts";

/**
 * A podman container with the workspace of a run. Its name has the machine, so that workers with another
 * working folder do not take it for theirs.
 */
export class RunContainer {
  readonly #environment: Environment;
  readonly #name: string;

  constructor(environment: Environment, { name, id }: RunFolder) {
    this.#environment = environment;
    const owner = contentHash(`${machineOf(environment.workspace)} ${name}`).slice(0, 12);
    this.#name = `toolcrib-${owner}-${id.replaceAll(/[^\w]/g, "-")}`;
  }

  /** Starts the container, or the one that an earlier delivery has left, without its processes. Returns its target. */
  async start(image: string, workspace: string, signal: AbortSignal): Promise<string> {
    if (!/^[\w][\w./:@-]*$/.test(image))
      throw new ToolError("denied", `${image} is not the name of an image.`);
    const target = `podman:${this.#name}:/workspace`;
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
    await this.#run(["rm", "-f", "-t", "0", this.#name]).catch(() => {});
  }

  #run(args: readonly string[], signal: AbortSignal = new AbortController().signal) {
    return runProgram(this.#environment, "podman", args, signal);
  }
}

const keepRunning = "while :; do sleep 86400; done";

/** Removes the container or the folder that exists only for a run, also those of an earlier delivery. */
export async function removeTarget(
  { environment, limits }: Pick<WorkContext, "environment" | "limits">,
  spec: RunSpec,
  folder: RunFolder,
): Promise<void> {
  if (spec.target === "local" || !allowsTarget(spec.target, limits)) return;
  if (spec.target.startsWith("image:")) await new RunContainer(environment, folder).remove();
  else await new TargetFolder(environment, spec.target, folder).remove(AbortSignal.timeout(removalMs));
}

const removalMs = 60_000;

/** The workspace of a run on another machine, when its path contains `{run}`: it exists only for this run. */
export class TargetFolder {
  /** The target of the session. */
  readonly name: string;
  readonly #environment: Environment;
  readonly #target: Target | undefined;

  constructor(environment: Environment, target: string, run: RunFolder) {
    this.#environment = environment;
    this.name = target.replaceAll("{run}", run.name);
    const parsed = parseTarget(this.name);
    this.#target = parsed.directory?.split("/").includes(run.name) ? parsed : undefined;
  }

  /** Creates the folder, unless an earlier delivery has. */
  async make(signal: AbortSignal): Promise<void> {
    await this.#run(["mkdir", "-p"], "created", signal);
  }

  async remove(signal: AbortSignal): Promise<void> {
    await this.#run(["rm", "-rf"], "removed", signal);
  }

  async #run(words: readonly string[], done: string, signal: AbortSignal): Promise<void> {
    if (this.#target?.directory === undefined) return;
    const command = this.#target.commandFor([...words, "--", this.#target.directory], { mayAsk: false });
    const [program = "", ...args] = command;
    const { code, complaint } = await runProgram(this.#environment, program, args, signal);
    if (code === 0) return;
    const why = printableLine(complaint);
    throw new ToolError("unavailable", `The folder of ${this.name} could not be ${done}: ${why}`);
  }
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
