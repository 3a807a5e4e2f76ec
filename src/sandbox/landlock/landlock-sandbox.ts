import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { Confinement } from "../../contract/confinement.ts";
import type { SandboxReport } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { liesInside } from "../../system/workspace-path.ts";
import type { LoopbackNetwork } from "../network/loopback-network.ts";
import { unconfined } from "../no-sandbox.ts";
import { lostWrites, type PrivateDirectories, privateVariables } from "../private-directories.ts";
import { realIfThere } from "../real-paths.ts";
import type { Launch, PreparedLaunch, Sandbox } from "../sandbox.ts";
import { seccompProgram } from "../seccomp/seccomp-program.ts";
import type { Architecture } from "../seccomp/system-calls.ts";
import { TreeScan } from "../tree-scan.ts";
import { encodePlan, launcherProgram } from "./launcher.ts";
import { grantsFor, landlockGaps, landlockRules, ReadableParts } from "./rules.ts";
import type { Tripwire } from "./tripwire/tripwire.ts";

export interface LandlockParts {
  readonly workspace: string;
  /** Private: what no command may write. */
  readonly directory: string;
  readonly perl: string;
  readonly architecture: Architecture;
  /** Of Landlock, as the kernel says. */
  readonly version: number;
  readonly places: PrivateDirectories;
  readonly caches: readonly string[];
  readonly tripwire: Tripwire;
}

/** Confines without namespaces: by Landlock and seccomp, which perl sets up, and a tripwire over protected files. */
export class LandlockSandbox implements Sandbox {
  readonly level = "landlock";
  readonly report: SandboxReport;
  readonly pipes: string;
  readonly #parts: LandlockParts;
  readonly #readable = new ReadableParts();
  readonly #outside = new Map<string, TreeScan>();

  constructor(parts: LandlockParts) {
    this.#parts = parts;
    this.pipes = join(parts.places.own, "pipes");
    mkdirSync(this.pipes, { mode: 0o700 });
    this.report = { level: "landlock", missing: [], gaps: landlockGaps(parts.version) };
  }

