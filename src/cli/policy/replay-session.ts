import { ToolError } from "../../contract/error.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printableLine } from "../../lib/text/printable.ts";
import type { Decision } from "../../policy/policy.ts";
import { type ReplayedCall, replayCalls } from "../../toolcrib/replay-calls.ts";
import type { Arguments } from "../command.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { printJson } from "../report.ts";
import { layTable, print, remark, shorten } from "../terminal.ts";
import { withPolicy } from "./open-policy.ts";
import { reportDecision } from "./report-decision.ts";

export async function replaySession(given: Arguments): Promise<number> {
  const [session, ...rest] = given.operands;
  refuseOperands(rest, { name: "policy" });
  if (session === undefined || !/^(last|all|session_\w+)$/.test(session))
    throw new ToolError("invalid-input", "The session to replay is missing: a session id, last, or all", {
      hint: "For example: toolcrib policy replay last",
    });
  const calls = await withPolicy(given, ({ id, state, mode, rules, environment, sandbox }) =>
    replayCalls({ state, workspace: id, session }, { policy: rules.current, mode, environment, sandbox }),
  );
  if (given.options.has("json")) printJson(calls.map(toReport));
  else if (calls.length === 0) remark(`No calls are recorded for ${session}.\n`);
  else print(showReplay(calls));
  return 0;
}

function showReplay(calls: readonly ReplayedCall[]): string {
  const shown = calls.filter((call) => call.decision.verdict !== "allow" || isChanged(call));
  const count = (verdict: Decision["verdict"]) =>
    calls.filter(({ decision }) => decision.verdict === verdict).length;
  const rows = shown.map(toRow);
  return [
    rows.length === 0 ? "" : `${layTable([["then", "now", "call", "reason"], ...rows])}\n`,
    `${counted(calls.length, "call")}: ${count("allow")} allow, ${count("ask")} ask, ${count("deny")} deny; ` +
      `${calls.filter(isChanged).length} differ from the recorded verdict.\n`,
  ].join("");
}

function isChanged({ record, decision }: ReplayedCall): boolean {
  return record.decision?.verdict !== decision.verdict;
}

function toRow({ record, decision }: ReplayedCall): readonly string[] {
  const { verdict = "", answer } = record.decision ?? {};
  const { rule, source, reason } = decision.record;
  return [
    answer === undefined ? verdict : `${verdict}, ${answer}`,
    decision.verdict,
    printableLine(`${record.tool} ${shorten(JSON.stringify(record.input) ?? "", 60)}`),
    printableLine(decision.decisive.rule ? `${rule} (${source})` : `${reason} (${rule})`),
  ];
}

function toReport({ record, decision }: ReplayedCall): object {
  const { callId, session, tool, input, startedAt, decision: recorded } = record;
  return { callId, session, tool, input, startedAt, recorded, now: reportDecision(decision) };
}
