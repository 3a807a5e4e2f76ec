import { ToolError } from "../../contract/error.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { Arguments, Command } from "../command.ts";
import { clientNames, scopes } from "../mcp/install/clients.ts";
import {
  dialectOption,
  jsonOption,
  modeOption,
  readOnlyOption,
  ruleOption,
  rulesOption,
  sandboxOption,
  toolsOption,
  workspaceOption,
} from "../options.ts";
import { refuseOperands } from "../parse-arguments.ts";

const subcommands = ["install", "uninstall", "servers", "trust", "untrust"] as const;

/** `toolcrib mcp` */
export const mcpCommand: Command = {
  name: "mcp",
  summary: "Serve the tools to any MCP client",
  usage: [
    "mcp [options]                       serve one client over standard input and output",
    "mcp --http [HOST:]PORT [options]    serve many over Streamable HTTP, on this machine only unless told otherwise",
    "mcp install --client NAME [options] have a client start it with these options; --print only shows how",
    "mcp uninstall --client NAME         take that back",
    "mcp servers                         start the servers whose tools are used here, and tell how each is",
    "mcp trust | untrust                 let the servers that .toolcrib/mcp.json of this folder names be started, or no more",
  ],
  notes: [
    "Clients that can ask a person are told to (elicitation); for all others a refusal names the command that allows it:",
    "see toolcrib help approve.",
    "Over HTTP every request needs the token that is printed at the start: `Authorization: Bearer TOKEN`. It is new in each",
    "run, unless TOOLCRIB_TOKEN or --token-file gives one, without which nothing but this machine's own addresses is served.",
    "Tools of other MCP servers are offered beside ours: name them in mcp.json in the config directory (see toolcrib paths),",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what people write in their files
    "as { mcpServers: { NAME: { command, args, env } or { url, headers } } }. ${NAME} stands for an environment variable.",
  ],
  options: [
    workspaceOption,
    dialectOption,
    modeOption,
    ruleOption,
    rulesOption,
    sandboxOption,
    toolsOption,
    readOnlyOption,
    jsonOption,
    { name: "yes", summary: "with trust: do not ask" },
    {
      name: "approval-wait-ms",
      value: "N",
      summary: "let a call that nobody can be asked about wait this long for toolcrib approve",
    },
    { name: "http", value: "[HOST:]PORT", summary: "serve over HTTP; port 0 takes any that is free" },
    { name: "token-file", value: "FILE", summary: "where the token that clients must show is" },
    {
      name: "allow-host",
      value: "NAME",
      repeats: true,
      summary: "a name by which clients may call this server, besides its address; may be repeated",
    },
    { name: "client", value: "NAME", choices: clientNames, summary: "install: for which client" },
    {
      name: "scope",
      value: "SCOPE",
      choices: scopes,
      summary:
        "install: in your own configuration (the default), or in this folder's, for all who work in it",
    },
    {
      name: "name",
      value: "NAME",
      summary: "install: what the client calls the server; toolcrib if not given",
    },
    { name: "print", summary: "install: only show what would be written, and where" },
  ],
  examples: [
    { command: "toolcrib mcp", shows: "what a client's configuration starts" },
    {
      command: "toolcrib mcp --dialect claude-code --mode safe",
      shows: "other names, and reads only unasked",
    },
    { command: "toolcrib mcp --http 7777", shows: "http://127.0.0.1:7777/mcp, for several clients" },
    { command: "toolcrib mcp install --client claude --print", shows: "what Claude Code would be told" },
    {
      command: "toolcrib mcp install --client cursor --scope project --read-only",
      shows: "for all who work in this folder, and only to look",
    },
    { command: "toolcrib mcp uninstall --client claude --print", shows: "what would be taken back" },
    { command: "toolcrib mcp servers", shows: "whether the servers of mcp.json start, and what is wrong" },
    { command: "toolcrib mcp trust", shows: "see what this folder would start, and decide" },
  ],
  operand: subcommands,
  async run({ options, operands: [name, ...operands] }) {
    const given: Arguments = { options, operands };
    refuseOptionsOfOthers(name, options);
    switch (name) {
      case undefined:
        return options.has("http")
          ? (await import("../mcp/serve-http.ts")).serveHttpClients(given)
          : (await import("../mcp/serve-stdio.ts")).serveStdioClient(given);
      case "servers":
        refuseOperands(operands, mcpCommand);
        return (await import("../mcp/servers.ts")).listServers(given);
      case "trust":
        return (await import("../mcp/servers.ts")).trustServers(given);
      case "untrust":
        return (await import("../mcp/servers.ts")).untrustServers(given);
      case "install":
        return (await import("../mcp/install/install.ts")).installClient(given);
      case "uninstall":
        return (await import("../mcp/install/install.ts")).uninstallClient(given);
      default:
        throw unknownSubcommand(name);
    }
  },
};

/** What each form takes: an option that does nothing there would be taken for one that does. */
const serving = [
  ...["workspace", "dialect", "mode", "rule", "rules", "sandbox", "tools", "read-only", "approval-wait-ms"],
] as const;
const configuring = ["workspace", "client", "scope", "name", "print"] as const;
const taken: Readonly<Record<string, readonly string[]>> = {
  "toolcrib mcp": serving,
  "toolcrib mcp --http": [...serving, "http", "token-file", "allow-host"],
  "toolcrib mcp install": [...configuring, ...serving],
  "toolcrib mcp uninstall": configuring,
  "toolcrib mcp servers": ["workspace", "json"],
  "toolcrib mcp trust": ["workspace", "json", "yes"],
  "toolcrib mcp untrust": ["workspace", "json"],
};

function refuseOptionsOfOthers(name: string | undefined, options: ReadonlyMap<string, string>): void {
  const word = name ?? (options.has("http") ? "--http" : "");
  const form = `toolcrib mcp ${word}`.trim();
  const wrong = [...options.keys()].find((option) => taken[form]?.includes(option) === false);
  if (wrong === undefined) return;
  const forms = Object.keys(taken).filter((other) => taken[other]!.includes(wrong));
  throw new ToolError("invalid-input", `--${wrong} means nothing to ${form}`, {
    hint: `It is for: ${forms.join(", ")}.`,
  });
}

function unknownSubcommand(name: string): ToolError {
  const meant = nearest(name, subcommands);
  return new ToolError("invalid-input", `toolcrib mcp has no command "${name}"`, {
    hint: meant ? `Did you mean \`toolcrib mcp ${meant}\`?` : "See: toolcrib help mcp",
  });
}
