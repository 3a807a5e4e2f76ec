import type { TokenUsage } from "../models/model.ts";
import type { PolicyMode } from "../policy/policy.ts";

/**
 * The shared types of fleets. A fleet is a named list of runs; a run is one task for one model in its own workspace.
 * Everything here is plain JSON: it is stored in a database, and read by workers on other machines.
 */

/** Settings of a whole fleet, as its spec gives them. */
export interface FleetSettings {
  /** US dollars for all runs together; null for no limit. */
  readonly budget: number | null;
  /** Limits by provider (`anthropic`). They count the requests of all fleets in the database. */
  readonly lanes: Readonly<Record<string, LaneLimits>>;
  /** How often a run may be delivered before it ends as `infrastructure`. */
  readonly deliveries: number;
  /** How long runs may wait for a provider that refuses requests, before they end as `infrastructure`. */
  readonly parkedHours: number;
}

export interface LaneLimits {
  /** Requests in flight, in all workers. */
  readonly concurrency: number | null;
  readonly tokensPerMinute: number | null;
}

/** One run, with all defaults filled in. Its hash identifies the run: the same spec never runs twice. */
export interface RunSpec {
  readonly fleet: string;
  /** Unique in its fleet: `parser-7`, or `parser-7 claude-sonnet-5 2` for a matrix. */
  readonly task: string;
  /** `provider/name`. */
  readonly model: string;
  readonly reasoning: "low" | "medium" | "high" | null;
  readonly prompt: string;
  /** A URL or a local path for `git clone`; null for an empty folder. */
  readonly repository: string | null;
  /** A branch, tag or commit; null for the default branch. */
  readonly revision: string | null;
  /** A shell command that prepares the workspace. */
  readonly setup: string | null;
  /** Decides between solved and unsolved; null when every completed turn counts as solved. */
  readonly check: RunCheck | null;
  /** `local`, `image:NAME` for a container of this image, or a target such as `ssh:host:/dir/{run}`. */
  readonly target: string;
  /** The loosest mode of the run. A worker's own mode wins when it is stricter. */
  readonly mode: PolicyMode;
  /** Rules that tighten: deny, ask, secret, protected. */
  readonly rules: readonly string[];
  readonly limits: RunLimits;
  /** Whether the workspace is kept after the run. */
  readonly keepWorkspace: "never" | "unsolved" | "always";
  /** How to publish the patch of a solved run; null for not at all. */
  readonly publish: RunPublish | null;
  /** Free fields of the task, which exports use: `instance_id`. */
  readonly data: Readonly<Record<string, string | number | boolean | null>>;
}

export interface RunCheck {
  readonly command: string;
  /** Files that exist only while the check runs, by path: the model never sees them. */
  readonly files: Readonly<Record<string, string>>;
  readonly minutes: number;
}

export interface RunLimits {
  readonly rounds: number;
  /** Time of work, without time in the queue. */
  readonly minutes: number;
  readonly dollars: number | null;
}

interface RunPublish {
  /** The name of the branch, with `{task}` and `{fleet}`. */
  readonly branch: string;
  readonly message: string;
}

/**
 * - `solved`: the check passed.
 * - `unsolved`: the model ended, and the check failed; or it reached its own limit of rounds, minutes or dollars.
 * - `infrastructure`: something else than the model failed: the repository, the set-up, the provider, a machine.
 * - `budget`: the money of the fleet was used up.
 * - `cancelled`: the user cancelled it.
 */
export const runOutcomes = ["solved", "unsolved", "infrastructure", "budget", "cancelled"] as const;
export type RunOutcome = (typeof runOutcomes)[number];

/** `parked`: waits until `notBefore`, because a provider refuses requests or a machine is missing. */
export const runStates = ["waiting", "running", "parked", "ended"] as const;
export type RunState = (typeof runStates)[number];

/** A row of the table of runs. Times are milliseconds since 1970. */
export interface Run {
  /** `run_…`, derived from the hash of the spec. */
  readonly id: string;
  readonly fleet: string;
  readonly spec: RunSpec;
  readonly state: RunState;
  /** How often a worker has begun to work on it. Deliveries that were parked or released do not count. */
  readonly deliveries: number;
  /** The worker that has it, and the machine that has its workspace and session; null before the first delivery. */
  readonly worker: string | null;
  readonly machine: string | null;
  /** The session, once it is open. A later delivery resumes it. */
  readonly session: string | null;
  readonly notBefore: number;
  /** When the run was parked first without success since; null when it is not parked. */
  readonly parkedSince: number | null;
  readonly isCancelled: boolean;
  /** Whether its task was edited and submitted again: its result is kept, and does not count. */
  readonly isSuperseded: boolean;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Why it is parked, or the reason of its outcome. */
  readonly reason: string | null;
  readonly outcome: RunOutcome | null;
  readonly result: RunResult | null;
}

