import { homedir } from "node:os";
import type { AbsentPath } from "../../contract/confinement.ts";
import { filesOfGitSettings } from "../../engine/sandbox/git-files.ts";
import { furnishHome } from "../../engine/sandbox/private-installs.ts";
import { findVisible } from "../../engine/sandbox/visible.ts";
import { undefinedUnlessExhausted } from "../../lib/exhaustion.ts";
import { outputOfProgram } from "../../system/start-program.ts";
import { liesInside } from "../../system/workspace-path.ts";
import { ownCode } from "../own-code.ts";
import { linkToolChains, openPrivateDirectories } from "../private-directories.ts";
import { probeOnce } from "../probe.ts";
import { realPathsOf } from "../real-paths.ts";
import type { OpenedSandbox, SandboxContext } from "../sandbox.ts";
import { LandlockSandbox } from "./landlock-sandbox.ts";
import { Tripwire } from "./tripwire/tripwire.ts";

interface LandlockOptions extends SandboxContext {
  /** The files of Toolcrib in the workspace. Default: detected. */
  readonly ownCode?: readonly AbsentPath[];
  /** The latest version of Landlock to use. */
  readonly versionAtMost?: number;
}

/** Opens Landlock if it works with the profile for commands. */
export async function openLandlock(options: LandlockOptions): Promise<OpenedSandbox> {
  const { workspace, directory, own = [], findProgram, versionAtMost = Number.POSITIVE_INFINITY } = options;
  const { platform, arch } = process;
  if (platform !== "linux") return missing("it needs Linux");
  if (arch !== "x64" && arch !== "arm64") return missing(`${arch} processors are not supported`);
  if ([directory, ...realPathsOf(own)].some((path) => liesInside(path, workspace)))
    return missing("Toolcrib's own state is in the workspace. Open another workspace");
  // Changed code of Toolcrib could be loaded before the tripwire restores it.
  if ((options.ownCode ?? ownCode(workspace)).length > 0)
    return missing(
      "Toolcrib is installed in the workspace. Install it globally (npm install --global toolcrib), or install bubblewrap",
    );
  const perl = await findProgram("perl").catch(() => undefined);
  if (perl === undefined) return missing("it needs perl. Install perl-base");
  const known = await versionOf(perl);
  if (known === undefined) return missing(`${perl} does not work. Reinstall perl`);
  const version = Math.min(known, versionAtMost);
  if (version < 1)
    return missing(
      "the kernel does not support it. It needs Linux 5.13 or later with landlock in the boot option lsm=",
    );
  const privates = openPrivateDirectories(directory, options.temporary);
  const home = homedir();
  const visible = findVisible({
    also: options.alsoVisible?.filter((path) => path !== "/"),
    gitFiles: await filesOfGitSettings(findProgram),
  });
  const inHome = visible.toolChains.flatMap(({ target }) =>
    liesInside(target, home) && target !== home ? [target] : [],
  );
  linkToolChains(privates, home, inHome);
  furnishHome(home, privates.home);
  const sandbox = new LandlockSandbox({
    ...{ workspace, directory, perl, version, privates },
    architecture: arch,
    visible,
    tripwire: new Tripwire({ workspace, directory, writable: [privates.temporary, privates.home] }),
  });
  const file = await findProgram("true").catch(() => perl);
  const failure = await probeOnce(
    sandbox,
    { file, args: ["-e", "0"], cwd: workspace },
    { by: perl, how: `version ${version}`, folders: [workspace, directory] },
  ).catch(async (error) => {
    await sandbox.close();
    throw error;
  });
  if (failure === undefined) return sandbox;
  await sandbox.close();
  return missing(failure.error ?? `a test program ended with ${failure.code}`);
}

function missing(reason: string): { readonly missing: string } {
  return { missing: `Landlock cannot be used: ${reason}.` };
}

/** Returns the version of Landlock in the kernel: 0 without it, undefined when perl does not work. */
async function versionOf(perl: string): Promise<number | undefined> {
  try {
    const version = await outputOfProgram(perl, ["-e", "print syscall(444, 0, 0, 1)"], { env: {} });
    return Math.max(0, Number(version));
  } catch (error) {
    return undefinedUnlessExhausted(error);
  }
}
