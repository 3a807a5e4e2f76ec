import { join } from "node:path";
import { ToolError } from "../../contract/error.ts";
import { cleanLine } from "../../mcp/hub/clean-text.ts";
import { LoginStore } from "../../mcp/hub/oauth/login-store.ts";
import { readServers } from "../../mcp/hub/settings/read-servers.ts";
import { readSettings, type ServerSettings } from "../../mcp/hub/settings/read-settings.ts";
import { realWorkspace, userDirectories } from "../../system/directories.ts";
import { refuseProgramsOfTools } from "../approvals/ask-on-terminal.ts";
import type { Arguments } from "../command.ts";
import { interruptible } from "../interruption.ts";
import { openBrowser, removeLink } from "../open-browser.ts";
import { printJson } from "../report.ts";
import { print, remark } from "../terminal.ts";

/** How long the user has to log in. */
const loginMs = 5 * 60_000;

/** How long a logout waits for a refresh in another process. */
const logoutMs = 70_000;

/** Runs `toolcrib mcp login NAME`. */
export async function logInToServer(given: Arguments): Promise<number> {
  refuseProgramsOfTools("log in to MCP servers");
  const { options } = given;
  const settings = await configuredServer(given);
  const { logIn } = await import("../../mcp/hub/oauth/log-in.ts");
  const { state } = userDirectories();
  let link: string | undefined;
  return interruptible(async (interrupted) => {
    const { issuer } = await logIn(settings, {
      store: new LoginStore(state),
      signal: AbortSignal.any([interrupted, AbortSignal.timeout(loginMs)]),
      onAddress: (address, from) => {
        remark(`Log in to ${settings.name} at ${cleanLine(from, 200)}, within 5 minutes:\n`);
        // A server can send the user to the login page of another one, to get the access that the user grants there.
        const receiver = URL.canParse(from) ? new URL(from).host : cleanLine(from, 200);
        if (address.host !== receiver)
          remark(`The page is on ${address.host}. The access that you grant there goes to ${receiver}.\n`);
        remark(`${address.href}\n`);
        if (!options.has("no-open") && process.stderr.isTTY)
          link = openBrowser(address.href, join(state, "mcp-logins"));
      },
    });
    if (options.has("json")) printJson({ server: settings.name, issuer, loggedIn: true });
    else print(`Logged in to ${settings.name}. Running sessions connect to it by themselves.\n`);
    return 0;
  }).finally(() => removeLink(link));
}

/** Runs `toolcrib mcp logout NAME`, also for a server that is no longer configured. */
export async function logOutOfServer(given: Arguments): Promise<number> {
  const name = nameIn(given, "logout");
  const store = new LoginStore(userDirectories().state);
  const urls = await store.removeNamed(name, AbortSignal.timeout(logoutMs));
  if (given.options.has("json")) printJson({ server: name, loggedIn: false, wasLoggedIn: urls.length > 0 });
  else if (urls.length === 0) print(`There is no login to ${cleanLine(name, 100)}.\n`);
  else print(`Logged out of ${cleanLine(name, 100)}: the tokens are deleted.\n`);
  return 0;
}

async function configuredServer(given: Arguments): Promise<ServerSettings> {
  const name = nameIn(given, "login");
  const workspace = realWorkspace(given.options.get("workspace") ?? process.cwd());
  const { servers, warnings } = await readServers({ workspace });
  if (!Object.hasOwn(servers, name)) {
    const [warning] = warnings;
    const names = Object.keys(servers).map((each) => cleanLine(each, 40));
    throw new ToolError("not-found", `No MCP server named ${cleanLine(name, 100)} is configured`, {
      hint:
        warning ??
        (names.length === 0 ? "See: toolcrib help mcp" : `Configured servers: ${names.join(", ")}`),
    });
  }
  const settings = settingsOf(name, servers[name], workspace);
  if (settings !== "disabled") return settings;
  throw new ToolError("invalid-input", `The MCP server ${name} is disabled`, {
    hint: "Remove `disabled` from its settings.",
  });
}

function settingsOf(name: string, server: unknown, workspace: string): ServerSettings | "disabled" {
  try {
    return readSettings(name, server, { workspace, variables: process.env });
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    throw new ToolError(error.code, `The MCP server ${name} cannot be used: ${error.message}`);
  }
}

function nameIn({ operands: [name, ...others] }: Arguments, form: string): string {
  if (name !== undefined && others.length === 0) return name;
  throw new ToolError("invalid-input", "Name one MCP server", {
    hint: `For example: toolcrib mcp ${form} linear`,
  });
}
