import type { CachedPage, WebAnswer } from "../contract/web.ts";

/** Whether an answer may be cached. */
export function mayBeCached({ status, headers }: WebAnswer): boolean {
  return status === 200 && !directives(headers).has("no-store") && headers.vary?.trim() !== "*";
}

/** Whether a cached page is still valid according to its headers. */
export function isFresh({ checkedMs, answer: { headers } }: CachedPage, nowMs: number): boolean {
  const given = directives(headers);
  if (given.has("no-cache")) return false;
  const ageMs = nowMs - checkedMs + 1000 * seconds(headers.age);
  return ageMs < lifetimeMs(given, headers);
}

/** Returns request headers that fetch only a changed page. */
export function validators({ headers }: WebAnswer): Record<string, string> {
  const { etag, "last-modified": modified } = headers;
  return {
    ...(etag !== undefined && { "if-none-match": etag }),
    ...(modified !== undefined && { "if-modified-since": modified }),
  };
}

/** Returns a cached answer with the headers of the response "not modified". */
export function renewed(answer: WebAnswer, now: WebAnswer): WebAnswer {
  const fresh = Object.entries(now.headers).filter(([name]) => !name.startsWith("content-"));
  return { ...answer, headers: { ...answer.headers, ...Object.fromEntries(fresh) } };
}

function lifetimeMs(given: ReadonlyMap<string, string>, headers: WebAnswer["headers"]): number {
  const maxAge = given.get("max-age");
  if (maxAge !== undefined) return 1000 * seconds(maxAge);
  const [expires, date] = [Date.parse(headers.expires ?? ""), Date.parse(headers.date ?? "")];
  return Number.isNaN(expires - date) ? 0 : expires - date;
}

function seconds(text: string | undefined): number {
  return /^\d{1,9}$/.test(text?.trim() ?? "") ? Number(text) : 0;
}

/** Reads a header such as `Cache-Control: max-age=60, private`. */
function directives({ "cache-control": text = "" }: WebAnswer["headers"]): ReadonlyMap<string, string> {
  return new Map(
    text.split(",").map((directive) => {
      const [name = "", value = ""] = directive.split("=", 2);
      return [name.trim().toLowerCase(), value.replaceAll('"', "").trim()];
    }),
  );
}
