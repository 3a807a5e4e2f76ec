import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { Confinement } from "../../contract/confinement.ts";
import type { SandboxReport } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { confinedVariables } from "../../engine/sandbox/confined-variables.ts";
import type { LoopbackNetwork } from "../../engine/sandbox/network/loopback-network.ts";
import { installsIn } from "../../engine/sandbox/private-installs.ts";
import type { Visible } from "../../engine/sandbox/visible.ts";
import { liesInside } from "../../system/workspace-path.ts";
import { CacheSecrets } from "../cache-secrets.ts";
import { lostWrites, type PrivateDirectories, privateVariables } from "../private-directories.ts";
import { realPathsOf } from "../real-paths.ts";
import {
  doctorHints,
  type Launch,
  type PreparedLaunch,
  type Sandbox,
  type SandboxContext,
  unconfined,
} from "../sandbox.ts";
import { seccompProgram } from "../seccomp/seccomp-program.ts";
import type { Architecture } from "../seccomp/system-calls.ts";
import { rulesOf, type ScanResult, TreeScan } from "../tree-scan.ts";
import { encodePlan, launcherProgram } from "./launcher.ts";
import { grantsFor, landlockGaps, landlockRules } from "./rules.ts";
import type { Tripwire, Watch } from "./tripwire/tripwire.ts";

interface LandlockParts extends Pick<SandboxContext, "workspace" | "directory"> {
  readonly perl: string;
  readonly architecture: Architecture;
  /** The version (ABI) of Landlock, as the kernel reports it. */
  readonly version: number;
  readonly privates: PrivateDirectories;
  readonly visible: Visible;
  readonly tripwire: Tripwire;
}

/** Confines commands by Landlock and seccomp, which perl sets up, and restores protected files by a tripwire. */
export class LandlockSandbox implements Sandbox {
  readonly level = "landlock";
  readonly report: SandboxReport;
  readonly pipes: string;
  readonly #parts: LandlockParts;
  readonly #cacheSecrets = new CacheSecrets();
  readonly #scans = new Map<string, TreeScan>();
  readonly #installs: () => readonly string[];

  constructor(parts: LandlockParts) {
    this.#parts = parts;
    this.#installs = installsIn(parts.privates.home);
    this.pipes = join(parts.privates.own, "pipes");
    mkdirSync(this.pipes, { mode: 0o700 });
    this.report = { level: "landlock", missing: [], gaps: landlockGaps(parts.version) };
  }

  async prepare(given: Launch): Promise<PreparedLaunch> {
    const { directory, perl, tripwire } = this.#parts;
    const launch = { ...given, confinement: withRealPaths(given.confinement) };
    const tooMuch = launch.confinement.writable?.find((path) => liesInside(directory, path));
    if (tooMuch !== undefined) throw cannotBeWritten(tooMuch, "it contains Toolcrib's own state");
    refuseSecrets(await this.#scanWritable(launch.confinement));
    const granted = await this.#scanReadable(launch.confinement);
    const watch = await tripwire.begin(launch.confinement, (options) =>
      this.#scanWritable(launch.confinement, options),
    );
    let network: LoopbackNetwork | undefined;
    const end = async () => [...((await network?.close()) ?? []), ...(await watch.end())];
    let plan: Uint8Array;
    try {
      network = await this.#openNetwork(launch.confinement);
      plan = this.#plan(withoutTooLarge(launch, granted), watch, network, granted);
    } catch (error) {
      await end();
      throw error;
    }
    const lost = this.#lostWrites(given.confinement);
    let remarks: Promise<readonly string[]> | undefined;
    return {
      file: perl,
      args: ["-e", launcherProgram()],
      cwd: undefined,
      // Perl and the loader obey variables, so those of the command are part of the plan.
      env: Object.fromEntries(Object.entries(launch.env).filter(([name]) => name.startsWith("TOOLCRIB_"))),
      descriptors: ["channel"],
      endsTogether: false,
      started: async ({ channels, kill }) => {
        await settingUp(channels[0]!, plan, launch.file);
        watch.watch(kill);
      },
      connect: unconfined(launch).connect,
      settle: async (isIdle) => [...(await watch.settle(isIdle)), ...lost(), ...this.#installs()],
      uncovered: async () => {
        watch.resume();
        return undefined;
      },
      finished: () =>
        (remarks ??= end().then((ended) => [
          ...granted.flatMap(tooLarge),
          ...ended,
          ...lost(),
          ...this.#installs(),
        ])),
    };
  }

  async close(): Promise<void> {
    this.#parts.tripwire.close();
    await this.#parts.privates.close();
  }

  /** Scans the directories outside the workspace that a command may write. */
  async #scanWritable(
    confinement: Confinement,
    options?: Parameters<TreeScan["scan"]>[1],
  ): Promise<readonly GrantScan[]> {
    return this.#scanAll(confinement.writable, confinement, options);
  }

  /** Scans the paths outside the workspace that a command may read, because secrets in them stay hidden. */
  async #scanReadable(confinement: Confinement): Promise<readonly GrantScan[]> {
    return this.#scanAll(confinement.readable, confinement);
  }

