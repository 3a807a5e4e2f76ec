import { spawn } from "node:child_process";
import { once } from "node:events";
import { homedir } from "node:os";
import type { Duplex } from "node:stream";
import type { SandboxReport } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { liesInside } from "../../system/workspace-path.ts";
import { repositoryBelow, repositoryOf } from "../git-repositories.ts";
import type { LoopbackNetwork } from "../network/loopback-network.ts";
import { unconfined } from "../no-sandbox.ts";
import {
  linkToolChains,
  openPrivateDirectories,
  type PrivateDirectories,
  privateVariables,
} from "../private-directories.ts";
import type { Launch, PreparedLaunch, Sandbox } from "../sandbox.ts";
import { toolChainsIn } from "../tool-chains.ts";
import { TreeScan } from "../tree-scan.ts";
import { seatbeltProfile } from "./seatbelt-profile.ts";

export interface SeatbeltOptions {
  /** Absolute and real. */
  readonly workspace: string;
  /** Private, for this workspace. */
  readonly directory: string;
}

/** Tries the sandbox of macOS with the real profile. Written from what is publicly known: no Mac has tested it yet. */
export async function openSeatbelt(
  options: SeatbeltOptions,
): Promise<Sandbox | { readonly missing: string }> {
  if (process.platform !== "darwin") return missing("it is a part of macOS");
  if (liesInside(options.directory, options.workspace)) {
    return missing("Toolcrib's own state lies in the workspace. Open a directory that does not hold it");
  }
  const places = openPrivateDirectories(options.directory);
  const caches = toolChainsIn(homedir(), process.env);
  linkToolChains(places, homedir(), caches);
  const sandbox = new SeatbeltSandbox({ ...options, places, caches });
  const failure = await probe(sandbox, options.workspace);
  if (failure === undefined) return sandbox;
  await sandbox.close();
  return missing(failure);
}

function missing(reason: string): { readonly missing: string } {
  return { missing: `The sandbox of macOS (seatbelt) cannot be used: ${reason}.` };
}

interface SeatbeltParts extends SeatbeltOptions {
  readonly places: PrivateDirectories;
  readonly caches: readonly string[];
}

class SeatbeltSandbox implements Sandbox {
  readonly level = "seatbelt";
  readonly report: SandboxReport = {
    level: "seatbelt",
    missing: [],
    gaps: [
      "Commands see names, sizes and times of files outside the workspace.",
      "/tmp is not there for commands: they have a private directory in TMPDIR.",
      "Processes that are to be reached listen at the machine's own loopback.",
      "This level has not been tested on a Mac yet.",
    ],
  };
  readonly #parts: SeatbeltParts;
  readonly #tree: TreeScan;

  constructor(parts: SeatbeltParts) {
    this.#parts = parts;
    this.#tree = new TreeScan(parts.workspace);
  }

  async prepare(launch: Launch): Promise<PreparedLaunch> {
    const { workspace, places, caches } = this.#parts;
    const { confinement } = launch;
    const covered = await this.#tree.scan({
      isHidden: confinement.isHidden ?? never,
      isReadOnly: confinement.isReadOnly ?? never,
    });
    const nested = covered.repositories.map((path) => repositoryBelow(path, workspace));
    const repositories = [repositoryOf(workspace) ?? [], nested].flat();
    const network = await networkFor(launch);
    const profile = seatbeltProfile({
      workspace,
      readable: [...caches, ...(confinement.readable ?? [])],
      writable: [
        ...[places.home, places.temporary, ...(confinement.writable ?? [])],
        ...repositories.flatMap(({ held }) => held),
      ],
      hidden: covered.hidden.map(({ path }) => path),
      readOnly: [
        ...covered.readOnly,
        ...repositories.flatMap(({ readOnly, absent: stubs }) => [
          ...readOnly,
          ...stubs.map(({ path }) => path),
        ]),
        ...(confinement.absent ?? []).map(({ path }) => path),
      ],
      held: repositories.flatMap(({ held }) => held),
      ...(network === undefined ? {} : { proxyPort: network.port }),
      mayListen: launch.reachable,
      terminal: launch.terminal === true,
    });
    return {
      file: "/usr/bin/sandbox-exec",
      args: ["-p", profile, "/bin/sh", "-c", saysThatItRuns, launch.file, ...launch.args],
      cwd: launch.cwd,
      env: { ...privateVariables(launch.env, places), ...network?.variables },
      descriptors: ["channel"],
      endsTogether: false,
      started: ({ channels }) => running(channels[0]!),
      reach: unconfined(launch).reach,
      finished: async () => [
        ...((await network?.close()) ?? []),
        ...(covered.isWhole ? [] : ["The workspace is too large to protect every file in it."]),
      ],
    };
  }

  async close(): Promise<void> {
    await this.#parts.places.close();
  }
}

const never = () => false;

const saysThatItRuns = `printf . >&3; exec 3>&-; exec "$0" "$@"`;

function running(channel: Duplex): Promise<void> {
  return new Promise((resolve, reject) => {
    channel.on("error", () => {});
    channel.once("data", () => resolve());
    channel.once("end", () => {
      channel.destroy();
      reject(
        new ToolError("unavailable", "The sandbox of macOS could not be set up", {
          hint: "Nothing was run. `toolcrib doctor` tells which sandboxes work here.",
        }),
      );
    });
  });
}

async function networkFor({ confinement: { mayConnect } }: Launch): Promise<LoopbackNetwork | undefined> {
  if (mayConnect === undefined) return undefined;
  const { openLoopbackNetwork } = await import("../network/loopback-network.ts");
  return openLoopbackNetwork({ mayConnect });
}

/** Why a program that does nothing cannot be run; undefined when it can. */
async function probe(sandbox: Sandbox, cwd: string): Promise<string | undefined> {
  const launch: Launch = { file: "/usr/bin/true", args: [], cwd, env: {}, confinement: {}, reachable: false };
  const prepared = await sandbox.prepare(launch);
  const child = spawn(prepared.file, prepared.args, {
    cwd,
    env: prepared.env,
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  try {
    const exit = once(child, "exit");
    const setUp = prepared.started({ pid: child.pid ?? 0, channels: [child.stdio[3] as unknown as Duplex] });
    const [[code]] = await Promise.all([exit, setUp]);
    return code === 0 ? undefined : `a trial ended with ${code}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await prepared.finished();
  }
}
