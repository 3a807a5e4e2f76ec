import type { SandboxLevel } from "../contract/account.ts";
import type { Environment } from "../contract/environment.ts";
import type { ShellPast } from "../contract/process.ts";
import type { AnyTool } from "../contract/tool.ts";
import { toolcribDialect } from "../dialects/toolcrib.ts";
import { type CallRecord, Journal } from "../journal/journal.ts";
import { newIdentifier } from "../lib/identifier.ts";
import { pastAfter } from "../policy/commands/shell-sessions.ts";
import type { Decision, Mode } from "../policy/policy.ts";
import type { Policy } from "../policy/rules/compile-policy.ts";
import { makePrivateDirectory, workspaceFiles } from "../system/directories.ts";
import { judge } from "./judge.ts";

/** One call of the journal, as it was judged then and would be now. */
export interface ReplayedCall {
  readonly record: CallRecord;
  readonly decision: Decision;
}

/**
 * Judges recorded calls again, oldest first, commands of shells that stay with what earlier ones left there. Those that
 * never came to be judged are left out.
 */
export async function replayCalls(
  options: { readonly state: string; readonly session: string | "last" | "all" },
  rules: {
    readonly policy: Policy;
    readonly mode: Mode;
    readonly environment: Environment;
    readonly sandbox: () => Promise<SandboxLevel>;
  },
): Promise<readonly ReplayedCall[]> {
  const { workspace } = rules.environment;
  const records = readRecords(options, workspace);
  const shells = new Map<string, ShellPast>();
  const replayed: ReplayedCall[] = [];
  for (const record of records) {
    if (record.decision === null) continue;
    const keyOf = (name: string) => `${record.session} ${name}`;
    const shell = (name: string) => shells.get(keyOf(name));
    const { accesses } = record;
    const tool = await toolOf(record);
    replayed.push({ record, decision: await judge({ tool, accesses }, { ...rules, shell }) });
    for (const access of hasRun(record) ? accesses : [])
      if (access.kind === "execute" && access.session !== undefined)
        shells.set(keyOf(access.session), pastAfter(access, workspace, shell(access.session)));
  }
  return replayed;
}

/** What was let pass counts, whatever came of it. */
function hasRun({ decision }: CallRecord): boolean {
  const { verdict, answer } = decision ?? {};
  return verdict === "allow" || (verdict === "ask" && answer !== undefined && answer !== "no");
}

function readRecords(
  { state, session }: { readonly state: string; readonly session: string },
  workspace: string,
): readonly CallRecord[] {
  const files = workspaceFiles(state, workspace);
  makePrivateDirectory(files.outputs);
  const journal = new Journal({ file: files.journal, session: newIdentifier("session") });
  try {
    const wanted = session === "last" ? journal.latest(1)[0]?.session : session;
    if (wanted === undefined) return [];
    return journal
      .calls(wanted === "all" ? { limit: maxCalls } : { session: wanted, limit: maxCalls })
      .toReversed();
  } finally {
    journal.close();
  }
}

/** A journal may hold years of calls; of more nobody would read the answer. */
const maxCalls = 10_000;

async function toolOf({ tool: name, accesses }: CallRecord): Promise<Pick<AnyTool, "name" | "risk">> {
  const known = toolcribDialect.tools.find(({ canonical }) => canonical === name);
  if (known) return { name, risk: (await known.load()).risk };
  // A tool of an application: what it touched says more than what it might do.
  return { name, risk: accesses.length > 0 ? "read" : "execute" };
}
