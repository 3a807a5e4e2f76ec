import { fingerprint } from "../../lib/bytes/content-hash.ts";

interface NamedTool {
  readonly server: string;
  /** The server's own name for the tool. */
  readonly ownName: string;
  /** "server__tool": unique, and always callable. */
  readonly longName: string;
  /** The plain name, or the long one when another tool has the plain name. */
  readonly name: string;
}

/**
 * Names the tools of all servers, in order. A plain name goes to the first server that has it, unless `owners`
 * names another: a name that a model knows must not move to another server.
 */
export function nameTools(
  servers: readonly { readonly server: string; readonly tools: readonly string[] }[],
  owners: ReadonlyMap<string, string> = new Map(),
): { readonly tools: readonly NamedTool[]; readonly warnings: readonly string[] } {
  const taken = new Set<string>();
  const prefixes = servers.map(({ server }) => prefixOf(server));
  // The prefix of a server is reserved even while the server has no tools.
  const isOfServer = (name: string) => prefixes.some((prefix) => name.startsWith(prefix));
  const all = servers.flatMap(({ server, tools }) =>
    tools.map((ownName) => {
      const long = unique(unambiguousName(server, ownName, prefixes), taken);
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
        `"${plain}" is a tool of the MCP server ${holder.server}; the one of ${tool.server} is ${tool.longName}.`,
      );
    return { ...tool, name: isPlain ? plain : tool.longName };
  });
  return { tools, warnings };
}

/** Returns a long name that does not start with the prefix of another server, whose name may begin like this one's. */
function unambiguousName(server: string, tool: string, prefixes: readonly string[]): string {
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

/** Tool names that every provider accepts. */
const legal = /^[a-zA-Z0-9_-]{1,64}$/;
const maxChars = 64;

/** Returns the name itself if providers accept it, otherwise a similar, stable one. */
function legalName(name: string): string {
  if (legal.test(name)) return name;
  const plain = name.replace(/[^a-zA-Z0-9_-]+/g, "_").replace(/^_+(?=.)|(?<=.)_+$/g, "");
  const readable = /[a-zA-Z0-9]/.test(plain) ? plain : `tool_${fingerprint(name).slice(0, 8)}`;
  return readable.length <= maxChars ? readable : shortened(readable, name);
}

/** Returns "server__tool", shortened if it is too long. */
function longName(server: string, tool: string): string {
  const name = `${legalName(server)}__${legalName(tool)}`;
  return name.length <= maxChars ? name : shortened(name, `${server}\n${tool}`);
}

function shortened(name: string, whole: string): string {
  return `${name.slice(0, maxChars - 9)}_${fingerprint(whole).slice(0, 8)}`;
}
