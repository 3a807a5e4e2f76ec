import { ToolError } from "../../contract/error.ts";
import { counted } from "../../lib/counted.ts";
import {
  type ProjectServers,
  projectServersPath,
  readProjectServers,
} from "../../mcp/hub/settings/read-servers.ts";
import { realWorkspace, userDirectories } from "../../system/directories.ts";
import { policyFiles, removePolicyFile } from "../../system/policy-files.ts";
import { writeTrust } from "../../toolcrib/trust.ts";
import { confirmTrust } from "../approval/confirm-trust.ts";
import { quoteText } from "../approval/quote-text.ts";
import type { Arguments } from "../command.ts";
import { printJson } from "../report.ts";
import { print, remark } from "../terminal.ts";

/** `toolcrib mcp trust`: lets the servers that this folder names be started. */
export async function trustServers(given: Arguments): Promise<number> {
  const { workspace, files } = placesOf(given);
  const project = await readProjectServers({ workspace });
  if (project === undefined) throw noServers(workspace);
  const isQuiet = given.options.has("json");
  if (!isQuiet) remark(showServers(workspace, project));
  const wasTrusted = project.trust === "trusted";
  if (!wasTrusted) {
    await confirmTrust(given, { what: "these servers", otherwise: "They are not started." });
    writeTrust({ workspace, hash: project.hash }, files.serversTrust);
  }
  if (isQuiet) printJson({ workspace, sha256: project.hash, trust: "trusted", servers: project.servers });
  else
    print(
      wasTrusted
        ? "They are trusted already.\n"
        : "Trusted, until the file or a program that it names changes.\n",
    );
  return 0;
}

/** `toolcrib mcp untrust` */
export async function untrustServers(given: Arguments): Promise<number> {
  const { workspace, files } = placesOf(given);
  const wasTrusted = removePolicyFile(files.serversTrust);
  if (given.options.has("json")) printJson({ workspace, trust: "untrusted", wasTrusted });
  else print(wasTrusted ? "No longer trusted: they are not started.\n" : "They were not trusted.\n");
  return 0;
}

function placesOf({ options, operands }: Arguments) {
  if (operands.length > 0)
    throw new ToolError("invalid-input", `"${operands[0]}" is one word too many`, {
      hint: "See: toolcrib help mcp",
    });
  const workspace = realWorkspace(options.get("workspace") ?? process.cwd());
  return { workspace, files: policyFiles(userDirectories().config, workspace) };
}

/** Everything that would be run or asked, as the file has it: what a variable stands for is not shown. */
function showServers(workspace: string, { servers, hash, trust }: ProjectServers): string {
  const columns = process.stderr.columns || 80;
  const state = trust === "changed" ? "It has changed since you trusted it. " : "";
  const count = Object.keys(servers).length;
  return [
    `${state}${projectServersPath} in this folder names ${counted(count, "MCP server")}, which would run as you do:`,
    ...Object.entries(servers).flatMap(([name, server]) =>
      quoteText(`${name}: ${JSON.stringify(server)}`, columns),
    ),
    `Folder  ${quoteText(workspace, columns).join("\n").trim().replace(/^\| /, "")}`,
    `SHA-256 ${hash}\n`,
  ].join("\n");
}

function noServers(workspace: string): ToolError {
  return new ToolError("not-found", `There is no ${projectServersPath} in ${workspace}`, {
    hint: "Servers of your own stand in mcp.json in the config directory: see toolcrib paths.",
  });
}
