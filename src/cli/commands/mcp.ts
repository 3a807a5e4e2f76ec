import type { Arguments, Command } from "../command.ts";
import { clientNames, scopes } from "../mcp/install/clients.ts";
import { dialectOption, instanceOptions, jsonOption, placeOptions } from "../options.ts";
import {
  type OptionsByForm,
  refuseOperands,
  refuseOtherForms,
  unknownSubcommand,
} from "../parse-arguments.ts";

const subcommands = ["install", "uninstall", "servers", "login", "logout", "trust", "untrust"] as const;

export const mcpCommand: Command = {
  name: "mcp",
  summary: "Serve the tools to MCP clients",
  usage: [
    ["mcp [options]", "serve one client over standard input and output"],
    ["mcp --http [HOST:]PORT [options]", "serve many clients over Streamable HTTP"],
    ["mcp install --client NAME [options]", "add this server to a client's configuration"],
    ["mcp install --client NAME --url URL", "add a server that runs with --http"],
    ["mcp uninstall --client NAME", "remove it again"],
    ["mcp servers", "start the configured MCP servers and show their state"],
    ["mcp login NAME [--no-open]", "log in to a configured MCP server by OAuth"],
    ["mcp logout NAME", "delete the stored login"],
    ["mcp trust | untrust", "trust the servers in .toolcrib/mcp.json, or revoke it"],
  ],
  notes: [
    "A client with elicitation asks the user for approval; otherwise the error names the `toolcrib approve` command to run.",
    "Over HTTP, every request needs the token that is printed at the start: `Authorization: Bearer TOKEN`. To fix the token, set TOOLCRIB_TOKEN or --token-file; addresses other than this machine's require it. With --oauth-issuer, clients log in there instead (OAuth 2.1).",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: users write this in their files
    "To offer the tools of other MCP servers too, list them in mcp.json in the config folder (see `toolcrib paths`), in the usual format: `mcpServers`, each with command, args and env, or url and headers. ${NAME} is replaced by an environment variable.",
  ],
  options: [
    { name: "http", value: "[HOST:]PORT", summary: "serve over HTTP; port 0 picks a free one" },
    { name: "token-file", value: "FILE", summary: "http: read the token from this file" },
    {
      name: "allowed-host",
      value: "NAME",
      repeats: true,
      summary: "http: a further host name that clients may use (repeatable)",
    },
    {
      name: "allowed-origin",
      value: "ORIGIN",
      repeats: true,
      summary: "http: accept requests of this web page (repeatable)",
    },
    {
      name: "oauth-issuer",
      value: "URL",
      summary: "http: accept the access tokens of this authorization server",
    },
    {
      name: "oauth-resource",
      value: "URL",
      summary: "http: the address of this server as clients know it",
    },
    {
      name: "oauth-audience",
      value: "NAME",
      summary: "http: the audience of access tokens (default: the resource)",
    },
    {
      name: "approval-wait-ms",
      value: "N",
      summary: "how long a call waits for `toolcrib approve` when the client cannot ask",
    },
    { name: "cwd", value: "DIR", summary: "start in this folder (default: current folder)" },
    { name: "client", value: "NAME", choices: clientNames, summary: "install: the client" },
    {
      name: "scope",
      value: "SCOPE",
      choices: scopes,
      summary: "install: in your own configuration (default) or in this project's",
    },
    { name: "name", value: "NAME", summary: "install: the server's name (default: toolcrib)" },
    {
      name: "url",
      value: "URL",
      summary: "install: connect to this server over HTTP; its token is in TOOLCRIB_TOKEN",
    },
    { name: "ask-once", summary: "install: the client does not ask before calls, only Toolcrib does" },
    { name: "print", summary: "install: only print the entry, to add it yourself" },
    { name: "dry-run", summary: "install: only show how the client's file would change" },
    { name: "no-open", summary: "login: do not open a browser" },
    { name: "yes", summary: "trust: do not ask for confirmation" },
    ...placeOptions,
    dialectOption,
    ...instanceOptions,
    jsonOption,
  ],
  examples: [
    ["toolcrib mcp --dialect claude-code --mode safe", "other tool names; approve every write"],
    ["toolcrib mcp --http 7777", "serve http://127.0.0.1:7777/mcp"],
    ["toolcrib mcp install --client claude --dry-run", "show how Claude Code's settings would change"],
    ["toolcrib mcp install --client cursor --scope project --read-only", "for everyone in this project"],
    ["toolcrib mcp uninstall --client claude", "remove it from Claude Code"],
    ["toolcrib mcp servers", "check the servers in mcp.json"],
    ["toolcrib mcp login linear", "log in to the server named linear in mcp.json"],
    ["toolcrib mcp trust", "review this folder's servers, then trust them"],
  ],
  operand: subcommands,
  async run({ options, operands: [name, ...operands] }) {
    const given: Arguments = { options, operands };
    refuseOtherForms(mcpCommand, name ?? (options.has("http") ? "--http" : ""), options, optionsByForm);
    switch (name) {
      case undefined:
        return options.has("http")
          ? (await import("../mcp/serve-http.ts")).serveHttpClients(given)
          : (await import("../mcp/serve-stdio.ts")).serveStdioClient(given);
      case "servers":
        refuseOperands(operands, mcpCommand);
        return (await import("../mcp/servers.ts")).listServers(given);
      case "login":
        return (await import("../mcp/login.ts")).logInToServer(given);
      case "logout":
        return (await import("../mcp/login.ts")).logOutOfServer(given);
      case "trust":
        return (await import("../mcp/servers.ts")).trustServers(given);
      case "untrust":
        return (await import("../mcp/servers.ts")).untrustServers(given);
      case "install":
        return (await import("../mcp/install/install.ts")).installClient(given);
      case "uninstall":
        return (await import("../mcp/install/install.ts")).uninstallClient(given);
      default:
        throw unknownSubcommand("mcp", name, subcommands);
    }
  },
};

const serving = [
  ...["dialect", "approval-wait-ms", "cwd"],
  ...[...placeOptions, ...instanceOptions].map(({ name }) => name),
];
const configuring = ["workspace", "client", "scope", "name", "print"];
/** Options of another form would have no effect, so they are refused. */
const optionsByForm: OptionsByForm = {
  "": serving,
  "--http": [
    ...serving,
    "http",
    "token-file",
    "allowed-host",
    "allowed-origin",
    "oauth-issuer",
    "oauth-resource",
    "oauth-audience",
  ],
  install: [...configuring, ...serving.filter((name) => name !== "cwd"), "url", "ask-once", "dry-run"],
  uninstall: configuring,
  servers: ["workspace", "json"],
  login: ["workspace", "json", "no-open"],
  logout: ["json"],
  trust: ["workspace", "json", "yes"],
  untrust: ["workspace", "json"],
};
