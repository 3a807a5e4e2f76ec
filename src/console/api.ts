import type { ToolAccess } from "../contract/access.ts";
import type { ApprovalChoice, ApprovalView, ViewPart } from "../contract/approval-view.ts";
import type { DecisionRecord, SandboxLevel } from "../contract/call.ts";

/**
 * The messages between the console's server and its page. Types only, so that the page loads nothing of the engine.
 * Texts of workspaces, models and commands arrive as plain strings with secrets redacted; the page never interprets them
 * as HTML. Times are milliseconds since 1970.
 */

export type { ApprovalChoice, ViewPart };

/**
 * `POST /api/login`: exchanges the one-time code of the address, `/#code=CODE`, for a cookie. Answers `LoginAnswer`, or 401
 * `bad-code`. Without the cookie, every other route answers 401 `signed-out`.
 */
export interface LoginRequest {
  readonly code: string;
}

export interface LoginAnswer {
  /**
   * Stands in place of `/api` in the address of every other route: "/api/Jx3…" + "/overview". The page keeps it in
   * localStorage. The cookie is bound to this path, because browsers send cookies of 127.0.0.1 to every port, and a
   * hostile server on another port must not get it.
   */
  readonly api: string;
}

/** `GET /api/overview`: everything that the page "Now" and the side bar show. */
export interface Overview {
  readonly version: string;
  /** Workspaces with recorded calls, the latest activity first. */
  readonly workspaces: readonly WorkspaceInfo[];
  /** Pending approvals of all workspaces, oldest first. */
  readonly approvals: readonly PendingQuestion[];
  /** Open sessions of all workspaces: agents and clients. */
  readonly sessions: readonly SessionSummary[];
  /** Running calls of all workspaces, oldest first. */
  readonly running: readonly CallSummary[];
  /** Entries that were held back in all workspaces and wait for the user, latest first. */
  readonly heldBack: readonly HeldBackEntry[];
}

export interface HeldBackEntry {
  readonly workspace: string;
  /** The user allows it with `toolcrib quarantine allow ID`. */
  readonly id: string;
  /** Relative to the workspace. */
  readonly path: string;
  readonly heldAt: number;
  readonly isAllowed: boolean;
  /** The rule by which commands may write the path. */
  readonly rule: string;
}

export interface WorkspaceInfo {
  /** The name of its folder in the state directory; the `workspace` of every request. */
  readonly id: string;
  /** The real path, or the name of a target; null when its journal does not say. */
  readonly path: string | null;
  /** False when the folder no longer exists. Always true on a target. */
  readonly exists: boolean;
  readonly lastAt: number;
  readonly calls: number;
}

/** The program that made a call. */
export interface ClientName {
  readonly kind: "cli" | "chat" | "run" | "acp" | "mcp" | "library" | "console";
  readonly name: string | null;
  readonly version: string | null;
}

export interface PendingQuestion {
  readonly id: string;
  readonly workspace: string;
  readonly session: string;
  readonly client: ClientName | null;
  /** The subagent that asks. */
  readonly agent: string | null;
  /** The machine of the workspace: "local", or a name such as `ssh:host:/srv/app`. */
  readonly target: string;
  readonly askedAt: number;
  readonly tool: string;
  /** One line: the command, the path, or the arguments. */
  readonly title: string;
  readonly reason: string;
  /** How many equal calls wait for the answer now, which counts for all; 0 when the call may be made again. */
  readonly waiting: number;
  /** The question, as every program shows it. */
  readonly view: ApprovalView;
  /** The expected changes, when they are a diff, in place of the part "Changes" of the view. */
  readonly files: readonly FileDiff[];
  /** How many of the latest recorded questions the rules of each "always" would have answered; empty until it is known. */
  readonly saved: readonly number[];
  /** Identifies the call and all that was shown. An answer must repeat it. */
  readonly shown: string;
  /** True when it was answered and the client has not used the answer yet. */
  readonly isAnswered: boolean;
}

/** `POST /api/approvals/answer`. Answers 409 `stale` when what was shown is not what is pending now. */
export interface AnswerRequest {
  readonly workspace: string;
  readonly id: string;
  readonly shown: string;
  readonly answer: ApprovalChoice["id"];
  /** For "no": a message to the model. */
  readonly message?: string;
}

