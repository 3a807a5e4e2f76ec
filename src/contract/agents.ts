/**
 * Other agents that work for the one who calls, each on a task of its own. They have no tool that the room has not, and
 * their calls pass the same counter. Who gives them to a room ends them.
 */
export interface Agents {
  /** Starts one; it works beside the calls. */
  spawn(task: AgentTask, signal: AbortSignal): Promise<AgentStatus>;
  /** Tells it something: as it works, or to go on after it has answered. `not-found` for an agent nobody knows. */
  send(id: string, message: string): Promise<AgentStatus>;
  /** Settles when it has answered or failed, and at the latest after `timeoutMs`; then it is still running. */
  wait(
    id: string,
    options: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<AgentStatus>;
  /** Ends it. May be called twice. */
  close(id: string): Promise<AgentStatus>;
}

export interface AgentTask {
  readonly task: string;
  /** Where it works: in the workspace. */
  readonly cwd?: string | undefined;
  readonly model?: string | undefined;
  /** How often it may ask its model for one answer; it fails when it has given none by then. */
  readonly maxTurns?: number | undefined;
}

export interface AgentStatus {
  readonly id: string;
  readonly state: "running" | "completed" | "failed" | "closed";
  /** How often it has asked its model. */
  readonly turns: number;
  /** What it answered, or why it failed; empty while it runs. */
  readonly output: string;
}