/** The result of an ended run. */
export interface RunResult {
  /** The final answer of the model. */
  readonly text: string;
  readonly rounds: number;
  readonly calls: number;
  readonly usage: TokenUsage;
  /** In US dollars; null when a price is unknown. */
  readonly cost: number | null;
  /** Milliseconds of work, in all deliveries. */
  readonly workMs: number;
  /** The commit of the repository that the run started from; null without a repository. */
  readonly base: string | null;
  readonly patch: { readonly files: number; readonly added: number; readonly removed: number } | null;
  readonly check: { readonly exitCode: number | null; readonly output: string } | null;
  /** The folder or address of its artifacts: patch.diff, session.jsonl, session.html, journal.sqlite, result.json, … */
  readonly artifacts: string | null;
  readonly artifactNames: readonly string[];
}

export interface Fleet {
  readonly name: string;
  readonly settings: FleetSettings;
  readonly createdAt: number;
  /** US dollars of settled requests. */
  readonly spent: number;
}

export interface FleetWorker {
  readonly id: string;
  /** Identifies the working folder: workers with the same one can resume each other's runs. */
  readonly machine: string;
  readonly host: string;
  readonly pid: number;
  readonly startedAt: number;
  /** The last heartbeat, by the clock of the database. */
  readonly seenAt: number;
  readonly slots: number;
  readonly isDraining: boolean;
}

/** The most that a request to a model may cost, taken from the shared budgets before it is sent. */
export interface RequestEstimate {
  readonly run: string;
  readonly fleet: string;
  readonly worker: string;
  /** The provider. */
  readonly lane: string;
  readonly tokens: number;
  /** In US dollars; 0 when the price is unknown. */
  readonly cost: number;
}

/**
 * `wait`: ask again after `waitMs`. `budget`: the money of the fleet is used up. `cancelled`: the run was cancelled, or this
 * worker lost it.
 */
export type Admission =
  | { readonly admitted: true; readonly request: string }
  | { readonly admitted: false; readonly why: "wait"; readonly waitMs: number }
  | { readonly admitted: false; readonly why: "budget" | "cancelled" };

/** A claim on a run. Every change of a run names it, so that a worker that lost its run cannot change it. */
export interface Claim {
  readonly run: string;
  readonly worker: string;
  /** The number of this delivery. It is never used again, unlike `Run.deliveries`: name folders after it. */
  readonly delivery: number;
}

/** The state of all fleets: SQLite for one machine, PostgreSQL for many. */
export interface FleetStore extends AsyncDisposable {
  /**
   * Stores a fleet and adds the runs that are new. A fleet may grow; its settings are replaced. Runs of the same tasks with
   * another spec are superseded: those that have not ended are cancelled. Submitting their spec again counts them again.
   */
  submit(name: string, settings: FleetSettings, runs: readonly RunSpec[]): Promise<Submission>;
  fleets(): Promise<readonly Fleet[]>;
  fleet(name: string): Promise<Fleet | undefined>;
  run(id: string): Promise<Run | undefined>;
  /** In the order of their submission. */
  runs(filter: RunFilter): Promise<readonly Run[]>;
  /** Returns a part of the runs, in the order of their submission, and how many there are in all. */
  runPage(
    filter: RunFilter,
    range: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly runs: readonly Run[]; readonly total: number }>;
  counts(fleet: string): Promise<FleetCounts>;
  /** Returns when the latest runs ended, to estimate the rest. */
  latestEnds(fleet: string, limit: number): Promise<readonly number[]>;

