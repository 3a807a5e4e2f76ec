/** Identifies Toolcrib to servers and their robots.txt. */
export const agentName = "toolcrib/0.1.0";

/** The meaning of Retry-After: "in 30 s", "after Sun, 15 Nov 2026 12:00:00 GMT". Undefined for other values. */
export function whenToRetry(retryAfter: string | undefined): string | undefined {
  const said = retryAfter?.trim() ?? "";
  if (/^\d{1,9}$/.test(said)) return `in ${Number(said)} s`;
  // Reformatted, because text from a server must not appear in a hint.
  const date = /^[A-Z][a-z]{2}, /.test(said) ? new Date(said) : undefined;
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : `after ${date.toUTCString()}`;
}
