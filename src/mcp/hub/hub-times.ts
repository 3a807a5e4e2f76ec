/** How long a hub waits for its servers, in milliseconds. */
export interface HubTimes {
  /** Before a server that ended is restarted; it doubles each time. Default: 1 s. */
  readonly restartMs: number;
  /** For a local server to exit by itself when it is closed, and then after SIGTERM. Default: 1 s. */
  readonly graceMs: number;
  /** For the exit of a local server whose input or output is broken. Default: 3 s. */
  readonly exitMs: number;
  /** Between two requests for the list of tools, and between two looks for a login. Default: 1 s. */
  readonly followMs: number;
}

export const usualTimes: HubTimes = { restartMs: 1_000, graceMs: 1_000, exitMs: 3_000, followMs: 1_000 };
