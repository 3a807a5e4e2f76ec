export const revisions = ["2025-11-25", "2026-07-28"] as const;
export type Revision = (typeof revisions)[number];

/** The tested side: our server, or our hub as a client. */
export type Leg = "server" | "client";

/** One scenario of the suite in one revision of the protocol. */
export interface Scenario {
  readonly leg: Leg;
  readonly revision: Revision;
  readonly name: string;
  /** Why the suite does not count it. */
  readonly uncounted?: string;
}

/** The findings of the suite. */
export interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly errorMessage?: string;
}
