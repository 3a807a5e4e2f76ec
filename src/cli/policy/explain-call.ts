import type { ToolAccess } from "../../contract/access.ts";
import { errorWith, ToolError } from "../../contract/error.ts";
import type { DialectTool } from "../../dialects/dialect.ts";
import { findTool } from "../../dialects/find-tool.ts";
import { toolcribDialect } from "../../dialects/toolcrib.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { fromCommandLine, toCommandLine } from "../../lib/text/shell-quote.ts";
import type { RuleOrigin, RuleSource } from "../../policy/policy.ts";
import { parseRules } from "../../policy/rules/parse-rules.ts";
import { searchSettings } from "../../toolcrib/check-options.ts";
import { type CheckedCall, explainDecision, toCheckedCall } from "../../toolcrib/replay-calls.ts";
import type { ProjectRules } from "../../toolcrib/trust.ts";
import type { Arguments } from "../command.ts";
import { placeName } from "../options.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { readInput } from "../read-input.ts";
import { printJson } from "../report.ts";
import { columnsOf, layTable, paint, print, remark } from "../terminal.ts";
import { withPolicy } from "./open-policy.ts";
import { reportConfinement, reportDecision, showConfinement, showDecision } from "./report-decision.ts";

export async function explainCall(given: Arguments): Promise<number> {
  const call = await readCall(given.operands);
  return withPolicy(given, async ({ id, rules, mode, environment, sandbox }) => {
    const { current } = rules;
    const decision = await explainDecision(call, { policy: current, mode, environment, sandbox });
    const confinement = reportConfinement(decision, current);
    if (given.options.has("json")) printJson({ ...reportDecision(decision), confinement });
    else print(showDecision(decision, columnsOf(1)) + showConfinement(confinement));
    const ignored = current.ignored.map(({ name, line }) => `${name}:${line}`).join(", ");
    if (ignored !== "")
      remark(
        `Ignored because the rules of ${placeName(id)} are not trusted: ${ignored}. See: toolcrib policy show\n`,
      );
    return { allow: 0, deny: 3, ask: 4 }[decision.verdict];
  });
}

/** Parses `run git status`, in one word or several, a tool with its arguments, or `use` and a tool. */
export async function readCall(operands: readonly string[]): Promise<CheckedCall> {
  const isOne = operands.length === 1;
  const [first = "", ...rest] = isOne ? splitFirst(operands[0]!) : operands;
  const what = rest.join(" ");
  const action = Object.hasOwn(actions, first) ? actions[first] : undefined;
  if (first === "" || ((action || first === "use") && what === ""))
    throw new ToolError("invalid-input", "The call to explain is missing", {
      hint: "For example: toolcrib policy explain 'run git status | sh'",
    });
  if (first === "use") return readUse(what);
  if (action) return action(what);
  return readToolCall(first, isOne && !what.startsWith("{") ? fromCommandLine(what) : rest);
}

function splitFirst(text: string): readonly string[] {
  const [, first = "", rest = ""] = /^\s*(\S+)\s*([\s\S]*)$/.exec(text) ?? [];
  return rest === "" ? [first] : [first, rest];
}

const actions: { readonly [verb: string]: ((what: string) => CheckedCall) | undefined } = {
  run: (command) => callOf("shell.run", "execute", { kind: "execute", command }),
  read: (path) => callOf("file.read", "read", { kind: "read", path }),
  write: (path) => callOf("file.write", "write", { kind: "write", path }),
  delete: (path) => callOf("file.delete", "destructive", { kind: "delete", path }),
  connect: (host) => callOf("web.fetch", "network", { kind: "network", host }),
};

function callOf(name: string, risk: CheckedCall["tool"]["risk"], access: ToolAccess): CheckedCall {
  return { tool: { name, risk }, accesses: [access] };
}

/** Parses `use TOOL [of SERVER]`, as in rules, for a call without accesses. */
async function readUse(what: string): Promise<CheckedCall> {
  const [name = "", of, server, ...more] = fromCommandLine(what);
  if (of !== undefined && (of !== "of" || server === undefined || more.length > 0))
    throw new ToolError("invalid-input", `"use ${what}" does not name a tool`, {
      hint: "Write: use TOOL, or use TOOL of SERVER",
    });
  const known = server === undefined && toolcribDialect.tools.find(({ canonical }) => canonical === name);
  const risk = known ? (await known.load()).risk : "execute";
  return { tool: { name, risk, server }, accesses: [] };
}

async function readToolCall(name: string, words: readonly string[]): Promise<CheckedCall> {
  const entry = findToolToExplain(name, words);
  const settings = { search: searchSettings(process.env) };
  const { tool, input } = (await entry.load()).resolve(await readInput(entry, words));
  return toCheckedCall(tool, input, settings);
}

/** Finds a tool. Explains how to write a command when a program is named in place of a tool. */
function findToolToExplain(name: string, words: readonly string[]): DialectTool {
  try {
    return findTool(toolcribDialect.tools, name);
  } catch (error) {
    if (!(error instanceof ToolError) || /[._]/.test(name)) throw error;
    const verb = otherVerbs.get(name.toLowerCase());
    const call = toCommandLine(verb === undefined ? ["run", name, ...words] : [verb, ...words]);
    const hint = toCommandLine(["toolcrib", "policy", "explain", call]);
    throw errorWith(error, {
      forUser: { hint: verb === undefined ? `To explain a command: ${hint}` : `Did you mean: ${hint}` },
    });
  }
}

/** Other words for the verbs of rules. */
const otherVerbs: ReadonlyMap<string, string> = new Map([
  ...["edit", "change", "modify", "create", "update"].map((word) => [word, "write"] as const),
  ["remove", "delete"],
  ["execute", "run"],
]);

export async function showPolicy(given: Arguments): Promise<number> {
  refuseOperands(given.operands, { name: "policy" });
  const { sources, project } = await withPolicy(given, async ({ rules }) => rules);
  const listed = sources.map((source) => ({ source, rules: listRules(source, project) }));
  if (given.options.has("json")) printJson(listed.flatMap(({ rules }) => rules));
  else print(listed.map(({ source, rules }) => showSource(source, rules)).join("\n"));
  return 0;
}

interface ListedRule extends RuleOrigin {
  /** The reason why the rule is ignored; null when it is not. */
  readonly ignored: string | null;
}

export function listRules(source: RuleSource, project: ProjectRules | undefined): readonly ListedRule[] {
  const { rules, settings, ignored } = parseRules(source);
  const why =
    project?.trust === "changed" ? "the file changed since it was trusted" : "the file is not trusted";
  return [
    ...[...rules, ...settings].map(({ origin }) => ({ ...origin, ignored: null })),
    ...ignored.map((origin) => ({ ...origin, ignored: why })),
  ].sort((one, other) => one.line - other.line);
}

function showSource({ level, name }: RuleSource, rules: readonly ListedRule[]): string {
  const heading = paint(1, "bold", level === name ? level : `${level}: ${printableLine(name)}`);
  if (rules.length === 0) return `${heading}\n  (no rules)\n`;
  return `${heading}\n${layTable(rules.map(toRow), "  ")}`;
}

function toRow({ line, text, ignored }: ListedRule): readonly string[] {
  const remark = ignored === null ? "" : `   (ignored: ${ignored}; see toolcrib policy trust)`;
  return [String(line).padStart(3), printableLine(text) + remark];
}
