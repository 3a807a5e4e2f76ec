import type { KeptPage, WebAnswer } from "../contract/web.ts";

/** Whether an answer may be remembered at all. */
export function mayBeKept({ status, headers }: WebAnswer): boolean {
  return status === 200 && !directives(headers).has("no-store") && headers.vary?.trim() !== "*";
}

/** Whether its server has said that it still holds. */
export function isFresh({ checkedMs, answer: { headers } }: KeptPage, nowMs: number): boolean {
  const said = directives(headers);
  if (said.has("no-cache")) return false;
  const ageMs = nowMs - checkedMs + 1000 * seconds(headers.age);
  return ageMs < lifetimeMs(said, headers);
}

/** What to ask with, so that only a page that has changed comes again. */
export function validators({ headers }: WebAnswer): Record<string, string> {
  const { etag, "last-modified": modified } = headers;
  return {
    ...(etag !== undefined && { "if-none-match": etag }),
    ...(modified !== undefined && { "if-modified-since": modified }),
  };
}

/** A remembered answer of which the server says that it has not changed, with what else it says now. */
export function renewed(answer: WebAnswer, now: WebAnswer): WebAnswer {
  const told = Object.entries(now.headers).filter(([name]) => !name.startsWith("content-"));
  return { ...answer, headers: { ...answer.headers, ...Object.fromEntries(told) } };
}

function lifetimeMs(said: ReadonlyMap<string, string>, headers: WebAnswer["headers"]): number {
  const maxAge = said.get("max-age");
  if (maxAge !== undefined) return 1000 * seconds(maxAge);
  const [expires, date] = [Date.parse(headers.expires ?? ""), Date.parse(headers.date ?? "")];
  return Number.isNaN(expires - date) ? 0 : expires - date;
}

function seconds(text: string | undefined): number {
  return /^\d{1,9}$/.test(text?.trim() ?? "") ? Number(text) : 0;
}

/** `Cache-Control: max-age=60, private`. */
function directives({ "cache-control": said = "" }: WebAnswer["headers"]): ReadonlyMap<string, string> {
  return new Map(
    said.split(",").map((directive) => {
      const [name = "", value = ""] = directive.split("=", 2);
      return [name.trim().toLowerCase(), value.replaceAll('"', "").trim()];
    }),
  );
}
