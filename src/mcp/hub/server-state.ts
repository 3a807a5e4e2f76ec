/** How one server is, for people. */
export interface ServerState {
  readonly name: string;
  readonly state: "waiting" | "starting" | "ready" | "restarting" | "failed" | "closed";
  readonly reach: "stdio" | "http";
  /** How many are on offer. */
  readonly tools: number;
  /** What it calls itself. */
  readonly version: string | undefined;
  /** The revision of the protocol that is spoken. */
  readonly protocol: string | undefined;
  readonly pid: number | undefined;
  /** Why it is not ready, or what had to be left out, a sentence each. */
  readonly problems: readonly string[];
  /** The last lines of its standard error. */
  readonly said: readonly string[];
  /** Lines of its output that were no messages. */
  readonly junkLines: number;
}
