/**
 * A moment that is written out, in milliseconds since 1970; undefined for anything else. A date alone is midnight here, as
 * a date with a time is of here. Stricter than `Date.parse`, to which "5" is a day in 2001.
 */
export function readTime(text: string): number | undefined {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d\S*(?: UTC)?))?$/.exec(text.trim()) ?? [];
  const moment = Date.parse(`${date}T${(time ?? "00:00").replace(/ ?UTC$/, "Z")}`);
  return Number.isNaN(moment) ? undefined : moment;
}
