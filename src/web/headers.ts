/** Identifies Toolcrib to servers and their robots.txt. */
export const agentName = "toolcrib/0.1.0";

/** Reads Retry-After as "in 30 s" or "after Sun, 15 Nov 2026 12:00:00 GMT"; undefined for other values. */
export function whenToRetry(retryAfter: string | undefined): string | undefined {
  const text = retryAfter?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return `in ${Number(text)} s`;
  // The date is formatted again, because text from a server must not appear in a hint.
  const date = /^[A-Z][a-z]{2}, /.test(text) ? new Date(text) : undefined;
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : `after ${date.toUTCString()}`;
}