  /**
   * Claims a run for a worker. Refuses runs that have ended, that another living worker has, that are parked, or whose
   * workspace is on another machine that still lives. A worker that was not seen for `leaseMs` no longer counts.
   */
  claim(run: string, worker: string): Promise<ClaimResult>;
  /**
   * Returns runs that can be claimed now, of all fleets or of one, oldest first: for a queue without a service, and to find
   * lost deliveries.
   */
  ready(limit: number, fleet?: string): Promise<readonly string[]>;
  /**
   * Registers the worker, which must happen before its first claim, and says that it lives. Returns which of its claims
   * still count and which runs are cancelled. `claims` lists every claim until its `park`, `release` or `end` has returned:
   * a claim that is missing for a whole lease was lost on its way to the worker, and its run waits again.
   */
  heartbeat(
    worker: Omit<FleetWorker, "seenAt">,
    claims: readonly Claim[],
  ): Promise<readonly { claim: Claim; isValid: boolean; isCancelled: boolean }[]>;
  setSession(claim: Claim, session: string): Promise<boolean>;
  /**
   * Puts the run back, to be claimed after `notBefore`, without counting the delivery. False when the claim does not count
   * any more.
   */
  park(claim: Claim, notBefore: number, reason: string): Promise<boolean>;
  /** Puts the run back at once, without counting the delivery: the worker stops. */
  release(claim: Claim): Promise<boolean>;
  /** Ends the run, exactly once. False when the claim does not count any more; then nothing was changed. */
  end(claim: Claim, outcome: RunOutcome, reason: string, result: RunResult): Promise<boolean>;
  removeWorker(id: string): Promise<void>;
  workers(): Promise<readonly FleetWorker[]>;

  /** Takes money and tokens for a request. Requests of workers that died are counted as spent when their run is claimed again. */
  admit(estimate: RequestEstimate): Promise<Admission>;
  /** Replaces the estimate of a request with what it used; nothing for a request without an answer. */
  settle(request: string, actual: { readonly tokens: number; readonly cost: number }): Promise<void>;
  /** After a 429 or an outage: no request of the lane is admitted for this time, by the clock of the database. */
  pauseLane(lane: string, milliseconds: number): Promise<void>;
  lanes(): Promise<readonly LaneState[]>;

  /** Cancels runs that have not ended: at once, or by their worker at its next heartbeat. Returns their ids. */
  cancel(filter: RunFilter): Promise<readonly string[]>;
  /** Ends the runs that no worker has, as `budget`, when the budget of the fleet is used up. Returns their ids. */
  endUnpaid(fleet: string): Promise<readonly string[]>;
  /** Makes ended runs wait again, with a new session and workspace. Their spending stays counted. Returns their ids. */
  retry(filter: RunFilter): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface Submission {
  /** The new runs, and those that count again and have to run. */
  readonly added: readonly string[];
  readonly known: number;
  readonly superseded: readonly string[];
}

export interface RunFilter {
  readonly fleet: string;
  readonly ids?: readonly string[] | undefined;
  readonly tasks?: readonly string[] | undefined;
  readonly states?: readonly RunState[] | undefined;
  readonly outcomes?: readonly RunOutcome[] | undefined;
  /** Only superseded runs, or only others. Default: both. */
  readonly isSuperseded?: boolean | undefined;
  /** Runs that ended at this time or later, by the clock of the database. */
  readonly endedSince?: number | undefined;
  /** A part of the task or the reason, in any case. */
  readonly text?: string | undefined;
}

export type ClaimResult =
  | { readonly claimed: true; readonly run: Run; readonly claim: Claim }
  /** `again`: deliver it again after this time; undefined when it has ended. */
  | { readonly claimed: false; readonly again: number | undefined };

export interface FleetCounts {
  readonly states: Readonly<Record<RunState, number>>;
  readonly outcomes: Readonly<Record<RunOutcome, number>>;
  readonly cost: number;
}

export interface LaneState {
  readonly lane: string;
  readonly inFlight: number;
  readonly pausedUntil: number;
}

/** Delivers runs to workers. It carries only ids; what a delivery means is decided by `FleetStore.claim`. */
export interface RunQueue extends AsyncDisposable {
  /** Adds runs. Runs that are queued already stay where they are. */
  add(runs: readonly string[]): Promise<void>;
  /**
   * Delivers runs until `stop`. `work` returns the time at which to deliver the run again, or undefined when it is done.
   * A delivery whose process dies is repeated.
   */
  deliver(slots: number, work: (run: string) => Promise<number | undefined>): Promise<Deliveries>;
  close(): Promise<void>;
}

export interface Deliveries {
  /** Takes no more runs, and resolves when `work` has returned for all that were taken. */
  stop(): Promise<void>;
}
