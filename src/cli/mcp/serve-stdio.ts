import { homedir } from "node:os";
import { ToolError } from "../../contract/error.ts";
import { instructionsFor } from "../../mcp/server/instructions.ts";
import { serveStdio } from "../../mcp/server/serve-stdio.ts";
import { attempt } from "../../system/attempt.ts";
import { realLocation, realWorkspace } from "../../system/directories.ts";
import { liesInside } from "../../system/workspace-path.ts";
import type { Toolcrib, ToolcribOptions } from "../../toolcrib/index.ts";
import type { Arguments } from "../command.ts";
import { type ConfiguredArguments, withConfig } from "../config/with-config.ts";
import { withFolder } from "../config/with-target.ts";
import { placeOf, readInstanceOptions } from "../options.ts";
import { readCount } from "../parse-arguments.ts";
import { printFailure, remarkFewDescriptors, remarkRecovered, remarkWarnings } from "../report.ts";
import { remark } from "../terminal.ts";
import { configuredHub } from "./servers.ts";

/** Runs `toolcrib mcp`, which serves one client until it disconnects. */
export async function serveStdioClient(given: Arguments): Promise<number> {
  const { options: places } = given;
  const isNamed = places.has("workspace") || places.has("target");
  const { instructions, ...here } = servedInstance(await withConfig(given, servedSettings), !isNamed);
  const open = async (root: string | undefined) => {
    const { options, folder } = root === undefined ? here : await servedIn(root, given);
    const sources = await configuredHub(folder, {
      ofProject: options.target === undefined,
      elicit: (question) => connection.elicit(question),
    });
    try {
      return await openForClient({ ...options, sources });
    } catch (error) {
      await Promise.all(sources.map((hub) => hub.close()));
      throw error;
    }
  };
  const connection = serveStdio({
    instructions,
    prompts: {},
    open,
    chooseRoot: isNamed ? undefined : (roots) => chooseRoot(roots),
    remark: (text) => remark(`toolcrib mcp: ${text}\n`),
  });
  // The instance waits for the client's roots; its code is loaded meanwhile.
  setImmediate(() => void import("../../toolcrib/open-toolcrib.ts").catch(() => {}));
  await Promise.race([connection.ended, untilAskedToEnd({ withParent: true })]);
  return leave(() => connection.close());
}

/** Returns the options of an instance in a root of the client: as if the server had been started there. */
async function servedIn(root: string, { operands, options }: Arguments) {
  const inRoot = { operands, options: await withFolder(options, root) };
  return servedInstance(await withConfig(inRoot, servedSettings));
}

/**
 * Chooses the first usable root of a client, if the server was not started in one. As without roots, `/` and the home
 * folder are not usable: clients name them when the user has opened no folder.
 */
export function chooseRoot(roots: readonly string[], startedIn: string = process.cwd()): string | undefined {
  const usable = roots
    .flatMap((root) => attempt(() => realWorkspace(root)) ?? [])
    .filter((root) => !containsHome(root));
  const here = realWorkspace(startedIn);
  const isInRoot = !containsHome(here) && usable.some((root) => liesInside(here, root));
  return isInRoot ? undefined : usable[0];
}

/** Resolves on a signal, or when the parent process has died. */
export function untilAskedToEnd({ withParent }: { readonly withParent: boolean }): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve());
    if (!withParent) return;
    // A grandchild of a killed client may keep standard input open forever.
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) resolve();
    }, pollMs).unref();
  });
}

/**
 * Closes within the second that clients wait before they kill the server. Kills programs that do not end in time, so
 * that their calls are recorded.
 */
export async function leave(close: () => Promise<void>): Promise<never> {
  const insist = setTimeout(killStarted, patienceMs);
  const giveUp = setTimeout(() => process.exit(0), 2 * patienceMs);
  await close().catch(() => {});
  clearTimeout(insist);
  clearTimeout(giveUp);
  process.exit(0);
}

/** Kills all started programs. Loads the module here, because a server that started no program does not need it. */
async function killStarted(): Promise<void> {
  const { killWatched } = await import("../../environment/local/processes/runs.ts");
  killWatched();
}

const pollMs = 200;
const patienceMs = 350;

/** Opens an instance for a client. Warnings go to standard error, which clients write to their log. */
export async function openForClient(options: ToolcribOptions): Promise<Toolcrib> {
  const { openToolcrib } = await import("../../toolcrib/open-toolcrib.ts");
  try {
    const crib = await openToolcrib(options);
    remarkRecovered(crib.recovered);
    remarkWarnings(crib.warnings);
    return crib;
  } catch (error) {
    if (error instanceof ToolError) printFailure(error);
    throw error;
  }
}

/** The settings of config.toml that a server uses. */
export const servedSettings = ["mode", "sandbox", "dialect"] as const;

/** Returns the options of the instance that a command line asks for, and the instructions for clients. */
export function servedInstance(
  given: ConfiguredArguments,
  /** Whether the client's roots may choose another workspace. */
  mayMove = false,
): {
  readonly options: ToolcribOptions;
  /** The folder whose settings apply: the workspace, unless that is on a target. */
  readonly folder: string;
  readonly instructions: string;
} {
  const { options } = given;
  const named = options.get("workspace");
  // A missing folder fails here, not at the first call.
  const folder = realWorkspace(named ?? process.cwd());
  const target = options.get("target");
  const { rules = [], ...instance } = readInstanceOptions(options);
  const isTooWide = named === undefined && target === undefined && containsHome(folder);
  // Some clients start servers in `/` or in the home folder, without the user having chosen that folder.
  const reason = `Toolcrib was started in ${folder} without --workspace DIR`;
  const unless = mayMove ? " unless the client has a project as its root" : "";
  const note = isTooWide ? `${reason}, ${consequence(unless)}` : undefined;
  if (note !== undefined) remarkWarnings([note]);
  remarkFewDescriptors();
  const limits = isTooWide ? denyChanges(reason) : [];
  return {
    folder,
    options: {
      ...placeOf(options),
      dialect: options.get("dialect") ?? "toolcrib",
      ...instance,
      commandHooks: given.commandHooks,
      languageServers: given.languageServers,
      embedder: given.embedder,
      rules: [...limits, ...rules],
      maxShownTokens,
      pendingApprovals: true,
      client: { kind: "mcp" },
      approvalWaitMs: readCount(given, "approval-wait-ms"),
    },
    instructions: instructionsFor({ workspace: folder, target, readOnly: instance.readOnly, note, mayMove }),
  };
}

/** Whether a folder is `/`, the home folder, or lies between them: clients name such a folder when the user chose none. */
export function containsHome(workspace: string): boolean {
  return liesInside(realLocation(homedir()), workspace);
}

/** Returns rules under which files are only read. */
export function denyChanges(reason: string): readonly string[] {
  return ["write **", "delete **", "run @write"].map(
    (what) => `deny ${what} because ${JSON.stringify(reason)}`,
  );
}

const consequence = (unless: string) =>
  `so it changes no files and runs only commands that read${unless}. The user can name the folder in the client's configuration: add --workspace DIR to the arguments of this server.`;

/** The most tokens of a result. Claude Code refuses results above 25 000 tokens. */
const maxShownTokens = 22_000;
