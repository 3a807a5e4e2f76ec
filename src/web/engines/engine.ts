import { ToolError } from "../../contract/error.ts";
import type { WebAnswer, WebRequest } from "../../contract/web.ts";
import { isRecord } from "../../lib/json/is-record.ts";

export interface SearchQuestion {
  readonly query: string;
  /** How many results at most, on one page. */
  readonly limit: number;
  /** From 1. */
  readonly page: number;
}

export interface SearchResult {
  readonly title: string;
  readonly url: string;
  /** Plain text. */
  readonly snippet: string;
  /** When it was published or changed: 2026-11-15; undefined where the engine does not say. */
  readonly date: string | undefined;
}

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
  readonly url: URL;
  /** Never shown: error messages are cleared of it. */
  readonly key?: string | undefined;
  request(question: SearchQuestion): Pick<WebRequest, "url" | "method" | "headers" | "body">;
  /** Of an answer with status 200. Throws ToolError for what is no list of results. */
  read(answer: WebAnswer, question: SearchQuestion): FoundPages;
  /** What an answer with another status means; undefined where it means what it means everywhere. */
  explain?(answer: WebAnswer): { readonly what: string; readonly hint: string } | undefined;
}

/** The list of objects at a place of an answer in JSON. Throws where there is none. */
export function listAt(answer: WebAnswer, path: readonly string[], engine: string): readonly JsonObject[] {
  const found = valueAt(parseJson(answer), path);
  if (Array.isArray(found)) return found.filter(isRecord);
  throw unknownForm(engine, `has no list at ${path.join(".")}`);
}

type JsonObject = Readonly<Record<string, unknown>>;

/** What stands at a place of an answer in JSON; undefined where there is nothing. */
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

/** An engine that has changed, or something else that answers in its place. */
export function unknownForm(engine: string, why: string): ToolError {
  return new ToolError("unavailable", `${engine} gave an answer that cannot be read: it ${why}`, {
    hint: "Check the address in TOOLCRIB_SEARCH, or set another engine there.",
  });
}
