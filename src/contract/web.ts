/** One exchange by HTTP. Redirects are answers like any other: who follows them asks again. */
export interface WebRequest {
  /** http or https, without user and password. */
  readonly url: URL;
  readonly method?: "GET" | "POST" | undefined;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  /** Of the body after its compression is undone: what is more is not read, and the answer says so. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Where to connect to instead of the host, if that may be connected to as well: to a process of ours, for example. */
  readonly at?: { readonly host: string; readonly port: number } | undefined;
  /** Told how much has come. */
  readonly progress?: ((bytes: number, total: number | undefined) => void) | undefined;
  /** Whether a host or an address may be connected to; decided for the call, whatever the caller says here. */
  readonly mayConnect?: ((host: string, port: number, name?: string) => boolean) | undefined;
}

export interface WebAnswer {
  readonly status: number;
  /** Names in lower case; several of one name are joined by ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** There was more than `maxBytes`. */
  readonly isCut: boolean;
}

/** What was fetched in this room, so that it is only asked for again if it has changed. Bounded. */
export interface PageMemory {
  get(url: string): KeptPage | undefined;
  keep(url: string, page: KeptPage): void;
  forget(url: string): void;
}

export interface KeptPage {
  /** When it was last known to be current, in milliseconds since 1970. */
  readonly checkedMs: number;
  readonly answer: WebAnswer;
}
