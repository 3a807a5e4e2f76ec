export interface SessionLimits {
  /** More clients at once take the place of the one that was idle the longest. */
  readonly maxSessions: number;
  /** A session that nobody has used for this long is ended. */
  readonly idleMs: number;
  readonly maxBodyBytes: number;
}