/** One row of the trace. */
export interface CallSummary {
  readonly workspace: string;
  readonly callId: string;
  /** Grows with every call of its workspace. */
  readonly sequence: number;
  readonly session: string;
  readonly client: ClientName | null;
  /** The machine of the workspace: "local", or a name such as `ssh:host:/srv/app`. */
  readonly target: string;
  readonly tool: string;
  /** One line: the command, the path, or the arguments. */
  readonly title: string;
  /** The call of the script that made this call. */
  readonly parent: string | null;
  readonly startedAt: number;
  readonly durationMs: number | null;
  /** "ok", "failed" (the command failed), an error code, "running", or "interrupted". */
  readonly state: string;
  /** The first line of the failure. */
  readonly message: string | null;
  readonly verdict: "allow" | "ask" | "deny" | null;
  readonly files: { readonly created: number; readonly changed: number; readonly removed: number };
  /** How much of its changes can be undone; null when it changed nothing. */
  readonly undoable: "whole" | "part" | "none" | "undone" | null;
  /** How many entries were held back while it ran commands. */
  readonly heldBack: number;
}

/** `GET /api/calls?…`: every parameter is optional. */
export interface CallQuery {
  /** Default: all workspaces. */
  readonly workspace?: string;
  readonly tool?: string;
  /** A kind ("mcp") or a name ("claude-code"). */
  readonly client?: string;
  readonly session?: string;
  readonly target?: string;
  readonly verdict?: string;
  readonly failed?: "1";
  readonly changing?: "1";
  /** A path, or the beginning of one. */
  readonly path?: string;
  /** Words of the tool, title, message or input. */
  readonly text?: string;
  /** The `next` of the page before. */
  readonly before?: string;
  /** Default: 100; at most 500. */
  readonly limit?: string;
}

export interface CallPage {
  /** Newest first. */
  readonly calls: readonly CallSummary[];
  /** For the next page; null at the end. */
  readonly next: string | null;
  /** How many calls match; null when counting would take too long. */
  readonly total: number | null;
}

/** `GET /api/calls/:workspace/:call`. */
export interface CallDetail extends CallSummary {
  readonly input: unknown;
  readonly accesses: readonly ToolAccess[];
  readonly decision: DecisionRecord | null;
  readonly sandbox: SandboxLevel | null;
  readonly notCovered: readonly string[];
  readonly heldEntries: readonly HeldBackEntry[];
  readonly hint: string | null;
  readonly changed: readonly FileDiff[];
  /** The first page of the stored output; null when none is stored. */
  readonly output: OutputPage | null;
  /** The undo that reverted it, and the calls that it reverted, when it is an undo itself. */
  readonly undoneBy: string | null;
  readonly undid: readonly string[];
  /** The calls that a script made, in order. */
  readonly made: readonly CallSummary[];
}

/** `GET /api/outputs/:workspace/:handle?offset=N`: a part of a stored output, with its escape sequences. */
export interface OutputPage {
  readonly handle: string;
  readonly text: string;
  readonly offset: number;
  readonly bytes: number;
  /** The offset of the next part; null at the end. */
  readonly next: number | null;
}

export interface FileDiff {
  readonly path: string;
  readonly kind: "created" | "changed" | "removed" | "moved";
  readonly movedFrom: string | null;
  /** A line in place of hunks: binary files, directories, links, files that must not be read. */
  readonly note: string | null;
  readonly hunks: readonly Hunk[];
}

export interface Hunk {
  /** Its number in the file, for an undo of this hunk. */
  readonly number: number;
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: readonly DiffLine[];
}

export interface DiffLine {
  readonly kind: " " | "+" | "-";
  readonly text: string;
  /** Highlighted ranges of `text`, in order: start, end, and a class such as "keyword". */
  readonly spans?: readonly (readonly [number, number, string])[];
}

