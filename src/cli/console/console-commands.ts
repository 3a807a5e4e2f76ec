import type { ConsoleCommands } from "../../console/server/services.ts";
import { callTitle } from "../../lib/text/call-title.ts";
import { explainDecision, replayCalls } from "../../toolcrib/replay-calls.ts";
import type { Arguments } from "../command.ts";

/** The commands of the console. Each loads what it needs on first use. */
export const consoleCommands: ConsoleCommands = {
  rules: async (workspace) => {
    const { listRules } = await import("../policy/explain-call.ts");
    const { withPolicy } = await import("../policy/open-policy.ts");
    return withPolicy(argumentsFor(workspace), async ({ rules: { sources, project }, mode }) => ({
      mode,
      sources: sources.map((source) => ({
        level: source.level,
        name: source.name,
        rules: listRules(source, project).map(({ line, text, ignored }) => ({ line, text, ignored })),
      })),
    }));
  },

  explain: async (workspace, text) => {
    const { readCall } = await import("../policy/explain-call.ts");
    const { withPolicy } = await import("../policy/open-policy.ts");
    const { reportDecision } = await import("../policy/report-decision.ts");
    const call = await readCall([text]);
    return withPolicy(argumentsFor(workspace), async ({ rules, mode, environment, sandbox }) => {
      const decision = await explainDecision(call, { policy: rules.current, mode, environment, sandbox });
      const { verdict, risk, reason, rule, source, parts } = reportDecision(decision);
      return {
        ...{ verdict, risk, reason, rule, source },
        parts: parts.map((part) => ({
          ...{ verdict: part.verdict, kind: part.kind, what: part.what, reason: part.reason },
          rule: part.rule?.text ?? null,
        })),
      };
    });
  },

  tryRules: async (workspace, added) => {
    const [before, after] = [await replay(workspace, []), await replay(workspace, added)];
    const changed = after.flatMap(({ record: { callId, tool, input }, decision }, at) => {
      const now = before[at]?.decision.verdict ?? decision.verdict;
      if (now === decision.verdict) return [];
      const title = callTitle(input, workspace);
      const { reason } = decision.record;
      return [{ callId, tool, title, before: now, after: decision.verdict, reason }];
    });
    return { calls: after.length, changed: changed.toReversed().slice(0, maxChanged) };
  },

  countAnswered: async (workspace, widths) => {
    const asked = { onlyAsked: true, limit: maxAsked };
    // In the mode safe, only rules allow.
    const verdicts = async (added: readonly string[]) =>
      (await replay(workspace, added, { ...asked, mode: "safe" })).map(({ decision }) => decision.verdict);
    const before = await verdicts([]);
    const counts: number[] = [];
    for (const rules of widths) {
      const after = await verdicts(rules);
      counts.push(after.filter((verdict, at) => verdict === "allow" && before[at] === "ask").length);
    }
    return counts;
  },

  examine: async (workspace, signal) => {
    const { examine, verdict } = await import("../doctor/doctor.ts");
    const { findings } = await examine(argumentsFor(workspace), () => {}, signal);
    return {
      findings: findings.map(({ about, state, message, hint = null }) => ({
        ...{ about, message, hint },
        state: states[state],
      })),
      verdict: verdict(findings),
    };
  },
};

const states = { well: "ok", note: "warning", wrong: "problem" } as const;
const maxChanged = 200;
const maxReplayed = 2_000;
const maxAsked = 100;

interface ReplayedPart {
  readonly limit?: number;
  readonly onlyAsked?: boolean;
  /** Default: the mode of the workspace. */
  readonly mode?: string;
}

async function replay(
  workspace: string,
  added: readonly string[],
  { limit = maxReplayed, onlyAsked, mode: wanted }: ReplayedPart = {},
) {
  const { withPolicy } = await import("../policy/open-policy.ts");
  const given = argumentsFor(workspace, [
    ...(added.length === 0 ? [] : ([["rule", added.join("\n")]] as const)),
    ...(wanted === undefined ? [] : ([["mode", wanted]] as const)),
  ]);
  return withPolicy(given, ({ id, state, mode, rules, environment, sandbox }) =>
    replayCalls(
      { state, workspace: id, session: "all", limit, onlyAsked },
      { policy: rules.current, mode, environment, sandbox },
    ),
  );
}

function argumentsFor(workspace: string, options: readonly (readonly [string, string])[] = []): Arguments {
  const place = workspace.startsWith("/") ? "workspace" : "target";
  return { options: new Map([[place, workspace], ["no-input", ""], ...options]), operands: [] };
}