  async #scanAll(
    granted: readonly string[] = [],
    confinement: Confinement,
    options?: Parameters<TreeScan["scan"]>[1],
  ): Promise<readonly GrantScan[]> {
    const directories = granted.filter((path) => !liesInside(path, this.#parts.workspace));
    return Promise.all(
      directories.map(async (directory) => {
        const scan = this.#scans.get(directory) ?? new TreeScan(directory, { maxDirectories: 5000 });
        this.#scans.set(directory, scan);
        return { directory, ...(await scan.scan(rulesOf(confinement), options)) };
      }),
    );
  }

  /** Opens the network. Landlock before version 4 cannot restrict a command to one port, so it has no network there. */
  async #openNetwork({ mayConnect }: Confinement): Promise<LoopbackNetwork | undefined> {
    if (mayConnect === undefined || this.#parts.version < 4) return undefined;
    const { openLoopbackNetwork } = await import("../../engine/sandbox/network/loopback-network.ts");
    return openLoopbackNetwork({ mayConnect });
  }

  #plan(
    launch: Launch,
    watch: Watch,
    network: LoopbackNetwork | undefined,
    granted: readonly GrantScan[],
  ): Uint8Array {
    const { workspace, privates, architecture, version, visible } = this.#parts;
    const toolChains = [...new Set(visible.toolChains.map(({ source }) => source))];
    const hidden = [
      ...visible.secrets,
      ...this.#cacheSecrets.in(toolChains, rulesOf(launch.confinement)),
      ...granted.flatMap((scan) => scan.hidden),
    ].map(({ path }) => path);
    const session = {
      ...{ workspace, pipes: this.pipes, visible: [...visible.system, ...toolChains] },
      hidden: [...hidden, ...realPathsOf(launch.confinement.hiddenOutside ?? [])],
      writable: [privates.home, privates.temporary, ...watch.writable],
    };
    const grants = grantsFor(session, launch, network === undefined ? [] : [network.port]);
    return encodePlan({
      architecture,
      rules: landlockRules(version, grants),
      terminal: launch.terminal === true,
      seccomp: seccompProgram({
        architecture,
        network: version >= 4 ? "filtered" : "none",
        mayListen: launch.reachable,
        refuseTruncation: version < 3,
      }),
      cwd: launch.cwd,
      env: {
        ...confinedVariables(privateVariables(launch.env, privates), privates.home, launch.confinement),
        ...network?.variables,
      },
      file: launch.file,
      args: launch.args,
    });
  }

  #lostWrites({ writable = [] }: Confinement): () => readonly string[] {
    const { workspace, privates } = this.#parts;
    return lostWrites(
      writable.filter((path) => !liesInside(path, workspace)),
      realPathsOf([homedir()]).map((target) => ({ source: privates.home, target })),
    );
  }
}

/** Replaces the granted paths, which may be links, by their real paths, without hidden ones. */
function withRealPaths(confinement: Confinement): Confinement {
  const { isHidden } = rulesOf(confinement);
  const real = (paths: readonly string[] = []) =>
    realPathsOf(paths).filter((path) => path !== "/" && !isHidden(path));
  return { ...confinement, readable: real(confinement.readable), writable: real(confinement.writable) };
}

/** Sends the plan to the launcher and waits until it has become the program, which closes its end of the channel. */
function settingUp(channel: Duplex, plan: Uint8Array, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = "";
    // When the launcher ends early, its output is more informative than this error.
    channel.on("error", () => {});
    channel.on("data", (bytes) => (output += bytes));
    channel.once("close", () => (output === "." ? resolve() : reject(notSetUp(output, file))));
    channel.write(plan);
    channel.once("end", () => channel.destroy());
  });
}

function notSetUp(output: string, file: string): ToolError {
  if (output.startsWith("."))
    return new ToolError("unavailable", `${file} cannot be run (${output.slice(1)})`, {
      hint: "Use a program from a system directory or from the workspace.",
    });
  const message = `The command was not run: the Landlock sandbox could not be set up (${output || "it ended"})`;
  return new ToolError("unavailable", message, doctorHints);
}

interface GrantScan extends ScanResult {
  readonly directory: string;
}

function withoutTooLarge(launch: Launch, granted: readonly GrantScan[]): Launch {
  const readable = granted.filter(({ isWhole }) => isWhole).map(({ directory }) => directory);
  return { ...launch, confinement: { ...launch.confinement, readable } };
}

function tooLarge({ directory, isWhole }: GrantScan): readonly string[] {
  return isWhole
    ? []
    : [
        `The command may not read ${directory}: it is too large to scan for secrets. Allow a narrower directory.`,
      ];
}

/** Refuses a writable directory that contains secrets, because Landlock cannot hide single files in it. */
function refuseSecrets(scans: readonly GrantScan[]): void {
  for (const { directory, hidden, isWhole } of scans) {
    const [secret] = hidden;
    if (secret !== undefined)
      throw cannotBeWritten(directory, `${secret.path} is a secret, and Landlock cannot hide it there`);
    if (!isWhole) throw cannotBeWritten(directory, "it is too large to scan for secrets");
  }
}

function cannotBeWritten(path: string, reason: string): ToolError {
  return new ToolError("unavailable", `The Landlock sandbox cannot make ${path} writable: ${reason}`, {
    hint: "Ask the user to allow a narrower directory.",
    forUser: { hint: "Allow a narrower directory, or install bubblewrap." },
  });
}
