/** What a person has set up that tools need to know. */
export interface Settings {
  /** Who answers web.search; nobody if not said. */
  readonly search?: SearchSettings | UnusableSetting | undefined;
}

/** What was set up cannot be used: told to who asks for it. */
export interface UnusableSetting {
  /** "TOOLCRIB_SEARCH is …", in one sentence without a full stop. */
  readonly problem: string;
  readonly hint: string;
}

/** An engine, where it is, and what it wants to be paid with. */
export type SearchSettings =
  | { readonly engine: "searxng"; readonly url: string }
  | { readonly engine: "brave" | "tavily"; readonly key: string; readonly url?: string | undefined }
  | { readonly engine: "duckduckgo"; readonly url?: string | undefined };