/** `POST /api/undo`. With `dryRun` nothing changes, and the answer shows what would. */
export interface UndoRequest {
  readonly workspace: string;
  /** Exactly one of these three. `redo` redoes the latest undo. */
  readonly calls?: readonly string[];
  readonly session?: string;
  readonly redo?: true;
  readonly paths?: readonly string[];
  /** Needs one call and one path. */
  readonly hunk?: number;
  /** Undoes changes in files that were changed since, when they do not overlap. */
  readonly merge?: boolean;
  /** Leaves out files that were changed since. */
  readonly skipChanged?: boolean;
  readonly dryRun: boolean;
}

export interface UndoResult {
  /** The call that undid them; null for a dry run. */
  readonly callId: string | null;
  readonly calls: readonly string[];
  readonly files: readonly FileDiff[];
  readonly notes: readonly string[];
  readonly leftAlone: readonly string[];
  /** Commits since then that contain some of these changes. */
  readonly commits: readonly { readonly hash: string; readonly subject: string }[];
}

/**
 * `GET /api/sessions?workspace=ID&before=CURSOR&all=1`: recorded sessions of one workspace (default: all), the latest
 * first. Without `all`, single calls of the command line and undos of a console are left out.
 */
export interface SessionPage {
  readonly sessions: readonly SessionSummary[];
  readonly next: string | null;
}

export interface SessionSummary {
  readonly workspace: string;
  readonly session: string;
  readonly client: ClientName | null;
  readonly openedAt: number;
  readonly lastAt: number;
  readonly state: "open" | "closed" | "died";
  /** The activity of the agent, when it can be reached; null for other clients and closed sessions. */
  readonly live: "idle" | "processing" | "awaiting" | null;
  readonly pid: number | null;
  readonly calls: number;
  /** The first message of the user; null for clients without a recorded conversation. */
  readonly title: string | null;
  readonly model: string | null;
  /** In US dollars; null when unknown. */
  readonly cost: number | null;
  readonly turns: number;
  /** The session that it was forked from; null when it was not. */
  readonly parent: string | null;
  /** True when the page can steer, interrupt and end it. */
  readonly canSteer: boolean;
}

/** `GET /api/sessions/:workspace/:session`. */
export interface SessionDetail extends SessionSummary {
  readonly entries: readonly SessionItem[];
  readonly plan: readonly { readonly text: string; readonly state: "pending" | "active" | "done" }[];
  readonly usage: readonly UsagePoint[];
  readonly agents: readonly AgentItem[];
}

/** One item of a conversation, in order. */
export type SessionItem =
  | { readonly type: "user"; readonly turn: number; readonly at: number; readonly text: string }
  | { readonly type: "model"; readonly turn: number; readonly at: number; readonly text: string }
  | { readonly type: "reasoning"; readonly turn: number; readonly at: number; readonly text: string }
  | {
      readonly type: "call";
      readonly turn: number;
      readonly at: number;
      /** The id in the journal, for the details; null when the call was never made. */
      readonly callId: string | null;
      readonly tool: string;
      readonly title: string;
      readonly state: string;
      readonly agent: string | null;
    }
  | { readonly type: "notice"; readonly turn: number; readonly at: number; readonly text: string };

export interface UsagePoint {
  readonly at: number;
  readonly turn: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** In US dollars, of the session so far; null when unknown. */
  readonly cost: number | null;
}

/** A subagent, with the subagents that it started. */
export interface AgentItem {
  readonly id: string;
  readonly task: string;
  /** "interrupted": the process of its session ended before it answered. */
  readonly state: "running" | "completed" | "failed" | "closed" | "interrupted";
  readonly agents: readonly AgentItem[];
}

/** `POST /api/sessions/start`: starts `toolcrib run` in a process of its own. Answers with the session. */
export interface StartRequest {
  readonly workspace: string;
  readonly task: string;
  readonly model?: string;
  readonly mode?: string;
}

/** The answer to `start` and `act`: the session that was started, steered or forked. */
export interface SessionAnswer {
  readonly workspace: string;
  readonly session: string;
}

/**
 * `POST /api/sessions/act`. `message` to a closed session resumes it.
 * `GET /api/sessions/:workspace/:session/export` downloads the conversation as Markdown.
 */
