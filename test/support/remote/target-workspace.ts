import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../../src/contract/environment.ts";
import { connectTarget } from "../../../src/environment/remote/connect-target.ts";
import { openRemoteEnvironment } from "../../../src/environment/remote/remote-environment.ts";
import { parseTarget } from "../../../src/environment/remote/target.ts";
import type { RealTarget } from "./real-targets.ts";
import { targetProgramsWith } from "./target-programs.ts";

/** A workspace on a target, over one connection. Tests share it one after the other. */
export interface TargetWorkspace extends AsyncDisposable {
  readonly environment: Environment;
  /** The path of the workspace on this machine. */
  readonly here: string;
  /** A folder next to the workspace, as it is called there. It contains the file "secret". */
  readonly outside: string;
  /** Deletes everything in the workspace. */
  empty(): void;
}

/** Commands run without a sandbox, because undo must find everything that a command may do. */
export async function openTargetWorkspace(target: RealTarget): Promise<TargetWorkspace> {
  const { name, env, folder } = target;
  const here = join(target.here, "work space");
  const outside = join(target.here, "outside");
  for (const path of [here, outside]) mkdirSync(path);
  writeFileSync(join(outside, "secret"), "secret");
  const channel = await connectTarget(parseTarget(`${name}:${folder}/work space`), {
    ...{ env, sandbox: "none", programs: await targetProgramsWith() },
  });
  const environment = await openRemoteEnvironment(channel);
  return {
    ...{ environment, here, outside: `${folder}/outside` },
    empty: () => {
      // Not the folder itself: the server keeps it open.
      for (const entry of readdirSync(here)) rmSync(join(here, entry), { recursive: true, force: true });
    },
    [Symbol.asyncDispose]: () => environment.close(),
  };
}
