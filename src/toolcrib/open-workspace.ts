import { homedir, tmpdir } from "node:os";
import type { Environment, SandboxReport } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import type { ExtraRoots, PathGuard } from "../contract/guard.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { heldBackSince } from "../engine/sandbox/held-back.ts";
import { withGuard, withOutputs } from "../environment/foreign-environment.ts";
import {
  type LocalEnvironmentOptions,
  openLocalEnvironment,
} from "../environment/local/local-environment.ts";
import { RunRecords } from "../environment/local/processes/run-records.ts";
import { undefinedUnlessExhausted } from "../lib/exhaustion.ts";
import { guardExtraRoots } from "../policy/guard-paths.ts";
import { recordFolders, restoreAbandoned } from "../sandbox/restore-abandoned.ts";
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
import {
  describeMissing,
  environmentElsewhere,
  isElsewhere,
  requireSameSandbox,
  requireSandbox,
  workspaceId,
  wrapLocal,
} from "./elsewhere.ts";
import { OpenPolicy } from "./open-policy.ts";
import type { ToolcribOptions } from "./options.ts";

type WorkspaceOptions = Pick<
  ToolcribOptions,
  | (
      | "workspace"
      | "target"
      | "environment"
      | "backend"
      | "wrapEnvironment"
      | "sandbox"
      | "expose"
      | "extraRoots"
    )
  | ("stateDirectory" | "configDirectory" | "rules" | "ruleFiles" | "hiddenPaths" | "client")
>;

/** The folder that calls work in, its rules, and the files of Toolcrib's own data about it. */
export interface Workspace {
  /** Real path. */
  readonly path: string;
  /** Names the workspace in the journal and in approvals: the path, or for a workspace elsewhere its place and path. */
  readonly id: string;
  /** Whether the workspace is not on this machine. */
  readonly isElsewhere: boolean;
  /** Warnings for the user. */
  readonly warnings: readonly string[];
  /** Tells the user what was held back since the workspace was opened. */
  readonly heldBack: () => readonly string[];
  readonly state: string;
  readonly config: string;
  readonly files: ReturnType<typeof workspaceFiles>;
  readonly policy: OpenPolicy;
  /** The environment of the tools, guarded by the rules. */
  readonly environment: Environment;
  /** The folder of stored outputs. */
  readonly storedOutputs: Environment;
  /** Returns an environment of this machine for the user's own programs, when the workspace is not on it. */
  here?(): Environment;
  /** Returns an environment without the guard, because undo also restores files that tools may not touch. */
  unguarded(): Environment;
  sandbox(): Promise<SandboxReport>;
  /**
   * Ends programs whose Toolcrib process no longer exists, or their servers on the target, and restores what the sandbox
   * changed for them. Returns warnings for the user.
   */
  endAbandoned(): Promise<readonly string[]>;
  /** Closes all environments, except one that was passed in. */
  close(): Promise<void>;
}

export async function openWorkspace(
  options: WorkspaceOptions,
  dialect: Pick<Dialect, "extraRoots" | "allowsFewVariables">,
): Promise<Workspace> {
  const given = await environmentElsewhere(options, async (target) => {
    const { openTarget } = await import("./open-target.ts");
    const { servers } = workspaceFiles(stateOf(options), workspaceId(options));
    return openTarget(target, { sandbox: options.sandbox, servers });
  });
  try {
    return await openIn(given, options, dialect);
  } catch (error) {
    // An environment that was passed in stays open. A connection would keep the process running.
    if (options.environment === undefined) await given?.close();
    throw error;
  }
}

async function openIn(
  given: Environment | undefined,
  options: WorkspaceOptions,
  dialect: Pick<Dialect, "extraRoots" | "allowsFewVariables">,
): Promise<Workspace> {
  const warning = given && (await requireSandbox(given, options));
  const lacks = given && (await describeMissing(given));
  const state = stateOf(options);
  const config = options.configDirectory ?? userDirectories().config;
  const want = sandboxWanted(options.sandbox);
  const id = workspaceId(options);
  const path = given?.workspace ?? id;
  const extraRoots = given ? undefined : realExtraRoots(extraRootsOf(dialect, options), path);
  const { rules, ruleFiles, hiddenPaths } = options;
  const here = { workspace: path, id, state, config, environment: given };
  const { allowsFewVariables } = dialect;
  const policy = await OpenPolicy.open({
    ...here,
    rules,
    ruleFiles,
    extraRoots,
    allowsFewVariables,
    hiddenPaths,
  });
  const files = workspaceFiles(state, id);
  makePrivateDirectory(files.outputs);
  const storedOutputs = openLocalEnvironment({ workspace: files.outputs });
  const temporary = extraRoots && SharedTemporary.open(path, extraRoots);
  const guard = extraRoots ? guardExtraRoots(policy.guard, extraRoots, path) : policy.guard;
  const own = [config, userDirectories().cache];
  // Commands could create a directory that is missing, because nothing can be mounted there.
  if (!given) for (const one of own) if (liesInside(realLocation(one), path)) makePrivateDirectory(one);
  const openedAt = Date.now();
  const { expose: exposed } = options;
  const sandbox = {
    ...{ want, directory: files.sandbox, own, exposed, temporary: temporary?.directory },
    alsoVisible: extraRoots?.visible,
  };
  const opened = given
    ? openElsewhere(given, { guard, storedOutputs, isOurs: options.environment === undefined })
    : await openHere(path, {
        ...{ guard, extraRoots, files, sandbox, temporary, wrap: options.wrapEnvironment },
      });
  const { environment } = opened;
  // Without a sandbox, commands use the directories of the machine.
  const report = temporary && (await environment.sandbox?.().catch(() => undefined));
  if (temporary && report?.level === "none") temporary.isUsed = false;
  return {
    ...{ path, id, state, config, files, policy, storedOutputs },
    isElsewhere: given !== undefined,
    warnings: [warning, lacks].filter((text) => text !== undefined),
    heldBack: () => heldBackSince(recordFolders(files.sandbox).quarantine, openedAt, path),
    environment,
    ...(opened.here && { here: opened.here }),
    unguarded: opened.unguarded,
    sandbox: async () => (await environment.sandbox?.()) ?? noSandbox,
    endAbandoned: given
      ? endAbandonedOn(options.target, files)
      : async () => {
          await new RunRecords(files.started).endAbandoned();
          return restoreAbandoned({ workspace: path, directory: files.sandbox });
        },
    close: async () => {
      await Promise.all([storedOutputs.close(), opened.close()]);
    },
  };
}

