import { bigintAsText } from "../../lib/json/bigint-as-text.ts";
import { formatOrigin } from "../../policy/guard-paths.ts";
import type { ShownRequest } from "./approval-request.ts";

// The sentences of an approval request, which every renderer shows: the terminal, MCP clients, editors. Text from files,
// commands and models in them is not printable yet, and the renderer marks it as quoted.

/** Names the tool, and the subagent that asks. */
export function callerOf({ tool, agent, target }: ShownRequest): string {
  const where = target === undefined ? tool : `${tool} on ${target}`;
  return agent === undefined ? where : `${where}, for ${agent}`;
}

/** Names the MCP client or editor that asks; undefined for Toolcrib's own programs, where the user sees it. */
export function askerOf({ client }: Pick<ShownRequest, "client">): string | undefined {
  if (client?.kind !== "mcp" && client?.kind !== "acp") return undefined;
  const { name = client.kind === "mcp" ? "An MCP client" : "An editor", version = "" } = client;
  return `${name} ${version}`.trim();
}

/** Returns why approval is needed: the reasons of all parts that ask, with their rules. */
export function reasonsOf({ parts, reason, rule, source }: ShownRequest): readonly string[] {
  const reasons = parts
    .filter(({ verdict }) => verdict === "ask")
    .map((part) =>
      part.rule ? `${part.reason} (${part.rule.text}, ${formatOrigin(part.rule)})` : part.reason,
    );
  if (reasons.length > 0) return [...new Set(reasons)];
  return [rule.startsWith(source) ? reason : `${reason} (${rule}, ${source})`];
}

/** Describes the access that the commands of a call have; undefined when it runs none. */
export function confinementText(request: ShownRequest): string | undefined {
  const { accesses, sandbox, unconfined, hosts } = request;
  if (!accesses.some(({ kind }) => kind === "execute")) return undefined;
  const access = "it can access everything you can";
  if (unconfined) return `outside the sandbox, by your rules: ${access}`;
  if (sandbox === "none") return `without a sandbox: ${access}`;
  const network = hosts.includes("*") ? "every host that no rule denies" : hosts.join(", ") || "no host";
  return `in the sandbox (${sandbox}); it can connect to ${network}`;
}

export function commandsIn({ accesses }: ShownRequest): readonly string[] {
  return accesses.flatMap((access) => (access.kind === "execute" ? [access.command] : []));
}

/** Returns how the definition of another server's tool has changed since the user allowed it, a line each. */
export function definitionLines({ definitionChange = "" }: ShownRequest): readonly string[] {
  return definitionChange === "" ? [] : ["Changed definition:", ...definitionChange.trimEnd().split("\n")];
}

/** Returns the arguments of a call that nothing else shows, as JSON; undefined when there are none. */
export function otherInput(request: ShownRequest): string | undefined {
  return inputOf(request, isPurpose, 2);
}

/** Like `otherInput`, on one line, and for a command without the limits of its time and output. */
export function briefInput(request: ShownRequest): string | undefined {
  return inputOf(request, (name, value) => isPurpose(name, value) || isLimit(name, value), 0);
}

function inputOf(
  request: ShownRequest,
  isLeftOut: (name: string, value: unknown) => boolean,
  indent: number,
): string | undefined {
  const commands = new Set(commandsIn(request));
  const fields = Object.entries(request.input ?? {}).filter(
    ([name, value]) =>
      value !== undefined && !commands.has(value) && !(commands.size > 0 && isLeftOut(name, value)),
  );
  return fields.length === 0 ? undefined : JSON.stringify(Object.fromEntries(fields), bigintAsText, indent);
}

/** Returns what the model says that a command is for. */
export function purposeOf(request: ShownRequest): string | undefined {
  const { description } = (request.input ?? {}) as { readonly description?: unknown };
  return commandsIn(request).length > 0 && isPurpose("description", description) ? description : undefined;
}

function isPurpose(name: string, value: unknown): value is string {
  return name === "description" && typeof value === "string";
}

function isLimit(name: string, value: unknown): boolean {
  return typeof value === "number" && /^max_|_ms$/.test(name);
}

/** The rules that "always" can add, as the user reads them, narrowest first; empty when the call can only be allowed once. */
export function widthsOf(request: ShownRequest): readonly string[] {
  return rulesByWidth(request).map(({ label }) => label);
}

/** The same, with the exact rules of each. */
export function rulesByWidth({
  grants,
  widths = [{ rules: grants, shown: grants }],
}: ShownRequest): readonly { readonly label: string; readonly rules: readonly string[] }[] {
  if (grants.length === 0) return [];
  return widths.map(({ rules, shown }) => ({ label: shown.join("; "), rules }));
}
