import type { Access } from "./access.ts";

/** What the stages find out about a call on its way, for the journal. Each stage fills in its part. */
export interface Account {
  /** What the call would touch; missing when its input is not valid. */
  accesses?: readonly Access[];
  /** What the guardian said; missing when the call did not get that far. */
  decision?: DecisionRecord;
  /** How well the call was confined. */
  sandbox?: SandboxLevel;
  /** What an undo of this call will not bring back, each in one sentence. */
  notCovered?: readonly string[];
}

/** One decision of the guardian, as it is kept and shown. */
export interface DecisionRecord {
  readonly verdict: "allow" | "ask" | "deny";
  /** The rule that decided, as written, and where it stands: "rules:12", "built-in", "mode cautious". */
  readonly rule: string;
  readonly source: string;
  readonly reason: string;
  /** What the person said when asked. */
  readonly answer?: "once" | "session" | "always" | "no";
}

export type SandboxLevel = "bwrap" | "landlock" | "seatbelt" | "none";
