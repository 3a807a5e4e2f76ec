/**
 * Subagents of a caller. They have no tools beyond those of the instance, and their calls pass the same pipeline.
 * The program that passed them to `openToolcrib` closes them.
 */
export interface Agents {
  /** Starts a subagent, which runs in parallel. */
  spawn(task: AgentTask, signal: AbortSignal): Promise<AgentStatus>;
  /** Sends a subagent a message, while it works or after an answer. Throws `not-found` for an unknown id. */
  send(id: string, message: string): Promise<AgentStatus>;
  /** Resolves when a subagent has answered or failed, or after `timeoutMs`. */
  wait(
    id: string,
    options: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<AgentStatus>;
  /** Ends a subagent. May be called twice. */
  close(id: string): Promise<AgentStatus>;
}

export interface AgentTask {
  readonly task: string;
  /** A folder in the workspace. */
  readonly cwd?: string | undefined;
  readonly model?: string | undefined;
  /** Maximum number of model requests for one answer; above it the subagent fails. */
  readonly maxTurns?: number | undefined;
}

export interface AgentStatus {
  readonly id: string;
  readonly state: "running" | "completed" | "failed" | "closed";
  /** Requests to its model so far. */
  readonly turns: number;
  /** The answer, or why it failed; empty while it runs. */
  readonly output: string;
}
