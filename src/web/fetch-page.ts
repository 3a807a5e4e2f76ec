import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import type { PageMemory, WebAnswer } from "../contract/web.ts";
import { isFresh, mayBeCached, renewed, validators } from "./freshness.ts";
import { agentName } from "./headers.ts";
import { faultOf, isNear } from "./parse-web-url.ts";

export interface FetchSurroundings {
  readonly environment: Environment;
  readonly pages: PageMemory;
  readonly signal: AbortSignal;
  readonly progress: (url: URL, bytes: number, total: number | undefined) => void;
}

export interface FetchOptions {
  readonly maxBytes: number;
  /** Whether to use the cached page, so that parts requested one after the other fit together. */
  readonly isContinued: boolean;
}

/** An answer that is not a redirect. */
export interface FetchedPage {
  readonly kind: "page";
  readonly url: URL;
  readonly answer: WebAnswer;
  /** The redirects that led there, in order. */
  readonly redirects: readonly URL[];
  /** Set when the page comes from the cache, without a request or unchanged after one. Milliseconds since 1970. */
  readonly memory?: { readonly kind: "remembered" | "unchanged"; readonly sinceMs: number } | undefined;
}

/** A redirect that was not followed. */
export interface UnfollowedRedirect {
  readonly kind: "unfollowed";
  readonly url: URL;
  readonly status: number;
  readonly redirects: readonly URL[];
  /** The target URL, absolute if it can be parsed. */
  readonly target: string;
  readonly canBeFetched: boolean;
  /** A clause that follows the target in the message: "which is not a public address". */
  readonly reason: string;
}

/**
 * Fetches a page and follows redirects to hosts that this call may connect to. To prevent SSRF, a public page cannot
 * redirect to an internal server, whatever the rules allow.
 */
export async function fetchPage(
  start: URL,
  options: FetchOptions,
  surroundings: FetchSurroundings,
): Promise<FetchedPage | UnfollowedRedirect> {
  const redirects: URL[] = [];
  let isFromInside = false;
  let found = await ask(start, start, options, surroundings);
  for (;;) {
    const { url, answer } = found;
    const location = redirectStatuses.has(answer.status) ? answer.headers.location : undefined;
    if (location === undefined) return { kind: "page", ...found, redirects };
    const target = faultOf(asText(location).trim(), url);
    const unfollowed = (reason: string): UnfollowedRedirect => ({
      kind: "unfollowed",
      url,
      status: answer.status,
      redirects,
      target: target instanceof URL ? target.href : location,
      canBeFetched: target instanceof URL,
      reason,
    });
    if (!(target instanceof URL)) return unfollowed(`which ${target.message}`);
    if (isNear(target) && !isNear(url)) return unfollowed("which is not a public address");
    // A server that a command runs must not lead to another server of this machine, whatever the rules allow.
    isFromInside ||= answer.isFromInside === true;
    refuseManyRedirects([...redirects, url], target);
    try {
      found = await ask(target, start, { ...options, isFromInside }, surroundings);
    } catch (error) {
      if (!(error instanceof ToolError && error.code === "denied")) throw error;
      return unfollowed(`which is not allowed (${error.message})`);
    }
    redirects.push(url);
  }
}

/** Decodes a header: some servers send unescaped UTF-8. */
function asText(header: string): string {
  const text = Buffer.from(header, "latin1").toString("utf8");
  return text.includes("\ufffd") ? header : text;
}

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const mostRedirects = 10;

function refuseManyRedirects(redirects: readonly URL[], target: URL): void {
  const chain = [...redirects, target].map(({ href }) =>
    href.length > 200 ? `${href.slice(0, 200)}…` : href,
  );
  const isCircle = redirects.some(({ href }) => href === target.href);
  if (!isCircle && redirects.length <= mostRedirects) return;
  const fault = isCircle ? "redirects in a circle" : `redirects more than ${mostRedirects} times`;
  throw new ToolError(
    "unavailable",
    `${chain[0]} ${fault}: ${chain.slice(1, 4).join(" → ")}${chain.length > 4 ? " → …" : ""}`,
    {
      hint: "Use another address: such pages often need cookies or a login, which are never sent.",
    },
  );
}

async function ask(
  url: URL,
  start: URL,
  { maxBytes, isContinued, isFromInside }: FetchOptions & Pick<WebAnswer, "isFromInside">,
  { environment, pages, signal, progress }: FetchSurroundings,
): Promise<Omit<FetchedPage, "kind" | "redirects">> {
  const cached = pages.get(url.href);
  const now = Date.now();
  // A redirect target is always requested, because the request checks whether the host is allowed.
  const holds =
    cached !== undefined && (isFresh(cached, now) || (isContinued && now - cached.checkedMs < continuedMs));
  if (holds && url === start)
    return { url, answer: cached.answer, memory: { kind: "remembered", sinceMs: cached.checkedMs } };
  if (environment.exchange === undefined) throw noNetwork();
  const headers = { ...ownHeaders, ...(cached && validators(cached.answer)) };
  const answer = await environment.exchange({
    url,
    headers,
    maxBytes,
    signal,
    isFromInside,
    progress: (bytes, total) => progress(url, bytes, total),
  });
  if (cached !== undefined && answer.status === 304) {
    const same = renewed(cached.answer, answer);
    pages.keep(url.href, { checkedMs: now, answer: same });
    return { url, answer: same, memory: { kind: "unchanged", sinceMs: cached.checkedMs } };
  }
  if (mayBeCached(answer) && !answer.isFromInside) pages.keep(url.href, { checkedMs: now, answer });
  else pages.forget(url.href);
  return { url, answer };
}

/** This is longer than a caller waits between two parts of a page. */
const continuedMs = 15 * 60_000;

/** Headers that are the same for every request, so that cached pages do not depend on them. They hold no credentials. */
const ownHeaders = {
  "user-agent": agentName,
  accept:
    "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.5",
  "accept-language": "en, *;q=0.5",
};

function noNetwork(): ToolError {
  return new ToolError("unavailable", "This environment has no network access", {
    hint: "Continue without the page.",
    forUser: { hint: "Use a local environment to fetch pages." },
  });
}
