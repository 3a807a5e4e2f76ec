import { setTimeout as pause } from "node:timers/promises";
import { ToolError } from "../../contract/error.ts";
import type { ToolSource } from "../../contract/tool.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { cleanLine } from "../../mcp/hub/clean-text.ts";
import type { Hub, HubOptions } from "../../mcp/hub/connect-hub.ts";
import { projectServersPath, readProjectServers, readServers } from "../../mcp/hub/settings/read-servers.ts";
import type { ServerState } from "../../mcp/types.ts";
import { realWorkspace, userDirectories } from "../../system/directories.ts";
import { policyFiles, removePolicyFile } from "../../system/policy-files.ts";
import { writeTrust } from "../../toolcrib/trust.ts";
import { confirmTrust } from "../approvals/ask-on-terminal.ts";
import type { Arguments } from "../command.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { printJson, remarkWarnings } from "../report.ts";
import { layTable, print } from "../terminal.ts";

/** Runs `toolcrib mcp servers`, which starts the configured servers once and shows their state. */
export async function listServers({ options }: Arguments): Promise<number> {
  const workspace = options.get("workspace") ?? process.cwd();
  const { connectHub } = await import("../../mcp/hub/connect-hub.ts");
  const hub = connectHub({ workspace, ...(await readServers({ workspace })) });
  try {
    await hub.ready;
    const states = hub.states();
    if (options.has("json")) printJson({ servers: states, warnings: hub.warnings });
    else if (states.length === 0) print("No MCP servers are configured. See: toolcrib help mcp\n");
    else print(layTable(states.map(toRow)));
    if (!options.has("json")) remarkWarnings(hub.warnings);
    return states.every(({ state }) => state === "ready") ? 0 : 1;
  } finally {
    await hub.close();
  }
}

function toRow({ name, state, reach, tools, version = "" }: ServerState): readonly string[] {
  return [name, state, reach, counted(tools, "tool"), version];
}

/** Runs `toolcrib mcp trust`, which allows the servers of this folder. */
export async function trustServers(given: Arguments): Promise<number> {
  const { workspace, files } = foldersOf(given);
  const project = await readProjectServers({ workspace });
  if (project === undefined)
    throw new ToolError("not-found", `There is no ${projectServersPath} in ${workspace}`, {
      hint: "To find the folder of your own mcp.json, run: toolcrib paths",
    });
  const { servers, hash, trust } = project;
  const count = counted(Object.keys(servers).length, "MCP server");
  await confirmTrust(given, {
    ...project,
    workspace,
    heading: `${projectServersPath} of this folder names ${count}, to be run with your rights`,
    // The servers are shown as in the file, without the values of variables.
    lines: Object.entries(servers).map(([name, server]) => `${name}: ${JSON.stringify(server)}`),
    what: "these servers",
    otherwise: "They are not started.",
  });
  const wasTrusted = trust === "trusted";
  if (!wasTrusted) writeTrust({ workspace, hash }, files.serversTrust);
  if (given.options.has("json")) printJson({ workspace, sha256: hash, trust: "trusted", servers });
  else
    print(
      wasTrusted
        ? "They are already trusted.\n"
        : "Trusted until the file, or a program that it names, changes.\n",
    );
  return 0;
}

export async function untrustServers(given: Arguments): Promise<number> {
  const { workspace, files } = foldersOf(given);
  const wasTrusted = removePolicyFile(files.serversTrust);
  if (given.options.has("json")) printJson({ workspace, trust: "untrusted", wasTrusted });
  else print(wasTrusted ? "No longer trusted: they are not started.\n" : "They were not trusted.\n");
  return 0;
}

function foldersOf({ options, operands }: Arguments) {
  refuseOperands(operands, { name: "mcp" });
  const workspace = realWorkspace(options.get("workspace") ?? process.cwd());
  return { workspace, files: policyFiles(userDirectories().config, workspace) };
}

/** Returns the servers configured for a workspace; empty when there are neither servers nor warnings. */
export async function configuredHub(
  workspace: string,
  {
    // The client gets the built-in tools first, and those of other servers later.
    startAfterMs = 300,
    ofClient = {},
    // False for a workspace on a target: the project in this folder is another one.
    ofProject = true,
    elicit,
  }: {
    readonly startAfterMs?: number;
    readonly ofClient?: HubOptions["servers"];
    readonly ofProject?: boolean;
    readonly elicit?: HubOptions["elicit"];
  } = {},
): Promise<readonly Hub[]> {
  const configured = await readServers({ workspace, ofProject });
  const theirs = Object.entries(ofClient).filter(([name]) => !(name in configured.servers));
  const added: Omit<HubOptions, "workspace"> = {
    servers: Object.fromEntries(theirs),
    // The client has set every value. A name of a variable in it must not reveal one of this process.
    variables: {},
    warnings: Object.keys(ofClient)
      .filter((name) => name in configured.servers)
      .map(
        (name) =>
          `The MCP server ${cleanLine(name, 40)} of the client is skipped: your mcp.json has one of this name.`,
      ),
  };
  const wanted = [configured, added].filter(
    ({ servers, warnings = [] }) => Object.keys(servers).length > 0 || warnings.length > 0,
  );
  if (wanted.length === 0) return [];
  const { connectHub } = await import("../../mcp/hub/connect-hub.ts");
  const startAfter = pause(startAfterMs, undefined, { ref: false });
  return wanted.map((options) => connectHub({ workspace, ...options, startAfter, elicit }));
}

/** Wraps servers that several instances share, so that closing one leaves them running. */
export function shared(
  hub: ToolSource & Partial<Pick<Hub, "offers">>,
): ToolSource & Partial<Pick<Hub, "offers">> {
  const stops = new Set<() => void>();
  return {
    get tools() {
      return hub.tools;
    },
    unlisted: hub.unlisted,
    ...(hub.offers && { offers: hub.offers }),
    get warnings() {
      return hub.warnings;
    },
    get ready() {
      return hub.ready;
    },
    onChange: (listener) => {
      const stop = hub.onChange(listener);
      stops.add(stop);
      return () => {
        stops.delete(stop);
        stop();
      };
    },
    close: async () => {
      for (const stop of stops) stop();
    },
  };
}
