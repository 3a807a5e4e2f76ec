import { ToolError } from "../../contract/error.ts";
import { type Grant, readGrants, revokeGrants } from "../../engine/approvals/grants.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { userDirectories } from "../../system/directories.ts";
import { policyFiles } from "../../system/policy-files.ts";
import type { ClientInfo } from "../../toolcrib/workspace-journal.ts";
import type { Arguments } from "../command.ts";
import { describeClient } from "../log/call-table.ts";
import { withJournal } from "../log/log.ts";
import { inPlace, workspaceIdOf } from "../options.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { printJson } from "../report.ts";
import { layTable, print, remark, toLocalTime } from "../terminal.ts";
import { refuseProgramsOfTools } from "./ask-on-terminal.ts";

export async function listGrants(given: Arguments): Promise<number> {
  refuseOperands(given.operands, { name: "grants" });
  const file = grantedFile(given);
  const grants = readGrants(file);
  const clients = await clientsOf(grants, given);
  if (given.options.has("json"))
    printJson(grants.map((grant, at) => ({ ...grant, file, client: clients[at] ?? null })));
  else if (grants.length === 0)
    remark(`Nothing is allowed by "always" ${inPlace(given.options.get("target"))}.\n`);
  else {
    print(layTable(grants.map((grant, at) => toRow(grant, clients[at]))));
    remark(`File: ${printableLine(file)}\n`);
  }
  return 0;
}

function toRow({ id, rules, grantedAt, askedBy }: Grant, client: ClientInfo | null | undefined): string[] {
  const by =
    askedBy === null ? "" : `${client ? `${describeClient(client)}, ` : ""}${printableLine(askedBy)}`;
  return [
    id,
    grantedAt === null ? "" : toLocalTime(grantedAt).slice(0, 16),
    by,
    printableLine(rules.join("; ")),
  ];
}

/** Returns the programs that asked for these grants, as far as the journal still has their calls. */
async function clientsOf(
  grants: readonly Grant[],
  given: Arguments,
): Promise<readonly (ClientInfo | null | undefined)[]> {
  if (grants.length === 0) return [];
  return withJournal(given, (journal) =>
    grants.map(({ askedBy }) => (askedBy === null ? undefined : journal.find(askedBy)?.client)),
  );
}

export async function revokeNamed(given: Arguments): Promise<number> {
  const { operands, options } = given;
  if (operands.length === 0)
    throw new ToolError("invalid-input", "The id of a grant is missing", {
      hint: `Use an id from: toolcrib grants`,
    });
  refuseProgramsOfTools("revoke approvals");
  const file = grantedFile(given);
  const grants = readGrants(file);
  const revoked = isOneRule(operands, grants)
    ? named(operands.join(" "), grants, given)
    : operands.flatMap((name) => named(name, grants, given));
  await revokeGrants(file, new Set(revoked.map(({ id }) => id)));
  if (options.has("json")) printJson({ revoked });
  else for (const rule of revoked.flatMap(({ rules }) => rules)) print(`Revoked: ${printableLine(rule)}\n`);
  return 0;
}

/** Returns whether the words are a single rule that was typed without quotes. */
function isOneRule(words: readonly string[], grants: readonly Grant[]): boolean {
  return words.length > 1 && grants.some((grant) => isNamed(grant, words.join(" ")));
}

function named(name: string, grants: readonly Grant[], { options }: Arguments): readonly Grant[] {
  const found = grants.filter((grant) => isNamed(grant, name));
  if (found.length > 0) return found;
  throw new ToolError(
    "not-found",
    `No grant ${inPlace(options.get("target"))} has the id or the rule ${name}`,
    {
      hint: `To list the grants, run: toolcrib grants`,
    },
  );
}

/** A rule may be given without what an answer adds to it: the program text that it is bound to, and the tool. */
function isNamed({ id, rules }: Grant, name: string): boolean {
  return id === name || rules.some((rule) => [rule, rule.replace(/ (?:while|by) .*$/, "")].includes(name));
}

function grantedFile({ options }: Arguments): string {
  const workspace = workspaceIdOf(options);
  return policyFiles(userDirectories().config, workspace).granted;
}
