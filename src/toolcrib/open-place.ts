import type { Environment, SandboxReport } from "../contract/environment.ts";
import type { Reach } from "../contract/reach.ts";
import { withGuard, withOutputs } from "../environment/foreign-environment.ts";
import { openLocalEnvironment } from "../environment/local/local-environment.ts";
import { guardReach } from "../policy/guard-paths.ts";
import {
  makePrivateDirectory,
  realLocation,
  realWorkspace,
  userDirectories,
  workspaceFiles,
} from "../system/directories.ts";
import { liesInside } from "../system/workspace-path.ts";
import { OpenPolicy } from "./open-policy.ts";
import { noSandbox, type SandboxWanted, sandboxWanted } from "./sandbox-wanted.ts";

export interface PlaceOptions {
  readonly workspace?: string;
  readonly environment?: Environment;
  readonly stateDirectory?: string;
  readonly configDirectory?: string;
  readonly rules?: readonly string[];
  readonly ruleFiles?: readonly string[];
  readonly sandbox?: SandboxWanted;
  readonly reach?: Reach | undefined;
}

/** Where the calls of a room happen, the rules that hold there, and where Toolcrib keeps what belongs to it. */
export interface Place {
  /** Real path. */
  readonly workspace: string;
  readonly state: string;
  readonly config: string;
  readonly files: ReturnType<typeof workspaceFiles>;
  readonly policy: OpenPolicy;
  /** Guarded by the rules. */
  readonly environment: Environment;
  /** The folder of spilled outputs. */
  readonly kept: Environment;
  /** What is guarded from tools can still be brought back: see lazyHistory. */
  unguarded(): Environment;
  sandbox(): Promise<SandboxReport>;
  /** What was opened here; an environment that was given stays open. */
  close(): Promise<void>;
}

export async function openPlace(options: PlaceOptions): Promise<Place> {
  const { environment: foreign, rules, ruleFiles, workspace: folder = process.cwd() } = options;
  const {
    stateDirectory: state = userDirectories().state,
    configDirectory: config = userDirectories().config,
  } = options;
  const want = sandboxWanted(options.sandbox);
  const workspace = foreign?.workspace ?? realWorkspace(folder);
  const reach = foreign ? undefined : realReach(options.reach, workspace);
  const here = { workspace, state, config, environment: foreign };
  const policy = await OpenPolicy.open({ ...here, rules, ruleFiles, reach });
  const guard = reach ? guardReach(policy.guard, reach, workspace) : policy.guard;
  const files = workspaceFiles(state, workspace);
  const { outputs, changes: changeRecords, started: startRecords } = files;
  makePrivateDirectory(outputs);
  const kept = openLocalEnvironment({ workspace: outputs });
  const sandbox = { want, directory: files.sandbox, own: [config] };
  const environment = foreign
    ? withOutputs(withGuard(foreign, guard), kept)
    : openLocalEnvironment({
        workspace: folder,
        outputs,
        changeRecords,
        startRecords,
        sandbox,
        guard,
        ...(reach && { reach: { directories: directoriesOf(reach), links: "lead out" } }),
      });
  let bare: Environment | undefined;
  return {
    workspace,
    state,
    config,
    files,
    policy,
    environment,
    kept,
    unguarded: () => {
      // Whatever a room of this workspace has changed can be brought back, wherever it is.
      const everywhere = { directories: ["/"], links: "stay inside" } as const;
      bare ??= foreign ?? openLocalEnvironment({ workspace: folder, changeRecords, reach: everywhere });
      return bare;
    },
    sandbox: async () => (await environment.sandbox?.()) ?? noSandbox,
    close: async () => {
      await kept.close();
      if (!foreign) await Promise.all([environment.close(), bare?.close()]);
    },
  };
}

/** Paths are judged by where they lead. The workspace itself is never left out. */
function realReach(reach: Reach | undefined, workspace: string): Reach | undefined {
  if (reach === undefined) return undefined;
  const real = (paths: readonly string[] = []) => [...new Set(paths.map(realLocation))];
  return {
    read: real(reach.read),
    write: real(reach.write),
    ask: real(reach.ask),
    except: real(reach.except).filter((path) => !liesInside(workspace, path)),
  };
}

function directoriesOf({ read = [], write = [], ask = [] }: Reach): readonly string[] {
  return [...read, ...write, ...ask];
}
