import type { Access, Risk } from "../../contract/access.ts";
import { ToolError } from "../../contract/error.ts";
import { decide } from "../../guardian/decide.ts";
import type { Mode } from "../../guardian/mode.ts";
import type { Stage } from "../stage.ts";
import { untilAborted } from "../until-aborted.ts";

/** What a person is shown before a call may go on. */
export interface ApprovalRequest {
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly accesses: readonly Access[];
  readonly risk: Risk;
  /** Why it is asked, and by which rule. */
  readonly reason: string;
  readonly rule: string;
}

/** The person's answer; the message of a refusal goes to the model. */
export type Approval = { readonly allow: true } | { readonly allow: false; readonly message?: string };

export interface GuardianSettings {
  readonly mode: Mode;
  /** Asks the person. Without it, whatever would be asked is refused with `needs-approval`. */
  readonly approve?: (request: ApprovalRequest, signal: AbortSignal) => Promise<Approval> | Approval;
}

/** Lets a call pass, asks the person, or refuses it. */
export function askGuardian(settings: GuardianSettings): Stage {
  return async (call, next) => {
    const decision = decide({ mode: settings.mode, accesses: call.accesses, risk: call.tool.risk });
    if (decision.verdict === "allow") return next(call);
    const { risk, reason, rule } = decision;
    if (!settings.approve) {
      throw new ToolError("needs-approval", `This call needs a person's approval (${rule}): ${reason}`, {
        hint: "Nobody can be asked here: choose another way, or ask the person to allow it (another mode).",
      });
    }
    const request = { callId: call.id, tool: call.tool.name, input: call.input, accesses: call.accesses };
    const asking = ask(settings.approve, { ...request, risk, reason, rule }, call.signal);
    const approval = await untilAborted(asking, call.signal, "approval");
    if (approval.allow) return next(call);
    throw new ToolError("denied", approval.message ?? `The person refused this call (${rule})`, {
      hint: "Do not repeat it; ask what to do instead.",
    });
  };
}

async function ask(
  approve: NonNullable<GuardianSettings["approve"]>,
  request: ApprovalRequest,
  signal: AbortSignal,
): Promise<Approval> {
  try {
    return await approve(request, signal);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ToolError("needs-approval", `The person could not be asked: ${reason}`, {
      hint: "Nothing was done; try again when somebody can answer.",
      cause,
    });
  }
}
