import { homedir, tmpdir } from "node:os";
import type { Environment, SandboxReport } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import type { ExtraRoots } from "../contract/guard.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { withGuard, withOutputs } from "../environment/foreign-environment.ts";
import { openLocalEnvironment } from "../environment/local/local-environment.ts";
import { undefinedUnlessExhausted } from "../lib/exhaustion.ts";
import { guardExtraRoots } from "../policy/guard-paths.ts";
import {
  makePrivateDirectory,
  realLocation,
  realWorkspace,
  userDirectories,
  workspaceFiles,
} from "../system/directories.ts";
import { isOfUser, SharedTemporary } from "../system/shared-temporary.ts";
import { liesInside } from "../system/workspace-path.ts";
import { sandboxWanted } from "./check-options.ts";
import { OpenPolicy } from "./open-policy.ts";
import type { ToolcribOptions } from "./options.ts";

type WorkspaceOptions = Pick<
  ToolcribOptions,
  "workspace" | "environment" | "stateDirectory" | "configDirectory" | "rules" | "ruleFiles" | "sandbox"
>;

/** The folder that calls work in, its rules, and the files of Toolcrib's own data about it. */
export interface Workspace {
  /** Real path. */
  readonly path: string;
  readonly state: string;
  readonly config: string;
  readonly files: ReturnType<typeof workspaceFiles>;
  readonly policy: OpenPolicy;
  /** The environment of the tools, guarded by the rules. */
  readonly environment: Environment;
  /** The folder of stored outputs. */
  readonly storedOutputs: Environment;
  /** Returns an environment without the guard, because undo also restores files that tools may not touch. */
  unguarded(): Environment;
  sandbox(): Promise<SandboxReport>;
  /** Closes all environments, except one that was passed in. */
  close(): Promise<void>;
}

export async function openWorkspace(
  options: WorkspaceOptions,
  wantedRoots: ExtraRoots | undefined,
): Promise<Workspace> {
  const { environment: given, rules, ruleFiles, workspace: folder = process.cwd() } = options;
  const state = options.stateDirectory ?? userDirectories().state;
  const config = options.configDirectory ?? userDirectories().config;
  const want = sandboxWanted(options.sandbox);
  const path = given?.workspace ?? realWorkspace(folder);
  const extraRoots = given ? undefined : realExtraRoots(wantedRoots, path);
  const here = { workspace: path, state, config, environment: given };
  const policy = await OpenPolicy.open({ ...here, rules, ruleFiles, extraRoots });
  const guard = extraRoots ? guardExtraRoots(policy.guard, extraRoots, path) : policy.guard;
  const files = workspaceFiles(state, path);
  const { outputs, changes: changeRecords, started: startRecords } = files;
  makePrivateDirectory(outputs);
  const storedOutputs = openLocalEnvironment({ workspace: outputs });
  const temporary = extraRoots && SharedTemporary.open(path, extraRoots);
  const environment = given
    ? withOutputs(withGuard(given, guard), storedOutputs)
    : openLocalEnvironment({
        workspace: folder,
        outputs,
        changeRecords,
        startRecords,
        sandbox: { want, directory: files.sandbox, own: [config], temporary: temporary?.directory },
        redirect: temporary && ((named) => temporary.locate(named)),
        guard,
        extraRoots: extraRoots && {
          directories: [...extraRoots.read, ...extraRoots.write, ...extraRoots.ask],
          links: "lead out",
        },
      });
  // Without a sandbox, commands use the directories of the machine.
  const report = temporary && (await environment.sandbox?.().catch(() => undefined));
  if (temporary && report?.level === "none") temporary.isUsed = false;
  let unguarded: Environment | undefined;
  return {
    path,
    state,
    config,
    files,
    policy,
    environment,
    storedOutputs,
    unguarded: () => {
      // Undo restores every file that a call changed, also outside the workspace.
      const everywhere = { directories: ["/"], links: "stay inside" } as const;
      unguarded ??=
        given ?? openLocalEnvironment({ workspace: folder, changeRecords, extraRoots: everywhere });
      return unguarded;
    },
    sandbox: async () => (await environment.sandbox?.()) ?? noSandbox,
    close: async () => {
      await storedOutputs.close();
      if (!given) await Promise.all([environment.close(), unguarded?.close()]);
      temporary?.close();
    },
  };
}

