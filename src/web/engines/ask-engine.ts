import type { Environment } from "../../contract/environment.ts";
import { type ErrorCode, ToolError } from "../../contract/error.ts";
import type { WebAnswer } from "../../contract/web.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { agentName, whenToRetry } from "../headers.ts";
import {
  type Engine,
  type Explanation,
  type FoundPage,
  fetchInstead,
  parseJson,
  type SearchQuestion,
  type SearchResult,
  textOf,
  valueAt,
} from "./engine.ts";

export interface FoundResults {
  readonly results: readonly SearchResult[];
  /** The number of results of this page that are not shown. */
  readonly more: number;
  readonly notes: readonly string[];
}

/** Sends one request. Throws `unavailable`, `denied` or `invalid-input` when it fails. */
export async function askEngine(
  engine: Engine,
  question: SearchQuestion,
  { environment, signal }: { readonly environment: Environment; readonly signal: AbortSignal },
): Promise<FoundResults> {
  if (environment.exchange === undefined)
    throw new ToolError("unavailable", "This environment has no network access", {
      hint: "Continue without the search.",
      forUser: { hint: "Use a local environment to search the web." },
    });
  const { headers, ...request } = engine.request(question);
  const received = await environment.exchange({
    ...request,
    headers: { "user-agent": agentName, ...headers },
    maxBytes,
    signal,
  });
  const answer = withoutKey(received, engine.key);
  if (answer.status !== 200) throw failure(engine, answer);
  const { results: found, notes } = engine.read(answer, question);
  const results = distinct(found.flatMap(resultOf));
  return {
    results: results.slice(0, question.limit),
    more: Math.max(0, results.length - question.limit),
    notes,
  };
}

const maxBytes = 5_000_000;

function failure(engine: Engine, answer: WebAnswer): ToolError {
  const { status, headers } = answer;
  const explained = engine.explain?.(answer);
  const { code, what, hint, hintForUser }: Meaning = explained
    ? { code: "unavailable", ...explained }
    : meaningOf(status, headers, engine);
  return new ToolError(code, `${engine.name} answered ${status}: ${what}${detailOf(answer)}`, {
    hint,
    forUser: hintForUser === undefined ? undefined : { hint: hintForUser },
  });
}

/** Describes the meaning of an HTTP status, with a hint. */
export interface Meaning extends Explanation {
  readonly code: ErrorCode;
}

function meaningOf(status: number, headers: WebAnswer["headers"], { key }: Engine): Meaning {
  if ((status === 401 || status === 403) && key !== undefined)
    return {
      code: "unavailable",
      what: "it rejected the key",
      hint: fetchInstead,
      hintForUser:
        "Set a valid key in BRAVE_API_KEY or TAVILY_API_KEY, or another engine in TOOLCRIB_SEARCH.",
    };
  if (status === 429)
    return {
      code: "unavailable",
      what: "too many requests",
      hint: `Try again ${whenToRetry(headers["retry-after"]) ?? "in a while"}.`,
    };
  if (status >= 300 && status < 400) {
    const target = briefly(headers.location ?? "another address");
    return {
      code: "unavailable",
      what: `it has moved to ${target}`,
      hint: fetchInstead,
      hintForUser: "Set that address in TOOLCRIB_SEARCH if it is the same engine.",
    };
  }
  if (status === 400 || status === 422)
    return {
      code: "invalid-input",
      what: "it cannot parse this query",
      hint: "Use fewer and simpler words.",
    };
  return {
    code: "unavailable",
    what: "it is not available now",
    hint: "Try again later, or fetch pages whose URL you know with web.fetch.",
    hintForUser: "Try again later, or set another engine in TOOLCRIB_SEARCH.",
  };
}

function detailOf(answer: WebAnswer): string {
  const json = parseJson(answer);
  const places = [["error", "detail"], ["detail", "error"], ["detail"], ["error"], ["message"]];
  const detail = places.map((path) => valueAt(json, path)).find((value) => typeof value === "string");
  return oneLine(detail) === "" ? "" : ` (${briefly(oneLine(detail))})`;
}

function briefly(text: string): string {
  return printableLine(text.slice(0, 200));
}

/** Returns an empty list for a result without a web address. */
function resultOf({ title, url, snippet, date }: FoundPage): readonly SearchResult[] {
  const target = typeof url === "string" ? URL.parse(url) : null;
  if (target === null || !/^https?:$/.test(target.protocol) || target.href.length > mostUrl) return [];
  return [
    {
      title: oneLine(title).slice(0, mostTitle) || target.host,
      url: target.href,
      snippet: oneLine(snippet).slice(0, mostSnippet),
      date: dayOf(date),
    },
  ];
}

// Longer texts are cut or dropped, so that one result does not displace the others.
const mostUrl = 2000;
const mostTitle = 300;
const mostSnippet = 10_000;

/** Keeps the first of several results for one page. */
function distinct(results: readonly SearchResult[]): readonly SearchResult[] {
  return [
    ...new Map(results.toReversed().map((result) => [result.url, result] as const)).values(),
  ].toReversed();
}

function oneLine(text: unknown): string {
  return typeof text === "string" ? text.replace(/\s+/g, " ").trim() : "";
}

function dayOf(date: unknown): string | undefined {
  if (typeof date !== "string") return undefined;
  const day = /^\d{4}-\d\d-\d\d/.exec(date)?.[0];
  if (day !== undefined) return day;
  const time = Date.parse(date);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString().slice(0, 10);
}

/** Removes the key, plain or escaped, so that neither results nor errors show it. */
function withoutKey(answer: WebAnswer, key: string | undefined): WebAnswer {
  // A shorter key could be part of an ordinary word.
  if (key === undefined || key.length < 8) return answer;
  const spellings = new Set([key, encodeURIComponent(key), inJson(key), inJson(key).replaceAll("/", "\\/")]);
  const clear = (text: string) =>
    [...spellings].reduce((left, spelling) => left.replaceAll(spelling, "…"), text);
  const headers = Object.entries(answer.headers).map(([name, value]) => [name, clear(value)]);
  const text = textOf(answer.body);
  const cleared = clear(text);
  const body = cleared === text ? answer.body : new TextEncoder().encode(cleared);
  return { ...answer, headers: Object.fromEntries(headers), body };
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
