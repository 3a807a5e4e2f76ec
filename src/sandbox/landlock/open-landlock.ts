import { execFile, spawn } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { promisify } from "node:util";
import type { AbsentPath } from "../../contract/confinement.ts";
import { liesInside } from "../../system/workspace-path.ts";
import { ownCode } from "../own-code.ts";
import { linkToolChains, openPrivateDirectories } from "../private-directories.ts";
import type { Launch, Sandbox } from "../sandbox.ts";
import { toolChainsIn } from "../tool-chains.ts";
import { LandlockSandbox } from "./landlock-sandbox.ts";
import { toolChainsElsewhere } from "./rules.ts";
import { Tripwire } from "./tripwire/tripwire.ts";

export interface LandlockOptions {
  /** Absolute and real. */
  readonly workspace: string;
  /** Private, for this workspace. */
  readonly directory: string;
  readonly findProgram: (name: string) => Promise<string>;
  /** What of our own programs lies in the workspace; found out if not said. */
  readonly ownCode?: readonly AbsentPath[];
  /** As if the kernel knew no later version of Landlock. */
  readonly versionAtMost?: number;
}

/** Tries Landlock with the real profile. `missing` says in a sentence why it cannot be had, and what helps. */
export async function openLandlock(
  options: LandlockOptions,
): Promise<Sandbox | { readonly missing: string }> {
  const { workspace, directory, findProgram, versionAtMost = Number.POSITIVE_INFINITY } = options;
  const { platform, arch } = process;
  if (platform !== "linux") return missing("it is a part of Linux");
  if (arch !== "x64" && arch !== "arm64") return missing(`the processor (${arch}) is not known to us`);
  if (liesInside(directory, workspace)) {
    return missing("Toolcrib's own state lies in the workspace. Open a directory that does not hold it");
  }
  // What the tripwire puts back can be loaded before it does.
  if ((options.ownCode ?? ownCode(workspace)).length > 0) {
    return missing(
      "Toolcrib itself is installed in the workspace. Install it elsewhere (npm install --global toolcrib), or install bubblewrap",
    );
  }
  const perl = await findProgram("perl").catch(() => undefined);
  if (perl === undefined) return missing("perl, which sets it up, is not installed. Install perl-base");
  const known = await versionOf(perl);
  if (known === undefined) return missing(`${perl}, which sets it up, does not work. Install it anew`);
  const version = Math.min(known, versionAtMost);
  if (version < 1) {
    return missing(
      "the kernel lacks it. It takes Linux 5.13 or later, with landlock in the boot option lsm=",
    );
  }
  const places = openPrivateDirectories(directory);
  const home = homedir();
  const caches = toolChainsIn(home, process.env);
  linkToolChains(places, home, caches);
  const sandbox = new LandlockSandbox({
    ...{ workspace, directory, perl, version, places },
    architecture: arch,
    caches: [...caches, ...toolChainsElsewhere(home, process.env)],
    tripwire: new Tripwire({
      workspace,
      directory: join(directory, "tripwire"),
      writable: [places.temporary, places.home],
    }),
  });
  const failure = await probe(sandbox, { workspace, file: await findProgram("true").catch(() => perl) });
  if (failure === undefined) return sandbox;
  await sandbox.close();
  return missing(failure);
}

function missing(reason: string): { readonly missing: string } {
  return { missing: `Landlock cannot be used: ${reason}.` };
}

/**
 * 0 where there is no Landlock, undefined where perl cannot tell. The kernel itself is asked: files that tell of it may
 * not be mounted.
 */
async function versionOf(perl: string): Promise<number | undefined> {
  try {
    const { stdout } = await promisify(execFile)(perl, ["-e", "print syscall(444, 0, 0, 1)"], { env: {} });
    return Math.max(0, Number(stdout));
  } catch {
    return undefined;
  }
}

/** Why a program that does nothing cannot be run; undefined when it can. */
async function probe(
  sandbox: Sandbox,
  { workspace, file }: { readonly workspace: string; readonly file: string },
): Promise<string | undefined> {
  const launch: Launch = {
    file,
    args: ["-e", "0"],
    cwd: workspace,
    env: {},
    confinement: {},
    reachable: false,
  };
  const prepared = await sandbox.prepare(launch);
  try {
    const child = spawn(prepared.file, prepared.args, {
      env: prepared.env,
      stdio: ["ignore", "ignore", "ignore", "pipe"],
    });
    const exit = new Promise<number | null>((resolve, reject) => {
      child.once("exit", resolve);
      child.once("error", reject);
    });
    const setUp = prepared.started({ pid: child.pid ?? 0, channels: [child.stdio[3] as unknown as Duplex] });
    const [code] = await Promise.all([exit, setUp]);
    return code === 0 ? undefined : `a trial ended with ${code}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await prepared.finished();
  }
}
