import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { ToolError } from "../../contract/error.ts";
import { isRecord } from "../../lib/json/is-record.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { toCommandLine } from "../../lib/text/shell-quote.ts";
import { readServers } from "../../mcp/hub/settings/read-servers.ts";
import type { ServerState } from "../../mcp/types.ts";
import { type ClientName, clientNames, clients, type Scope, scopes } from "../mcp/install/clients.ts";
import { editorFor, readConfiguration } from "../mcp/install/configuration.ts";
import { commandWords, isToolcrib, startsNpxInWorkspace } from "../mcp/install/install.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

/** Starts every configured MCP server once. */
export async function examineServers(
  {
    workspace,
    state,
    config,
  }: { readonly workspace: string; readonly state: string; readonly config: string },
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const read = await readServers({ workspace, configDirectory: config }).catch((error: unknown) => {
    if (error instanceof ToolError) return error;
    throw error;
  });
  if (read instanceof ToolError) return [problem("mcp", read.message, read.hint ?? "See: toolcrib help mcp")];
  const { servers, warnings } = read;
  const toFinding = (text: string) => warning("mcp", text, "See: toolcrib help mcp");
  if (Object.keys(servers).length === 0) return warnings.map(toFinding);
  const { connectHub } = await import("../../mcp/hub/connect-hub.ts");
  const hub = connectHub({ servers, workspace, stateDirectory: state });
  const stop = () => void hub.close();
  signal.addEventListener("abort", stop, { once: true });
  try {
    await hub.ready;
    const states = hub.states();
    const shown = new Set(
      states.flatMap(({ name, problems }) => problems.map((each) => `The MCP server ${name}: ${each}.`)),
    );
    const others = hub.warnings.filter((text) => !shown.has(text));
    return [...warnings.map(toFinding), ...states.flatMap(findingsOf), ...others.map(toFinding)];
  } finally {
    signal.removeEventListener("abort", stop);
    await hub.close();
  }
}

function findingsOf(server: ServerState): readonly Finding[] {
  const { name, tools, version, protocol, problems, said, login } = server;
  const about = `mcp ${name}`;
  if (login !== undefined) return [warning(about, "it needs a login", `Run: ${login}`)];
  if (server.state !== "ready") {
    const silent =
      server.reach === "http"
        ? "Check that it runs, and its url in mcp.json."
        : "It printed nothing. Run its command in a terminal.";
    const hint = said.length === 0 ? silent : `Its last output: ${said.slice(-5).join(" | ")}`;
    return [problem(about, problems.join("; ") || server.state, hint)];
  }
  const found = ok(about, [counted(tools, "tool"), version, protocol].filter(Boolean).join(", "));
  return [found, ...problems.map((each) => warning(about, each, "Its other tools are available."))];
}

/** Examines the MCP clients whose configuration starts Toolcrib, and whether that still works. */
export async function examineClients(
  workspace: string,
  variables: NodeJS.ProcessEnv,
): Promise<readonly Finding[]> {
  const checked = await Promise.all(
    clientNames.flatMap((name) => scopes.map((scope) => examineClient(name, scope, workspace, variables))),
  );
  const findings = checked.flat();
  return findings.length > 0
    ? findings
    : [ok("clients", "not installed in any MCP client; to install: toolcrib mcp install --client NAME")];
}

async function examineClient(
  name: ClientName,
  scope: Scope,
  workspace: string,
  variables: NodeJS.ProcessEnv,
): Promise<readonly Finding[]> {
  const client = clients[name];
  const file = client.file(scope, { workspace, variables, platform: process.platform });
  if (file === undefined) return [];
  let servers: unknown;
  try {
    const { text } = readConfiguration(file);
    if (text === undefined) return [];
    servers = (await editorFor(file)).read(text.replace(/^\uFEFF/, ""))[client.servers];
  } catch (error) {
    return [warning("clients", `${client.title}: ${file}: ${(error as Error).message}`, "Fix the file.")];
  }
  const entries = Object.entries(isRecord(servers) ? servers : {});
  return entries
    .filter(([server, entry]) => server === "toolcrib" || isToolcrib(entry))
    .map(([server, entry]) => {
      const words = [
        ...["toolcrib", "mcp", "install", "--client", name],
        ...(scope === "user" ? [] : ["--scope", scope]),
        ...(server === "toolcrib" ? [] : ["--name", server]),
      ];
      // A project's file chooses the name of the server.
      const again = `Install it again: ${printableLine(toCommandLine(words))}`;
      const missing = commandWords(entry)
        .slice(0, 2)
        .find((word) => isAbsolute(word) && !existsSync(word));
      if (startsNpxInWorkspace(entry))
        return warning(
          "clients",
          `${client.title} starts "${server}" by npx in the workspace, where a repository can bring its own program`,
          again,
        );
      const verb = isRecord(entry) && entry.command === undefined ? "connects to" : "starts";
      if (missing === undefined) return ok("clients", `${client.title} ${verb} "${server}": ${file}`);
      return problem(
        "clients",
        `${client.title} starts "${server}" with ${missing}, which does not exist`,
        again,
      );
    });
}
