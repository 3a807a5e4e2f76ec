import { describe, expect, it } from "vitest";
import { type ToolError, textForUser } from "../../contract/error.ts";
import type { Decision } from "../../policy/policy.ts";
import type { ApprovalRequest } from "./approval-request.ts";
import * as refusals from "./refusals.ts";

const part = { kind: "use", tool: "test.act" } as never;
const asking = { part, verdict: "ask", risk: "execute", rule: undefined, reason: "mode safe asks" } as const;
const decision = { verdict: "ask", decisive: asking, parts: [asking] } as unknown as Decision;
const denying = {
  ...decision,
  verdict: "deny",
  parts: [{ ...asking, verdict: "deny" }],
} as unknown as Decision;

const all: readonly (readonly [string, ToolError])[] = [
  ["a denial", refusals.denied(denying)],
  [
    "a denial in plan mode",
    refusals.denied({ ...denying, decisive: { ...asking, planned: true } } as unknown as Decision),
  ],
  ["a call that no one can be asked about", refusals.needsApproval(decision, { grants: ["allow use x"] })],
  [
    "a pending approval",
    refusals.approvalPending({ id: "abc234", parts: decision.parts } as ApprovalRequest),
  ],
  ["a refusal", refusals.deniedByUser(decision, undefined)],
  ["a refusal with a message", refusals.deniedByUser(decision, "Use the other file.")],
  ["a call that changed", refusals.callChanged()],
  ["a preview that changed", refusals.previewChanged()],
  ["paths that changed", refusals.pathsChanged()],
  ["a failed question", refusals.couldNotAsk(new Error("no window"))],
  ["an unreadable answer", refusals.unreadableAnswer()],
];

describe.each(all)("%s", (_name, error) => {
  it("tells the model what to do, in its words", () => {
    const text = `${error.message}\n${error.hint}`;
    expect(text).not.toMatch(/--rule|--mode|on a terminal|press|\/plan|Try again|add --/);
    expect(error.hint).toMatch(/\w/);
  });

  it("tells the user what they can do, in theirs", () => {
    const { message, hint } = textForUser(error);
    expect(`${message}\n${hint}`).not.toMatch(
      /ask the user|tell the user|the user |do not repeat|repeat (?:exactly )?(?:this|the) call|work around/i,
    );
  });
});
