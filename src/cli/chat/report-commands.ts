import { join, resolve } from "node:path";
import type { AgentNode } from "../../agent/session.ts";
import { ToolError } from "../../contract/error.ts";
import type { ToolSource } from "../../contract/tool.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { printableLine, showPath } from "../../lib/text/printable.ts";
import type { Hub } from "../../mcp/hub/connect-hub.ts";
import { userDirectories } from "../../system/directories.ts";
import { formatUsage, grouped } from "../session/call-lines.ts";
import { columnsOf, layTable, shorten } from "../terminal.ts";
import type { ChatSessions } from "./chat-sessions.ts";
import { argumentsOf } from "./session-commands.ts";

/** `/context`: what fills the context window, in tokens and as a share of it. */
export function showContext({ session }: Pick<ChatSessions, "session">): string {
  const { contextParts, context, messages } = session;
  const { tokens, window } = context;
  const share = (count: number) => `${((100 * count) / (window ?? Math.max(1, tokens))).toFixed(1)} %`;
  const rows = contextParts.map((part) => [part.name, grouped(part.tokens), share(part.tokens)]);
  const free = window === null ? [] : [["free", grouped(window - tokens), share(window - tokens)]];
  const size = window === null ? "of an unknown window" : `of ${grouped(window)} (${share(tokens)})`;
  const title = `Context: ${grouped(tokens)} tokens ${size}, ${counted(messages.length, "message")}`;
  return `${title}\n${layTable([...rows, ...free], "  ").trimEnd()}\nThe parts are estimates. To shorten it: /compact`;
}

/** `/cost`: the usage of the session, by model and by subagent. */
export function showCost({ session, agentUsage }: ChatSessions): string {
  const { id, usage, cost, turns, usageByModel } = session;
  const ofModels = [...usageByModel].map(([model, used]) => [printableLine(model), formatUsage(used)]);
  const ofAgents = [...agentUsage].map(([agent, used]) => [agent, formatUsage({ usage: used, cost: null })]);
  const lines = [`${id}: ${counted(turns, "turn")}, ${formatUsage({ usage, cost })}`];
  if (cost === null) lines.push("The price of a model is unknown, so the total cost is, too.");
  if (ofModels.length + ofAgents.length > 1) lines.push(layTable([...ofModels, ...ofAgents], "  ").trimEnd());
  return lines.join("\n");
}

/** `/agents`: the subagents as a tree. */
export function showAgents({ session }: ChatSessions): string {
  if (session.agents.length === 0) return "No subagents in this session.";
  return layTable(session.agents.flatMap((agent) => agentRows(agent, ""))).trimEnd();
}

function agentRows({ id, state, turns, task, agents }: AgentNode, indent: string): string[][] {
  const row = [`${indent}${id}`, state, counted(turns, "request"), printableLine(shorten(task, 60))];
  return [row, ...agents.flatMap((agent) => agentRows(agent, `${indent}  `))];
}

/** `/mcp [SERVER]`: the MCP servers and their state, or a new connection to one. */
export async function showServers(chat: ChatSessions, wanted: string): Promise<string> {
  const hubs = chat.session.toolcrib.sources.filter(isHub);
  if (wanted !== "") {
    const names = hubs.flatMap((hub) => hub.states().map(({ name }) => name));
    const hub = hubs.find((one) => one.states().some(({ name }) => name === wanted));
    const near = nearest(wanted, names);
    if (hub === undefined)
      throw new ToolError("not-found", `No MCP server is named ${printableLine(wanted)}`, {
        hint: near ? `Did you mean ${near}?` : "List the servers with /mcp.",
      });
    await chat.whileBusy(`connecting to ${wanted}`, () => hub.reconnect(wanted));
  }
  const states = hubs.flatMap((hub) => hub.states());
  if (states.length === 0) return "No MCP servers are configured. See: toolcrib help mcp";
  const rows = states.map(({ name, state, reach, tools }) => [name, state, reach, counted(tools, "tool")]);
  const problems = states.flatMap(({ name, problems }) =>
    problems.map((problem) => printableLine(`${name}: ${problem}`)),
  );
  return [layTable(rows).trimEnd(), ...problems, "To connect again: /mcp SERVER"].join("\n");
}

function isHub(source: ToolSource): source is Hub {
  return "states" in source;
}

/** `/export [FILE]`: writes the session as Markdown, HTML or JSONL, by the file name. */
export async function exportChat({ session }: ChatSessions, given: string): Promise<string> {
  const { exportSession } = await import("../../agent/records/export/export-session.ts");
  const { formatOf, writePrivately } = await import("../session/stored-sessions.ts");
  if (session.turns === 0)
    throw new ToolError("unavailable", "There is nothing to export yet", { hint: "Send a message first." });
  const file = given === "" ? `${session.id}.md` : given;
  const entries = session.toolcrib.conversations.entries(session.id);
  writePrivately(resolve(file), exportSession(session.id, entries, formatOf(file)));
  return `Wrote ${showPath(resolve(file))}.`;
}

/** `/config`: the settings in effect, and where they come from. */
export async function showConfig({ session, given }: ChatSessions): Promise<string> {
  const { readConfig } = await import("../../config/read-config.ts");
  const { model, reasoning, dialect, protocol, toolcrib: crib, isPlanning } = session;
  const effective = await readConfig({ workspace: crib.isElsewhere ? undefined : crib.workspace });
  const now = new Map([
    ["model", model.id],
    ["reasoning", reasoning],
    ["mode", crib.mode],
    ["dialect", dialect],
  ]);
  const rows = effective.settings.map(({ setting: { key, option = "" }, ...configured }) => {
    const typed = given.options.get(option);
    const { value, origin } = typed === undefined ? configured : { value: typed, origin: `--${option}` };
    const current = now.get(key) ?? value;
    // Without a setting, the model decides about its dialect.
    const isOwn = current !== value && !(key === "dialect" && value === undefined);
    return [key, printableLine(String(current ?? "-")), isOwn ? "this session" : origin];
  });
  const { config, state } = userDirectories();
  const others = [
    ["plan mode", isPlanning ? "on" : "off"],
    ["calls", protocol],
    ["workspace", crib.target ?? showPath(crib.workspace)],
    ["models", showPath(join(config, "models.json"))],
    ["rules", showPath(join(config, "rules"))],
    ["journal", showPath(state)],
  ];
  return `${layTable(rows).trimEnd()}\n\n${layTable(others).trimEnd()}`;
}

/** `/doctor`: checks the installation. */
export async function showDoctor(chat: ChatSessions): Promise<string> {
  const { examine, showFindings, verdict } = await import("../doctor/doctor.ts");
  const { findings } = await chat.whileBusy("checking the installation", (signal) =>
    examine(argumentsOf(chat), () => {}, signal),
  );
  return `${showFindings(findings, columnsOf(2))}\n${verdict(findings)}`;
}
