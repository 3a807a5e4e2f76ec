import type { Access, Risk } from "../../contract/access.ts";
import type { SandboxLevel } from "../../contract/account.ts";
import type { PartVerdict, Segment } from "../../policy/policy.ts";

/** What a person is shown before a call may go on. */
export interface ApprovalRequest {
  readonly callId: string;
  /** Which subagent makes it, `agent_1`; not said of the one that the room is for. */
  readonly agent?: string;
  /** Canonical name. */
  readonly tool: string;
  readonly input: unknown;
  readonly accesses: readonly Access[];
  readonly risk: Risk;
  /** Why it is asked. */
  readonly reason: string;
  /** The rule that asks, as written, and where it stands: a file and line, "built-in", or "mode cautious". */
  readonly rule: string;
  readonly source: string;
  /** Every part of the call with what is said of it; the segments of a command are among them. */
  readonly parts: readonly PartVerdict[];
  /** What the call would change: a unified diff, or words; undefined where the tool cannot tell. */
  readonly preview: string | undefined;
  /** The rules that the answers "session" and "always" would add, no more; empty when it can be allowed only once. */
  readonly grants: readonly string[];
  /** Where commands start. */
  readonly directory: string;
  /** A fingerprint of the variables that commands get. */
  readonly environment: string;
  /** What its commands would run in: "none" also where rules take them out of the sandbox. */
  readonly sandbox: SandboxLevel;
  /** Rules take its commands out of the sandbox. */
  readonly unconfined: boolean;
  /** The hosts that its commands could reach once it is approved, "*" for any part; none where it runs no command. */
  readonly hosts: readonly string[];
  /** Stands for this very call: tool, input, what its paths lead to, directory, variables, sandbox. */
  readonly hash: string;
  /** Stands for the whole preview, also what is not shown of it, and for what it was made of. */
  readonly previewHash: string;
}

/** As much of a request as people read, which can be written down. */
export interface ShownRequest
  extends Pick<
    ApprovalRequest,
    | "agent"
    | "tool"
    | "input"
    | "accesses"
    | "risk"
    | "reason"
    | "rule"
    | "source"
    | "preview"
    | "grants"
    | "sandbox"
    | "unconfined"
    | "hosts"
  > {
  readonly parts: readonly ShownPart[];
}

export interface ShownPart extends Pick<PartVerdict, "verdict" | "reason" | "rule"> {
  readonly part: { readonly kind: string; readonly in?: Segment | undefined };
}

/** The person's answer; the message of a refusal goes to the model. */
export type Approval =
  | {
      readonly allow: true;
      /** Also allow what `grants` names: until this room is closed, or in this workspace from now on. */
      readonly remember?: "session" | "always";
      /** The `hash` of what was approved, where answers travel; another than the request's does not count. */
      readonly hash?: string;
    }
  | { readonly allow: false; readonly message?: string };

/** Asks the person. */
export type Approve = (request: ApprovalRequest, signal: AbortSignal) => Promise<Approval> | Approval;
