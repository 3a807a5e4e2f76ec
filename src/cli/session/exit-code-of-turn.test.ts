import { expect, it } from "vitest";
import type { AgentEvent, AgentEventBody, TurnResult } from "../../agent/event.ts";
import type { ErrorCode } from "../../contract/error.ts";
import { LastRefusal } from "./exit-code-of-turn.ts";

const round: AgentEventBody = { type: "round-start", round: 1 };

const call = (code?: ErrorCode): AgentEventBody => ({
  ...{ type: "tool-end", id: "c", name: "n", canonical: "n", output: "", shown: "", data: null },
  ...{ isError: code !== undefined, callId: null, durationMs: 1 },
  error: code === undefined ? null : { code, message: "no", hint: null },
});

function exit(
  happenings: readonly (AgentEventBody & { readonly agent?: string })[],
  outcome: TurnResult["outcome"] = "completed",
  kind: "timeout" | "auth" = "auth",
): number {
  const refusal = new LastRefusal();
  for (const happening of happenings) refusal.hear({ session: "s", at: 0, ...happening } as AgentEvent);
  return refusal.exitCode({
    outcome,
    error: outcome === "failed" ? { code: kind, message: "", hint: null } : null,
  });
}

it("is the code of the last calls, if one of them was refused", () => {
  expect([
    exit([]),
    exit([round, call("needs-approval"), call(), round]),
    exit([round, call("denied"), round]),
    exit([round, call("outside-workspace")]),
    exit([round, call("needs-approval"), round, call(), round]),
    exit([round, call("not-found"), round]),
    exit([round, { ...call("denied"), agent: "agent_1" }, round]),
    exit([round, call("denied"), { type: "turn-start", turn: 2 }, round]),
  ]).toEqual([0, 4, 3, 3, 0, 0, 0, 0]);
});

it("distinguishes failures, limits and interruptions from answers", () => {
  expect([
    exit([], "failed"),
    exit([], "failed", "timeout"),
    exit([round, call("denied")], "limit"),
    exit([], "loop"),
    exit([], "aborted"),
  ]).toEqual([1, 5, 1, 1, 130]);
});
