import { counted } from "../../lib/text/format-quantity.ts";
import { readServers } from "../../mcp/hub/settings/read-servers.ts";
import type { ServerState } from "../../mcp/types.ts";
import { type Finding, note, well, wrong } from "./finding.ts";

/** Starts every configured MCP server once, and tells what came of it, with the last it said where that was nothing. */
export async function examineServers(
  places: { readonly workspace: string; readonly state: string; readonly config: string },
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const { workspace, state, config } = places;
  const { servers, warnings } = await readServers({ workspace, configDirectory: config });
  const notes = warnings.map((warning) => note("mcp", warning, "See: toolcrib help mcp"));
  if (Object.keys(servers).length === 0) return notes;
  const { connectHub } = await import("../../mcp/hub/connect-hub.ts");
  const hub = connectHub({ servers, workspace, stateDirectory: state });
  const stop = () => void hub.close();
  signal.addEventListener("abort", stop, { once: true });
  try {
    await hub.ready;
    const states = hub.states();
    const known = new Set(
      states.flatMap(({ name, problems }) => problems.map((problem) => told(name, problem))),
    );
    const others = hub.warnings.filter((warning) => !known.has(warning));
    return [
      ...notes,
      ...states.flatMap(findingsOf),
      ...others.map((warning) => note("mcp", warning, "See: toolcrib help mcp")),
    ];
  } finally {
    signal.removeEventListener("abort", stop);
    await hub.close();
  }
}

function findingsOf(server: ServerState): readonly Finding[] {
  const { name, tools, version, protocol, problems, said } = server;
  const about = `mcp ${name}`;
  if (server.state !== "ready") {
    const silent =
      server.reach === "http" ? "Is it there, and its url in mcp.json right?" : "It said nothing.";
    const words = said.length === 0 ? silent : `Its last words: ${said.slice(-5).join(" | ")}`;
    return [wrong(about, problems.join("; ") || server.state, words)];
  }
  const found = well(about, [counted(tools, "tool"), version, protocol].filter(Boolean).join(", "));
  return [found, ...problems.map((problem) => note(about, problem, "The others of its tools are there."))];
}

function told(name: string, problem: string): string {
  return `The MCP server ${name}: ${problem}.`;
}