/** The report of an environment that confines nothing. */
const noSandbox: SandboxReport = {
  level: "none",
  missing: ["This environment does not confine commands."],
  gaps: ["Commands can use every file and host that the user can."],
};

/** Returns the extra roots of the tools: the option, else those of the dialect. */
export function extraRootsOf(
  dialect: Pick<Dialect, "extraRoots">,
  { workspace, extraRoots, environment }: ToolcribOptions,
): ExtraRoots | undefined {
  if (environment !== undefined && extraRoots !== undefined)
    throw new ToolError("unsupported", "`extraRoots` cannot be combined with a custom `environment`", {
      hint: "Leave out one of them.",
    });
  if (environment !== undefined || extraRoots !== undefined) return extraRoots;
  const temporary = [...new Set(["/tmp", tmpdir()].map(realLocation))];
  const home = realLocation(homedir());
  return dialect.extraRoots?.({ workspace: realWorkspace(workspace ?? process.cwd()), temporary, home });
}

/**
 * Resolves the extra roots, because rules apply to real paths. Folders that contain the workspace cannot be excepted.
 */
function realExtraRoots(roots: ExtraRoots | undefined, workspace: string): Required<ExtraRoots> | undefined {
  if (roots === undefined) return undefined;
  const real = (paths: readonly string[] = []) => [...new Set(paths.map(realLocation))];
  return {
    read: real(roots.read),
    write: real(roots.write),
    ask: real(roots.ask),
    except: real(roots.except).filter((path) => !liesInside(workspace, path)),
    commands: real(roots.commands).filter(isOfUser),
    temporary: [...new Set([...(roots.temporary ?? []), ...real(roots.temporary)])],
  };
}

/** A part of a stored output. */
export interface OutputPart {
  readonly text: string;
  /** The size of the whole output. */
  readonly bytes: number;
  /** The offset of the next part; undefined at the end. */
  readonly next: number | undefined;
}

/** A range in bytes. Default of `maxBytes`: 1 MiB. */
export interface OutputRange {
  readonly offset?: number | undefined;
  readonly maxBytes?: number | undefined;
}

/** Reads from the folder of stored outputs. A part ends after a line, or at least after a character. */
export async function readOutput(
  storedOutputs: Pick<Environment, "info" | "readBytes">,
  handle: string,
  { offset = 0, maxBytes = 1024 * 1024 }: OutputRange = {},
): Promise<OutputPart> {
  if (!/^out_[a-z0-9]+$/.test(handle)) throw noSuchOutput(handle);
  const info = await storedOutputs.info(handle, { followLinks: false }).catch(undefinedUnlessExhausted);
  if (info?.kind !== "file") throw noSuchOutput(handle);
  const part = Buffer.from(await storedOutputs.readBytes(handle, { offset, length: maxBytes }));
  const end = offset + part.length;
  if (end >= info.bytes || part.length === 0)
    return { text: part.toString(), bytes: info.bytes, next: undefined };
  const length = wholeLines(part);
  return { text: part.toString("utf8", 0, length), bytes: info.bytes, next: offset + length };
}

function wholeLines(part: Buffer): number {
  const afterLine = part.lastIndexOf(0x0a) + 1;
  if (afterLine > 0) return afterLine;
  let start = part.length;
  // The last character may be incomplete, so the part ends before its first byte.
  while (start > 1 && (part[start - 1]! & 0b1100_0000) === 0b1000_0000) start -= 1;
  return start > 1 ? start - 1 : part.length;
}

function noSuchOutput(handle: string): ToolError {
  return new ToolError("not-found", `There is no stored output ${JSON.stringify(handle)}`, {
    hint: "Outputs are deleted after a week, or earlier to free space. Repeat the call that produced it.",
  });
}
