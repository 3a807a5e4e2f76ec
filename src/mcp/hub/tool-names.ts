import { fingerprint } from "../../lib/bytes/content-hash.ts";

interface ServerTools {
  readonly server: string;
  /** As the server calls them, each once. */
  readonly tools: readonly string[];
}

interface NamedTool {
  readonly server: string;
  /** As its server calls it. */
  readonly ownName: string;
  /** "server__tool": always callable, and nobody else's. */
  readonly longName: string;
  /** The plain name, or the long one where another has that. */
  readonly name: string;
}

/**
 * Names for the tools of all servers, the first server first. A plain name goes to the first that has it; `owners` tells
 * who has had it all along, and keeps it: what a model knows by a name must not become another server's.
 */
export function nameTools(
  servers: readonly ServerTools[],
  owners: ReadonlyMap<string, string> = new Map(),
): { readonly tools: readonly NamedTool[]; readonly warnings: readonly string[] } {
  const taken = new Set<string>();
  const prefixes = servers.map(({ server }) => prefixOf(server));
  // Also of a server that is gone, or has not told of any tool yet.
  const isOfServer = (name: string) => prefixes.some((prefix) => name.startsWith(prefix));
  const all = servers.flatMap(({ server, tools }) =>
    tools.map((ownName) => {
      const long = unique(unmistaken(server, ownName, prefixes), taken);
      taken.add(long);
      return { server, ownName, longName: long, plain: legalName(ownName) };
    }),
  );
  const holders = new Map<string, (typeof all)[number]>();
  for (const tool of all) {
    const owner = owners.get(tool.plain);
    if (owner === undefined ? !holders.has(tool.plain) : owner === tool.longName)
      holders.set(tool.plain, tool);
  }
  const warnings: string[] = [];
  const tools = all.map(({ plain, ...tool }) => {
    const holder = holders.get(plain);
    const isPlain = holder?.longName === tool.longName && !taken.has(plain) && !isOfServer(plain);
    if (!isPlain && holder && holder.longName !== tool.longName)
      warnings.push(
        `"${plain}" is the tool of the MCP server ${holder.server}; that of ${tool.server} is ${tool.longName}.`,
      );
    return { ...tool, name: isPlain ? plain : tool.longName };
  });
  return { tools, warnings };
}

/** The long name, unless that could be one of a server whose own name goes on where this one's ends. */
function unmistaken(server: string, tool: string, prefixes: readonly string[]): string {
  const own = prefixOf(server);
  const longer = prefixes.filter((prefix) => prefix.length > own.length && prefix.startsWith(own));
  const names = [tool, legalName(tool).replaceAll(/_+/g, "_"), `tool-${fingerprint(tool).slice(0, 8)}`];
  const isFree = (name: string) => !longer.some((prefix) => name.startsWith(prefix));
  return names.map((name) => longName(server, name)).find(isFree) ?? longName(server, tool);
}

function prefixOf(server: string): string {
  return `${legalName(server)}__`;
}

function unique(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  for (let count = 2; ; count += 1) {
    const other = `${name.slice(0, 60)}_${count}`;
    if (!taken.has(other)) return other;
  }
}

/** What every provider takes as the name of a tool. */
const legal = /^[a-zA-Z0-9_-]{1,64}$/;
const maxChars = 64;

/** The name itself where providers take it, else one that is like it and the same each time. */
function legalName(name: string): string {
  if (legal.test(name)) return name;
  const plain = name.replace(/[^a-zA-Z0-9_-]+/g, "_").replace(/^_+(?=.)|(?<=.)_+$/g, "");
  const readable = /[a-zA-Z0-9]/.test(plain) ? plain : `tool_${fingerprint(name).slice(0, 8)}`;
  return readable.length <= maxChars ? readable : shortened(readable, name);
}

/** "server__tool": of one server only, whatever others have. */
function longName(server: string, tool: string): string {
  const name = `${legalName(server)}__${legalName(tool)}`;
  return name.length <= maxChars ? name : shortened(name, `${server}\n${tool}`);
}

function shortened(name: string, whole: string): string {
  return `${name.slice(0, maxChars - 9)}_${fingerprint(whole).slice(0, 8)}`;
}