function stateOf({ stateDirectory }: WorkspaceOptions): string {
  return stateDirectory ?? userDirectories().state;
}

/** A target that cannot be reached in another way than by the open connection is tried once: each attempt may take a minute. */
function endAbandonedOn(
  target: ToolcribOptions["target"],
  { servers }: Pick<Workspace["files"], "servers">,
): Workspace["endAbandoned"] {
  let hasFailed = target === undefined;
  return async () => {
    if (hasFailed) return [];
    const { endAbandonedServers } = await import("./open-target.ts");
    try {
      await endAbandonedServers(target!, servers);
      return [];
    } catch (error) {
      hasFailed = true;
      return [`A server of an ended process could not be stopped: ${(error as Error).message}`];
    }
  };
}

type OpenedEnvironment = Pick<Workspace, "environment" | "here" | "unguarded" | "close">;

/** An environment that was passed in stays open; that of a backend or target is closed. */
function openElsewhere(
  given: Environment,
  { guard, storedOutputs, isOurs }: Pick<Workspace, "storedOutputs"> & { guard: PathGuard; isOurs: boolean },
): OpenedEnvironment {
  let here: Environment | undefined;
  return {
    environment: withOutputs(withGuard(given, guard), storedOutputs),
    here: () => (here ??= openLocalEnvironment({ workspace: realWorkspace(process.cwd()) })),
    unguarded: () => given,
    close: async () => void (await Promise.all([here?.close(), isOurs ? given.close() : undefined])),
  };
}

async function openHere(
  workspace: string,
  parts: Pick<Workspace, "files"> & {
    readonly guard: PathGuard;
    readonly extraRoots: Required<ExtraRoots> | undefined;
    readonly sandbox: LocalEnvironmentOptions["sandbox"];
    readonly temporary: SharedTemporary | undefined;
    readonly wrap: ToolcribOptions["wrapEnvironment"];
  },
): Promise<OpenedEnvironment> {
  const { guard, extraRoots, sandbox, temporary, wrap } = parts;
  const { outputs, changes: changeRecords, started: startRecords, scans: effectRecords } = parts.files;
  const local = openLocalEnvironment({
    ...{ workspace, outputs, changeRecords, startRecords, sandbox, guard, effectRecords },
    redirect: temporary && ((named) => temporary.locate(named)),
    extraRoots: extraRoots && {
      directories: [...extraRoots.read, ...extraRoots.write, ...extraRoots.ask],
      writable: extraRoots.write,
      links: "lead out",
    },
  });
  const opened = [local];
  const close = async () => void (await Promise.all(opened.map((each) => each.close())));
  let unguarded: Environment | undefined;
  try {
    const wrapped = wrapLocal(local, wrap);
    if (wrap !== undefined) await requireSameSandbox(local, wrapped);
    return {
      // The wrapper may use other files than those it was asked for.
      environment: wrap === undefined ? local : withGuard(wrapped, guard),
      unguarded: () => {
        if (unguarded !== undefined) return unguarded;
        // Undo restores every file that a call changed, also outside the workspace.
        const everywhere = { directories: ["/"], links: "stay inside" } as const;
        const inner = openLocalEnvironment({ workspace, changeRecords, sandbox, extraRoots: everywhere });
        opened.push(inner);
        unguarded = wrapLocal(inner, wrap);
        return unguarded;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The report of an environment that confines nothing. */
const noSandbox: SandboxReport = {
  level: "none",
  missing: ["This environment does not confine commands."],
  gaps: ["Commands can use every file and host that the user can."],
};

/** Returns the extra roots of the tools: the option, else those of the dialect. */
function extraRootsOf(
  dialect: Pick<Dialect, "extraRoots">,
  options: WorkspaceOptions,
): ExtraRoots | undefined {
  const { workspace, extraRoots } = options;
  if (isElsewhere(options) || extraRoots !== undefined) return extraRoots;
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
    visible: real(roots.visible),
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
