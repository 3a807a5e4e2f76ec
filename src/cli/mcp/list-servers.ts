import { connectHub } from "../../mcp/hub/connect-hub.ts";
import { readServers } from "../../mcp/hub/settings/read-servers.ts";
import type { Arguments } from "../command.ts";
import { printJson, remarkWarnings } from "../report.ts";
import { layTable } from "../table.ts";
import { print } from "../terminal.ts";

/** `toolcrib mcp servers`: starts the configured servers once, and tells how each is. */
export async function listServers({ options }: Arguments): Promise<number> {
  const workspace = options.get("workspace") ?? process.cwd();
  const hub = connectHub({ workspace, ...(await readServers({ workspace })) });
  try {
    await hub.ready;
    const states = hub.states();
    if (options.has("json")) printJson({ servers: states, warnings: hub.warnings });
    else if (states.length === 0) print("No MCP servers are configured: see toolcrib help mcp\n");
    else
      print(
        layTable(
          states.map(({ name, state, reach, tools, version }) => [
            name,
            state,
            reach,
            `${tools} tools`,
            version ?? "",
          ]),
        ),
      );
    if (!options.has("json")) remarkWarnings(hub.warnings);
    return states.every(({ state }) => state === "ready") ? 0 : 1;
  } finally {
    await hub.close();
  }
}
