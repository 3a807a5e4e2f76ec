/** One server as people write it in `mcp.json`; "${NAME}" and "${NAME:-else}" stand for environment variables. */
export interface ServerConfiguration {
  /** The program of a server that is started here, and talked to by its input and output. */
  readonly command?: string;
  readonly args?: readonly string[];
  /** Beside the few variables that every program gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Relative to the workspace; that itself if not said. For servers of the person's own file the file's directory. */
  readonly cwd?: string;
  /** Not started unless these files in the workspace have this content: SHA-256 by path. */
  readonly files?: Readonly<Record<string, string>>;
  readonly type?: "stdio" | "http" | "streamable-http";
  /** Of a server that runs elsewhere. */
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long one call may take; a minute if not said. */
  readonly timeoutMs?: number;
  /** How long it may take to tell its tools; half a minute if not said. */
  readonly startTimeoutMs?: number;
  /** Only these of its tools, by name or pattern (`get_*`). */
  readonly tools?: readonly string[];
  readonly disabled?: boolean;
  /** Which era of the protocol: the one before 2026 on stdio, whichever it knows by HTTP, if not said. */
  readonly protocol?: "2025" | "2026" | "auto";
  /** Believe it when it says that a tool only reads. Counts in the person's own file only. */
  readonly trustAnnotations?: boolean;
  /** Tell it the workspace when it asks for its roots; yes if not said. */
  readonly roots?: boolean;
}
