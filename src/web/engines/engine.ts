import type { WebAnswer, WebRequest } from "../../contract/web.ts";

/** What is looked for. */
export interface SearchQuestion {
  readonly query: string;
  /** How many results at most, on one page. */
  readonly limit: number;
  /** From 1. */
  readonly page: number;
}

/** One page of the web. */
export interface SearchResult {
  readonly title: string;
  readonly url: string;
  /** Plain text. */
  readonly snippet: string;
  /** When it was published or changed: 2026-11-15; undefined where the engine does not say. */
  readonly date: string | undefined;
}

/** What an engine says. */
interface FoundPages {
  readonly results: readonly FoundPage[];
  /** What a reader should know, in sentences. */
  readonly notes: readonly string[];
}

/** A result as an engine gives it, before it is looked at. */
export type FoundPage = { readonly [Field in keyof SearchResult]?: unknown };

/** Who searches the web for us. Pure: what to ask, and what the answer says. */
export interface Engine {
  /** For people: "Brave Search". */
  readonly name: string;
  /** Where it is asked. */
  readonly url: URL;
  /** Never shown: error messages are cleared of it. */
  readonly key?: string | undefined;
  request(question: SearchQuestion): Pick<WebRequest, "url" | "method" | "headers" | "body">;
  /** Of an answer with status 200. Throws ToolError for what is no list of results. */
  read(answer: WebAnswer, question: SearchQuestion): FoundPages;
  /** What an answer with another status means; undefined where it means what it means everywhere. */
  explain?(answer: WebAnswer): { readonly what: string; readonly hint: string } | undefined;
}