export interface SessionAction {
  readonly workspace: string;
  readonly session: string;
  readonly action: "message" | "interrupt" | "stop" | "fork";
  readonly text?: string;
  /** For "fork": after this turn; default: the last. */
  readonly turn?: number;
}

/** `GET /api/rules?workspace=ID`. */
export interface RulesReport {
  readonly mode: string;
  readonly sources: readonly {
    readonly level: string;
    readonly name: string;
    readonly rules: readonly {
      readonly line: number;
      readonly text: string;
      readonly ignored: string | null;
    }[];
  }[];
  readonly grants: readonly GrantItem[];
}

export interface GrantItem {
  readonly line: number;
  readonly rules: readonly string[];
  readonly grantedAt: number | null;
  readonly askedBy: string | null;
}

/** `POST /api/rules/explain`. `call` is written as for `toolcrib policy explain`: "run npm test". */
export interface ExplainRequest {
  readonly workspace: string;
  readonly call: string;
}

export interface Explanation {
  readonly verdict: "allow" | "ask" | "deny";
  readonly risk: string;
  readonly reason: string;
  readonly rule: string;
  readonly source: string;
  readonly parts: readonly {
    readonly verdict: string;
    readonly kind: string;
    readonly what: string;
    readonly reason: string;
    readonly rule: string | null;
  }[];
}

/** `POST /api/rules/try`: replays recorded calls with these rules added, and changes nothing. */
export interface TryRulesRequest {
  readonly workspace: string;
  readonly rules: readonly string[];
}

export interface TryRulesResult {
  readonly calls: number;
  /** Calls whose verdict would change, newest first, at most 200. */
  readonly changed: readonly {
    readonly callId: string;
    readonly tool: string;
    readonly title: string;
    readonly before: string;
    readonly after: string;
    readonly reason: string;
  }[];
}

/** `POST /api/rules/add` and `POST /api/rules/revoke`, which names grants by line and by their exact rules. */
export interface AddRulesRequest {
  readonly workspace: string;
  readonly rules: readonly string[];
}

export interface RevokeRequest {
  readonly workspace: string;
  readonly grants: readonly Pick<GrantItem, "line" | "rules">[];
}

/** `GET /api/health?workspace=ID`. */
export interface HealthReport {
  readonly findings: readonly {
    readonly about: string;
    readonly state: "ok" | "warning" | "problem";
    readonly message: string;
    readonly hint: string | null;
  }[];
  readonly verdict: string;
  readonly disk: readonly { readonly name: string; readonly bytes: number }[];
  readonly index: string | null;
}

/** `POST /api/health/verify { workspace }`: checks the hash chain of the journal. */
export interface VerifyResult {
  readonly isIntact: boolean;
  readonly records: number;
  readonly head: string;
  readonly faults: readonly string[];
}

/** `GET /api/fleets`: the fleets of this machine, or of the database that the console was started with. */
export interface FleetOverview {
  /** The newest first. */
  readonly fleets: readonly FleetSummary[];
  readonly workers: readonly {
    readonly id: string;
    readonly host: string;
    readonly pid: number;
    readonly slots: number;
    readonly seenAt: number;
    readonly isDraining: boolean;
  }[];
  /** Providers with open requests or a pause. */
  readonly lanes: readonly {
    readonly lane: string;
    readonly inFlight: number;
    readonly pausedUntil: number;
  }[];
  /** The clock of the server, to which the times of workers and lanes are compared. */
  readonly now: number;
}

type RunStateName = "waiting" | "running" | "parked" | "ended";
type RunOutcomeName = "solved" | "unsolved" | "infrastructure" | "budget" | "cancelled";

export interface FleetSummary {
  readonly name: string;
  readonly states: Readonly<Record<RunStateName, number>>;
  readonly outcomes: Readonly<Record<RunOutcomeName, number>>;
  readonly createdAt: number;
  /** In US dollars. */
  readonly spent: number;
  readonly budget: number | null;
  /** Milliseconds until the last run ends at the present rate; null when it cannot be said yet. */
  readonly remainingMs: number | null;
}

