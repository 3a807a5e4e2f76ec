import type { Machine } from "../report.ts";

/** The stored result of a run: docs/comparison.json. The page is written from it. */
export interface Comparison {
  readonly machine: Machine;
  /** The number of processes that wanted to run, on average in the minute before: other work makes all servers slower. */
  readonly load: number;
  readonly servers: readonly ComparedServer[];
  readonly measures: readonly Measure[];
  /** Sentences about servers that failed while they were measured. */
  readonly failures: readonly string[];
  readonly checks: readonly Check[];
}

interface ComparedServer {
  readonly name: string;
  readonly version: string;
  /** How it was installed and started. */
  readonly settings: string;
}

/** A figure of each server. A server that has no tool for the task has none. */
export interface Measure {
  readonly name: string;
  readonly about: string;
  readonly unit: string;
  /** Missing where neither is better. */
  readonly better?: "less" | "more";
  readonly values: Readonly<Record<string, number>>;
}

/** The outcome of one task on each server that has a tool for it. */
export interface Check {
  readonly name: string;
  readonly about: string;
  readonly outcomes: Readonly<Record<string, Outcome>>;
}

export interface Outcome {
  readonly good: boolean;
  readonly text: string;
}
