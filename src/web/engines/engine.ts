import { ToolError } from "../../contract/error.ts";
import type { WebAnswer, WebRequest } from "../../contract/web.ts";
import { isRecord } from "../../lib/json/is-record.ts";

export interface SearchQuestion {
  readonly query: string;
  /** Maximum number of results on one page. */
  readonly limit: number;
  /** From 1. */
  readonly page: number;
}

export interface SearchResult {
  readonly title: string;
  readonly url: string;
  /** Plain text. */
  readonly snippet: string;
  /** When it was published or changed: 2026-11-15. */
  readonly date: string | undefined;
}

interface FoundPages {
  readonly results: readonly FoundPage[];
  readonly notes: readonly string[];
}

/** A result before it is checked. */
export type FoundPage = { readonly [Field in keyof SearchResult]?: unknown };

/** A search engine: builds requests and reads answers. Pure. */
export interface Engine {
  /** "Brave Search". */
  readonly name: string;
  readonly url: URL;
  /** Never shown: error messages are cleared of it. */
  readonly key?: string | undefined;
  request(question: SearchQuestion): Pick<WebRequest, "url" | "method" | "headers" | "body">;
  /** Reads an answer with status 200. Throws ToolError when it has no list of results. */
  read(answer: WebAnswer, question: SearchQuestion): FoundPages;
  /** Explains any other status; undefined when the status has its usual meaning. */
  explain?(answer: WebAnswer): { readonly what: string; readonly hint: string } | undefined;
}

/** The list of objects at a path of a JSON answer. Throws when there is none. */
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

/** The error for a changed engine, or for another server at its address. */
export function unknownForm(engine: string, why: string): ToolError {
  return new ToolError("unavailable", `${engine} returned an unreadable answer: it ${why}`, {
    hint: "Check the address in TOOLCRIB_SEARCH, or set another engine there.",
  });
}
