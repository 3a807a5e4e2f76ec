import { printable, printableLine } from "../../../lib/printable.ts";
import { truncateText } from "../../../lib/truncate.ts";
import type { ApprovalRequest } from "../../../toolcrib/index.ts";

/** What a client puts before a person. Whatever comes from files, commands or models is made visible and indented. */
export function describeRequest(request: ApprovalRequest): string {
  const { tool, risk, reason, rule, source, preview, grants, accesses } = request;
  const commands = accesses.flatMap((access) => (access.kind === "execute" ? [access.command] : []));
  return [
    `Allow ${tool}? (risk: ${risk})`,
    `Why it is asked: ${printableLine(reason)}`,
    `Rule: ${printableLine(rule.startsWith(source) ? rule : `${rule} (${source})`)}`,
    ...commands.flatMap((command) => ["Command:", quote(command)]),
    ...(commands.length === 0 ? [] : [`It runs ${placeToRun(request)}.`]),
    ...(preview === undefined ? describeInput(request, commands) : ["Changes:", quote(preview)]),
    grants.length === 0
      ? "It can be allowed only once."
      : `"session" and "always" would add: ${grants.map(printableLine).join("; ")}`,
  ].join("\n");
}

function describeInput({ input }: ApprovalRequest, commands: readonly string[]): readonly string[] {
  const given = Object.entries(input ?? {}).filter(([, value]) => !commands.includes(value));
  if (given.length === 0) return [];
  return ["Input:", quote(JSON.stringify(Object.fromEntries(given), asText, 2))];
}

function placeToRun({ sandbox, unconfined, hosts }: ApprovalRequest): string {
  if (unconfined) return "outside the sandbox, as your rules say, and reaches all that you can reach";
  if (sandbox === "none") return "without a sandbox and reaches all that you can reach";
  if (hosts.length === 0) return `in the sandbox (${sandbox}) and reaches no host`;
  return `in the sandbox (${sandbox}) and reaches ${hosts.includes("*") ? "every host that no rule denies" : hosts.join(", ")}`;
}

function quote(text: string): string {
  const { text: shown } = truncateText(
    printable(text),
    limits,
    ({ chars }) => `[… ${chars} characters are not shown …]`,
  );
  return shown.replace(/^/gm, "    ");
}

const limits = { maxChars: 4_000, maxLines: 80, keep: "both" } as const;

/** JSON knows no large integers. */
function asText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}n` : value;
}
