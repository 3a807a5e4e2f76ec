/** What an agent means to do, step by step, as it last said. */
export interface Plan {
  readonly steps: readonly PlanStep[];
  /** Why it is as it is, or has changed. */
  readonly explanation: string | undefined;
}

export interface PlanStep {
  readonly step: string;
  readonly status: PlanStatus;
  /** What is being done while it is in progress, for people who watch: "Running the tests". */
  readonly activity?: string | undefined;
}

export const planStatuses = ["pending", "in_progress", "completed", "cancelled", "blocked"] as const;

export type PlanStatus = (typeof planStatuses)[number];

/** Keeps the plan of a room. */
export interface PlanMemory {
  /** Empty at first. */
  plan: Plan;
}