  async prepare(launch: Launch): Promise<PreparedLaunch> {
    const { workspace, directory, places, perl, architecture, version, caches, tripwire } = this.#parts;
    const { reachable } = launch;
    const confinement = withRealPlaces(launch.confinement);
    const tooMuch = confinement.writable?.find((path) => liesInside(directory, path));
    if (tooMuch !== undefined) throw ownStateInReach(tooMuch);
    const outside = await this.#lookAt(confinement);
    const watch = await tripwire.begin(confinement, outside);
    const network = await networkFor(confinement, version).catch(async (error) => {
      await watch.end();
      throw error;
    });
    const surroundings = {
      ...{ workspace, caches, places: this.#readable, pipes: this.pipes },
      writable: [places.home, places.temporary, ...watch.writable],
    };
    const reach = grantsFor(
      surroundings,
      { ...launch, confinement },
      network === undefined ? [] : [network.port],
    );
    const plan = encodePlan({
      architecture,
      rules: landlockRules(version, reach),
      terminal: launch.terminal === true,
      seccomp: seccompProgram({
        architecture,
        network: version >= 4 ? "filtered" : "none",
        mayListen: reachable,
        refuseTruncation: version < 3,
      }),
      cwd: launch.cwd,
      env: { ...privateVariables(launch.env, places), ...network?.variables },
      file: launch.file,
      args: launch.args,
    });
    const lost = lostWrites(
      (launch.confinement.writable ?? []).filter((path) => !liesInside(path, workspace)),
      realIfThere(homedir()).map((target) => ({ source: places.home, target })),
    );
    const tellLost = () => lost.map((tell) => tell()).filter((told) => told !== "");
    let remarks: Promise<readonly string[]> | undefined;
    return {
      file: perl,
      args: ["-e", launcherProgram()],
      cwd: undefined,
      // The launcher is no place for what a caller says: perl and the loader heed variables.
      env: Object.fromEntries(Object.entries(launch.env).filter(([name]) => name.startsWith("TOOLCRIB_"))),
      descriptors: ["channel"],
      endsTogether: false,
      started: ({ channels }) => settingUp(channels[0]!, plan, launch.file),
      reach: unconfined(launch).reach,
      settle: async () => [...(await watch.settle()), ...tellLost()],
      finished: () =>
        (remarks ??= (async () => [
          ...((await network?.close()) ?? []),
          ...(await watch.end()),
          ...tellLost(),
        ])()),
    };
  }

  /** Nothing can be hidden in a place that can be written: one that holds secrets is not given. */
  async #lookAt({ writable = [], isHidden = never, isReadOnly = never }: Confinement) {
    const places = writable.filter((path) => !liesInside(path, this.#parts.workspace));
    return Promise.all(
      places.map(async (place) => {
        const entries = this.#outside.get(place) ?? new TreeScan(place, { maxDirectories: 5000 });
        this.#outside.set(place, entries);
        const covered = await entries.scan({ isHidden, isReadOnly });
        if (covered.hidden.length > 0) throw holdsSecrets(place, covered.hidden[0]!.path);
        if (!covered.isWhole) throw isTooLarge(place);
        return covered;
      }),
    );
  }

  async close(): Promise<void> {
    this.#parts.tripwire.close();
    await this.#parts.places.close();
  }
}

const never = () => false;

/** Rules and commands spell places as they like: what they lead to counts, unless it is hidden. */
function withRealPlaces(confinement: Confinement): Confinement {
  const { isHidden = never } = confinement;
  const real = (paths: readonly string[] = []) =>
    paths.flatMap(realIfThere).filter((path) => path !== "/" && !isHidden(path));
  return { ...confinement, readable: real(confinement.readable), writable: real(confinement.writable) };
}

/** Older kernels cannot keep a command to one port: it has no network then. */
async function networkFor(
  { mayConnect }: Confinement,
  version: number,
): Promise<LoopbackNetwork | undefined> {
  if (mayConnect === undefined || version < 4) return undefined;
  const { openLoopbackNetwork } = await import("../network/loopback-network.ts");
  return openLoopbackNetwork({ mayConnect });
}

/** Gives the launcher its plan and waits until it has become the program: then its end of the channel is closed. */
function settingUp(channel: Duplex, plan: Uint8Array, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    // When it ended early, what it said tells more.
    channel.on("error", () => {});
    channel.on("data", (bytes) => (said += bytes));
    channel.once("close", () => (said === "." ? resolve() : reject(notSetUp(said, file))));
    channel.write(plan);
    channel.once("end", () => channel.destroy());
  });
}

function notSetUp(said: string, file: string): ToolError {
  if (said.startsWith(".")) {
    return new ToolError("unavailable", `${file} cannot be run (${said.slice(1)})`, {
      hint: "Name a program that is installed in a system directory or lies in the workspace.",
    });
  }
  return new ToolError("unavailable", `The Landlock sandbox could not be set up (${said || "it ended"})`, {
    hint: "Nothing was run. `toolcrib doctor` tells which sandboxes work here.",
  });
}

function ownStateInReach(path: string): ToolError {
  return cannotBeWritten(path, "Toolcrib's own state is in it");
}

function holdsSecrets(path: string, secret: string): ToolError {
  return cannotBeWritten(path, `${secret} is hidden, and Landlock cannot hide it there`);
}

function isTooLarge(path: string): ToolError {
  return cannotBeWritten(path, "it is too large to look for secrets in it");
}

function cannotBeWritten(path: string, reason: string): ToolError {
  return new ToolError("unavailable", `Landlock cannot let a command write ${path}: ${reason}`, {
    hint: "Allow a narrower directory, or install bubblewrap.",
  });
}
