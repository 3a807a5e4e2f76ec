import { homedir } from "node:os";
import type { Duplex } from "node:stream";
import type { SandboxReport } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { toolChainsIn } from "../../engine/sandbox/tool-chains.ts";
import { liesInside } from "../../system/workspace-path.ts";
import { repositoryBelow, repositoryOf } from "../git-repositories.ts";
import {
  linkToolChains,
  openPrivateDirectories,
  type PrivateDirectories,
  privateVariables,
} from "../private-directories.ts";
import { probe } from "../probe.ts";
import { realPathsOf } from "../real-paths.ts";
import {
  doctorHints,
  type Launch,
  type OpenedSandbox,
  type PreparedLaunch,
  type Sandbox,
  type SandboxContext,
  unconfined,
} from "../sandbox.ts";
import { rulesOf, TreeScan } from "../tree-scan.ts";
import { seatbeltProfile } from "./seatbelt-profile.ts";

/** Opens the macOS sandbox if it works with the profile for commands. It has not been tested on a Mac yet. */
export async function openSeatbelt(options: SandboxContext): Promise<OpenedSandbox> {
  if (process.platform !== "darwin") return missing("it needs macOS");
  const { directory, own = [], workspace } = options;
  if ([directory, ...realPathsOf(own)].some((path) => liesInside(path, workspace)))
    return missing("Toolcrib's own state is in the workspace. Open another workspace");
  const privates = openPrivateDirectories(options.directory, options.temporary);
  const toolChains = toolChainsIn(homedir(), process.env);
  linkToolChains(privates, homedir(), toolChains);
  const sandbox = new SeatbeltSandbox({ ...options, privates, toolChains });
  const failure = await probe(sandbox, { file: "/usr/bin/true", args: [], cwd: options.workspace });
  if (failure === undefined) return sandbox;
  await sandbox.close();
  return missing(failure.error ?? `a test program ended with ${failure.code}`);
}

function missing(reason: string): { readonly missing: string } {
  return { missing: `The macOS sandbox (seatbelt) cannot be used: ${reason}.` };
}

interface SeatbeltParts extends SandboxContext {
  readonly privates: PrivateDirectories;
  readonly toolChains: readonly string[];
}

class SeatbeltSandbox implements Sandbox {
  readonly level = "seatbelt";
  readonly report: SandboxReport = {
    level: "seatbelt",
    missing: [],
    gaps: [
      "Commands see names, sizes and times of files outside the workspace.",
      "Commands have no /tmp; they use a private directory, TMPDIR.",
      "Processes with reachable ports listen on the machine's own loopback.",
      "This level is untried: no one has tested it on a Mac.",
    ],
  };
  readonly #parts: SeatbeltParts;
  readonly #tree: TreeScan;

  constructor(parts: SeatbeltParts) {
    this.#parts = parts;
    this.#tree = new TreeScan(parts.workspace);
  }

  async prepare(launch: Launch): Promise<PreparedLaunch> {
    const { workspace, privates, toolChains } = this.#parts;
    const { confinement } = launch;
    const found = await this.#tree.scan(rulesOf(confinement));
    const nested = found.repositories.map((path) => repositoryBelow(path, workspace));
    const repositories = [repositoryOf(workspace) ?? [], nested].flat();
    const { mayConnect, absent = [] } = confinement;
    const network =
      mayConnect &&
      (await (
        await import("../../engine/sandbox/network/loopback-network.ts")
      ).openLoopbackNetwork({ mayConnect }));
    const held = repositories.flatMap((repository) => repository.held);
    const profile = seatbeltProfile({
      workspace,
      readable: [...toolChains, ...(confinement.readable ?? [])],
      writable: [privates.home, privates.temporary, ...(confinement.writable ?? []), ...held],
      hidden: found.hidden.map(({ path }) => path),
      readOnly: [
        ...found.readOnly,
        ...repositories.flatMap(({ readOnly }) => readOnly),
        ...[...repositories.flatMap((repository) => repository.absent), ...absent].map(({ path }) => path),
      ],
      held,
      proxyPort: network?.port,
      mayListen: launch.reachable,
      terminal: launch.terminal === true,
    });
    return {
      file: "/usr/bin/sandbox-exec",
      args: ["-p", profile, "/bin/sh", "-c", announceStart, launch.file, ...launch.args],
      cwd: launch.cwd,
      env: { ...privateVariables(launch.env, privates), ...network?.variables },
      descriptors: ["channel"],
      endsTogether: false,
      started: ({ channels }) => running(channels[0]!),
      connect: unconfined(launch).connect,
      finished: async () => [
        ...((await network?.close()) ?? []),
        ...(found.isWhole ? [] : ["The workspace is too large to protect all its files."]),
      ],
    };
  }

  async close(): Promise<void> {
    await this.#parts.privates.close();
  }
}

const announceStart = `printf . >&3; exec 3>&-; exec "$0" "$@"`;

function running(channel: Duplex): Promise<void> {
  return new Promise((resolve, reject) => {
    channel.on("error", () => {});
    channel.once("data", () => resolve());
    channel.once("end", () => {
      channel.destroy();
      const message = "The command was not run: the macOS sandbox could not be set up";
      reject(new ToolError("unavailable", message, doctorHints));
    });
  });
}
