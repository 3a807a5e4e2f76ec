/** One HTTP request. Redirects are not followed. */
export interface WebRequest {
  /** http or https, without user and password. */
  readonly url: URL;
  readonly method?: "GET" | "POST" | undefined;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  /** Limit of the decompressed body; the rest is not read. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Set when only servers of the commands here, or on the internet, may answer: no other server of this machine. */
  readonly isFromInside?: boolean | undefined;
  /** Called with the bytes received so far. */
  readonly progress?: ((bytes: number, total: number | undefined) => void) | undefined;
  /** Whether the request may connect to a host or address. The pipeline sets it, whatever the caller passes. */
  readonly mayConnect?:
    | ((host: string, port: number, name?: string) => boolean | Promise<boolean>)
    | undefined;
}

export interface WebAnswer {
  readonly status: number;
  /** Names in lower case; repeated headers are joined by ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Whether the body was longer than `maxBytes`. */
  readonly isCut: boolean;
  /** Set when a server that a command here runs has answered, which needs no rule. */
  readonly isFromInside?: boolean | undefined;
}

/** Caches fetched pages, within bounds, so that they are only fetched again when changed. */
export interface PageMemory {
  get(url: string): CachedPage | undefined;
  keep(url: string, page: CachedPage): void;
  forget(url: string): void;
}

export interface CachedPage {
  /** When it was last confirmed to be current, in milliseconds since 1970. */
  readonly checkedMs: number;
  readonly answer: WebAnswer;
}
