/** Reads a monotonic clock. `performance.now()` would load eleven modules, which takes 1.5 ms at the start. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/**
 * Parses a date or time into milliseconds since 1970; undefined for anything else. A date alone is local midnight, and
 * a date with a time is local. Stricter than `Date.parse`, which reads "5" as a day in 2001.
 */
export function parseTime(text: string): number | undefined {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d\S*(?: UTC)?))?$/.exec(text.trim()) ?? [];
  const moment = Date.parse(`${date}T${(time ?? "00:00").replace(/ ?UTC$/, "Z")}`);
  return Number.isNaN(moment) ? undefined : moment;
}

/** The minimum age of the time that `supportedTime` takes as evidence. */
export const evidenceMs: number = 24 * 60 * 60 * 1000;

/**
 * Returns the time against which the age of stored data counts: the clock, but no more than a day ahead of `evidence`,
 * the latest known time that is at least a day old. So a clock that jumps ahead makes nothing old at once, and a clock
 * that is right is believed after a day of use. Without evidence nothing is older than a day, and the clock counts.
 */
export function supportedTime(now: number, evidence: number | undefined): number {
  return evidence === undefined ? now : Math.min(now, evidence + evidenceMs);
}
