import { ToolError } from "../../contract/error.ts";
import { instructionsFor } from "../../mcp/server/instructions.ts";
import { serveStdio } from "../../mcp/server/serve-stdio.ts";
import type { Mode } from "../../policy/policy.ts";
import { realWorkspace } from "../../system/directories.ts";
import { sandboxWanted } from "../../toolcrib/check-options.ts";
import type { Toolcrib, ToolcribOptions } from "../../toolcrib/index.ts";
import type { Arguments } from "../command.ts";
import { narrowingGiven, rulesGiven } from "../options.ts";
import { readCount } from "../parse-arguments.ts";
import { printFailure, remarkRecovered, remarkWarnings } from "../report.ts";
import { remark } from "../terminal.ts";
import { version } from "../version.ts";
import { configuredHub } from "./servers.ts";

/** `toolcrib mcp`: one client, one room, until the client has gone. */
export async function serveStdioClient(given: Arguments): Promise<number> {
  const options = toolcribOptions(given);
  const connection = serveStdio({
    version,
    instructions: instructionsOf(options),
    open: async () => {
      const sources = await configuredHub(options.workspace);
      try {
        return await openForClient({ ...options, sources });
      } catch (error) {
        await Promise.all(sources.map((hub) => hub.close()));
        throw error;
      }
    },
    remark: (text) => remark(`toolcrib mcp: ${text}\n`),
  });
  await Promise.race([connection.ended, untilAskedToEnd({ withParent: true })]);
  return leave(() => connection.close());
}

/** Settled by whatever tells a server to end: a signal, or the death of who has started it. */
export function untilAskedToEnd({ withParent }: { readonly withParent: boolean }): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve());
    if (!withParent) return;
    // A grandchild of a client that was killed may hold its end of our standard input open for ever.
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) resolve();
    }, lookMs).unref();
  });
}

/**
 * Ends what runs and writes down what is left, within the second that clients wait before they use force: what does not end
 * when it is asked to is killed, so that its calls end and are told in the journal.
 */
export async function leave(close: () => Promise<void>): Promise<never> {
  const insist = setTimeout(killStarted, patienceMs);
  const giveUp = setTimeout(() => process.exit(0), 2 * patienceMs);
  await close().catch(() => {});
  clearTimeout(insist);
  clearTimeout(giveUp);
  process.exit(0);
}

/** What starts programs is loaded by the first that is started. */
async function killStarted(): Promise<void> {
  const { killWatched } = await import("../../environment/local/processes/runs.ts");
  killWatched();
}

const lookMs = 200;
const patienceMs = 350;

/** Opens a room for a client. What a person has to know goes to standard error, which clients keep as their log. */
export async function openForClient(options: ToolcribOptions): Promise<Toolcrib> {
  const { openToolcrib } = await import("../../toolcrib/index.ts");
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

/** The rooms that a command line asks for. */
export function toolcribOptions(given: Arguments): ToolcribOptions & { readonly workspace: string } {
  const { options } = given;
  const waitForApprovalMs = readCount(given, "approval-wait-ms");
  return {
    // Who names a folder that is not there hears it at once, not at the first call.
    workspace: realWorkspace(options.get("workspace") ?? process.cwd()),
    dialect: options.get("dialect") ?? "toolcrib",
    mode: (options.get("mode") ?? "cautious") as Mode,
    ...rulesGiven(options),
    ...narrowingGiven(options),
    sandbox: sandboxWanted(options.get("sandbox")),
    maxShownTokens,
    pendingApprovals: true,
    ...(waitForApprovalMs !== undefined && { waitForApprovalMs }),
  };
}

/** What clients are told of such a room. */
export function instructionsOf({ workspace = process.cwd(), readOnly = false }: ToolcribOptions): string {
  return instructionsFor({ workspace, readOnly });
}

/** Claude Code refuses results above 25 000. */
const maxShownTokens = 22_000;
