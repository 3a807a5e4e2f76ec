import { detailsIn, type Failure } from "./read-failure.ts";

/** How long a provider asks to wait, in milliseconds: in a header, in the body as Gemini does, or in words. */
export function retryAfter({
  headers,
  body,
  words,
}: Pick<Failure, "headers" | "body" | "words">): number | undefined {
  const ways = [
    () => milliseconds(headers["retry-after-ms"]),
    () => secondsOrDate(headers["retry-after"]),
    () => retryInfo(body),
    () => inWords(words),
    () => reset(headers["x-ratelimit-reset"]),
  ];
  for (const way of ways) {
    const wait = way();
    if (wait !== undefined && Number.isFinite(wait)) return Math.max(0, Math.round(wait));
  }
  return undefined;
}

function milliseconds(value: string | undefined): number | undefined {
  return value === undefined || !/^\s*\d+(\.\d+)?\s*$/.test(value) ? undefined : Number(value);
}

function secondsOrDate(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const seconds = milliseconds(value);
  return seconds === undefined ? Date.parse(value) - Date.now() : seconds * 1000;
}

function retryInfo(body: unknown): number | undefined {
  const info = detailsIn(body).find((detail) => String(detail["@type"]).endsWith("RetryInfo"));
  const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(String(info?.retryDelay)) ?? [];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

/** "Please try again in 6m0.5s", "retry in 20ms". */
function inWords(words: string): number | undefined {
  const [, hours, minutes, seconds, ms] =
    /(?:try again|retry) (?:in|after) (?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s(?:ec\w*)?)?(?:(\d+(?:\.\d+)?)ms)?/i.exec(
      words,
    ) ?? [];
  const parts = [hours, minutes, seconds, ms];
  if (parts.every((part) => part === undefined)) return undefined;
  const [h, m, s, rest] = parts.map((part) => Number(part ?? 0)) as [number, number, number, number];
  return ((h * 60 + m) * 60 + s) * 1000 + rest;
}

/** A moment since 1970, in seconds or milliseconds, or seconds from now. */
function reset(value: string | undefined): number | undefined {
  const given = milliseconds(value);
  if (given === undefined) return undefined;
  if (given > 1e12) return given - Date.now();
  return given > 1e9 ? given * 1000 - Date.now() : given * 1000;
}