/** `GET /api/fleets/:fleet/runs?…`: every parameter is optional. */
export interface RunQuery {
  /** A state or an outcome. */
  readonly show?: string;
  /** A part of the task or the reason. */
  readonly text?: string;
  /** Default: 0. */
  readonly offset?: string;
  /** Default: 200; at most 500. */
  readonly limit?: string;
}

export interface RunPage {
  /** In the order of their submission. */
  readonly runs: readonly RunSummary[];
  readonly offset: number;
  /** How many runs match. */
  readonly total: number;
}

export interface RunSummary {
  readonly id: string;
  readonly task: string;
  readonly model: string;
  readonly state: RunStateName;
  readonly outcome: RunOutcomeName | null;
  readonly isCancelled: boolean;
  /** Whether its task was edited since, so that another run counts. */
  readonly isSuperseded: boolean;
  readonly reason: string | null;
  readonly deliveries: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** In US dollars; null when it has not ended or a price is unknown. */
  readonly cost: number | null;
  /** Time of work, of ended runs. */
  readonly workMs: number | null;
}

/** `GET /api/fleets/:fleet/runs/:run`. */
export interface RunDetail extends RunSummary {
  readonly prompt: string;
  readonly repository: string | null;
  readonly revision: string | null;
  readonly worker: string | null;
  readonly notBefore: number;
  /** Below: null, or empty, until the run has ended. */
  readonly answer: string | null;
  readonly rounds: number | null;
  readonly calls: number | null;
  readonly tokens: { readonly input: number; readonly output: number } | null;
  readonly check: { readonly exitCode: number | null; readonly output: string } | null;
  readonly changed: readonly FileDiff[];
  /** Why the patch is not shown here; null when it is, or when there is none. */
  readonly patchNote: string | null;
  /** The folder or address of its artifacts. */
  readonly artifacts: string | null;
  /** The files that `GET /api/fleets/:fleet/runs/:run/artifacts/:name` downloads. */
  readonly downloads: readonly string[];
  /** Whether the run has a session, for `GET /api/fleets/:fleet/runs/:run/session`. */
  readonly hasSession: boolean;
}

/** `GET /api/fleets/:fleet/runs/:run/session`: the conversation of a run that has begun. */
export interface RunSession {
  readonly entries: readonly SessionItem[];
}

/** `POST /api/fleets/act`. Cancels runs that have not ended, or makes ended ones wait again. Answers `FleetAnswer`. */
export interface FleetAction {
  readonly fleet: string;
  readonly action: "cancel" | "retry";
  /** Default: all. */
  readonly runs?: readonly string[];
  /** For "retry": only these outcomes. */
  readonly outcomes?: readonly RunOutcomeName[];
}

export interface FleetAnswer {
  readonly count: number;
}

/** Every failed request: a status of 400 or more and this body. */
export interface ApiFailure {
  readonly error: { readonly code: string; readonly message: string; readonly hint: string | null };
}

/**
 * `GET /api/events`: server-sent events. The id of each is a cursor over all journals; a browser that reconnects sends it
 * as `Last-Event-ID` and misses nothing. Events have no name; their data is one `ConsoleEvent` as JSON. With
 * `?session=WORKSPACE/SESSION`, the stream also has the live events of that session.
 */
export type ConsoleEvent =
  /** The first event of a stream, and whenever workspaces, questions, sessions or running calls changed. */
  | { readonly type: "overview"; readonly overview: Overview }
  /** Calls that began or ended. */
  | { readonly type: "calls"; readonly calls: readonly CallSummary[] }
  /** The stream cannot resume at the given id: load everything that is shown again. */
  | { readonly type: "missed" }
  /** The activity of a live session, for the page that shows it; see `?session=`. */
  | {
      readonly type: "session";
      readonly workspace: string;
      readonly session: string;
      readonly live: LiveEvent;
    };

/** A part of what an agent does at this moment. Recorded items replace it: see `SessionDetail`. */
export type LiveEvent =
  | { readonly type: "state"; readonly state: "idle" | "processing" | "awaiting" | "closed" }
  | { readonly type: "text"; readonly id: string; readonly text: string }
  | { readonly type: "output"; readonly id: string; readonly text: string }
  /** New items were recorded: load the session again. */
  | { readonly type: "recorded" };
