import { printableLine } from "../../lib/printable.ts";
import type { RuleOrigin, RuleSource } from "../../policy/policy.ts";
import { parseRules } from "../../policy/rules/parse-rules.ts";
import type { ProjectRules } from "../../toolcrib/trust.ts";
import type { Arguments } from "../command.ts";
import { printJson } from "../report.ts";
import { layTable } from "../table.ts";
import { paint, print } from "../terminal.ts";
import { inPolicyRoom, refuseWords } from "./room.ts";

/** `toolcrib policy show` */
export async function showPolicy(given: Arguments): Promise<number> {
  refuseWords(given.operands, "show");
  const { sources, project } = await inPolicyRoom(given, async ({ rules }) => rules);
  const listed = sources.map((source) => ({ source, rules: listRules(source, project) }));
  if (given.options.has("json")) printJson(listed.flatMap(({ rules }) => rules));
  else print(listed.map(({ source, rules }) => showSource(source, rules)).join("\n"));
  return 0;
}

interface ListedRule extends RuleOrigin {
  /** Why it does not count; null when it does. */
  readonly ignored: string | null;
}

function listRules(source: RuleSource, project: ProjectRules | undefined): readonly ListedRule[] {
  const { rules, settings, ignored } = parseRules(source);
  const why =
    project?.trust === "changed" ? "the file changed since it was trusted" : "the file is not trusted";
  return [
    ...[...rules, ...settings].map(({ origin: place }) => ({ ...place, ignored: null })),
    ...ignored.map((place) => ({ ...place, ignored: why })),
  ].sort((one, other) => one.line - other.line);
}

function showSource({ level, name }: RuleSource, rules: readonly ListedRule[]): string {
  const heading = paint(1, "bold", level === name ? level : `${level}: ${printableLine(name)}`);
  if (rules.length === 0) return `${heading}\n  (no rules)\n`;
  return `${heading}\n${layTable(rules.map(toRow), "  ")}`;
}

function toRow({ line, text, ignored }: ListedRule): readonly string[] {
  const remark = ignored === null ? "" : `   (does not count: ${ignored}; see toolcrib policy trust)`;
  return [String(line).padStart(3), printableLine(text) + remark];
}
