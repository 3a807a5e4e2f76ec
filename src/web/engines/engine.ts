import { ToolError } from "../../contract/error.ts";
import type { WebAnswer, WebRequest } from "../../contract/web.ts";
import { isRecord } from "../../lib/json/is-record.ts";

export interface SearchQuestion {
  readonly query: string;
  /** The maximum number of results on one page. */
  readonly limit: number;
  /** The page number, from 1. */
  readonly page: number;
}

export interface SearchResult {
  readonly title: string;
  readonly url: string;
  /** The snippet as plain text. */
  readonly snippet: string;
  /** The date of publication or change: 2026-11-15. */
  readonly date: string | undefined;
}

interface FoundPages {
  readonly results: readonly FoundPage[];
  readonly notes: readonly string[];
}

/** A result before it is checked. */
export type FoundPage = { readonly [Field in keyof SearchResult]?: unknown };

/** A search engine, which builds requests and reads answers. It sends nothing itself. */
export interface Engine {
  /** The engine's name: "Brave Search". */
  readonly name: string;
  readonly url: URL;
  /** The API key, which is removed from results and errors. */
  readonly key?: string | undefined;
  request(question: SearchQuestion): Pick<WebRequest, "url" | "method" | "headers" | "body">;
  /** Reads an answer with status 200. Throws ToolError when it has no list of results. */
  read(answer: WebAnswer, question: SearchQuestion): FoundPages;
  /** Explains any other status; undefined when the status has its usual meaning. */
  explain?(answer: WebAnswer): Explanation | undefined;
}

/** Explains why an engine did not answer. */
export interface Explanation {
  readonly what: string;
  readonly hint: string;
  /** Replaces the hint for a user, who can change the settings. */
  readonly hintForUser?: string;
}

/** The hint for the model when only the user can make web search work. */
export const fetchInstead =
  "Fetch pages whose URL you know with web.fetch, or ask the user to fix the settings of web search.";

/** Returns the list of objects at a path of a JSON answer. Throws when there is none. */
export function listAt(answer: WebAnswer, path: readonly string[], engine: string): readonly JsonObject[] {
  const found = valueAt(parseJson(answer), path);
  if (Array.isArray(found)) return found.filter(isRecord);
  throw unknownForm(engine, `has no list at ${path.join(".")}`);
}

type JsonObject = Readonly<Record<string, unknown>>;

export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, name) => (isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined),
    value,
  );
}

export function parseJson({ body }: WebAnswer): unknown {
  try {
    return JSON.parse(textOf(body));
  } catch {
    return undefined;
  }
}

export function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body);
}

/** Returns the error for an engine whose answers have changed, or for another server at its address. */
export function unknownForm(engine: string, why: string): ToolError {
  return new ToolError("unavailable", `${engine} returned an unreadable response: it ${why}`, {
    hint: fetchInstead,
    forUser: { hint: "Check the address in TOOLCRIB_SEARCH, or set another engine there." },
  });
}
