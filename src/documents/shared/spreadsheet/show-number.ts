/** How a cell format shows a number. */
export type NumberKind = "plain" | "percent" | "date" | "time" | "date-time" | "duration";

/** Returns the kind of number that a pattern shows: "0.00%", "yyyy-mm-dd hh:mm", "[h]:mm". */
export function kindOfPattern(pattern: string): NumberKind {
  const bare = pattern
    .slice(0, longestPattern)
    .split(";")[0]!
    .replaceAll(/"[^"]*"|\\.|_.|\*./g, "");
  if (/\[(?:h+|m+|s+)\]/i.test(bare)) return "duration";
  const code = bare.replaceAll(/\[[^\]]*\]/g, "").replaceAll(/general/gi, "");
  const hasDate = /[ydge]|m(?![^a-z]*[s])/i.test(
    code.replaceAll(/h+[^a-z]*m+|m+[^a-z]*s+|am\/pm|a\/p|0[eE][+-]/gi, " "),
  );
  const hasTime = /[hs]|am\/pm/i.test(code);
  if (hasDate) return hasTime ? "date-time" : "date";
  if (hasTime) return "time";
  return code.includes("%") ? "percent" : "plain";
}

/** The limit of spreadsheet programs for patterns. */
const longestPattern = 255;

/** Shows a number. With `startsIn1904`, days count from 1904, as in old Mac programs. */
export function showNumber(written: string, kind: NumberKind, startsIn1904: boolean): string {
  if (kind === "plain" && (written.length <= 16 || !noise.test(written))) return written;
  const value = Number(written);
  if (written === "" || !Number.isFinite(value)) return written;
  if (kind === "percent") return `${shortest(value * 100)}%`;
  if (kind === "plain") return shortest(value);
  if (kind === "duration") return showDuration(value);
  return showDay(value, kind, startsIn1904) ?? written;
}

/** Matches rounding errors, such as that of 0.1 + 0.2. */
const noise = /(?:0{5,}|9{5,})\d{1,2}$/;

/** Rounds to fifteen digits, as spreadsheets do. */
function shortest(value: number): string {
  return String(Number(value.toPrecision(15)));
}

const dayMs = 86_400_000;
/** Day counts from 1900 include 29 February 1900, which did not exist. */
const missingLeapDay = 60;

function showDay(days: number, kind: NumberKind, startsIn1904: boolean): string | undefined {
  if (kind === "time" || (days >= 0 && days < 1)) {
    // The number is a time without a day.
    const time = new Date(Math.round((days - Math.floor(days)) * 86_400) * 1000).toISOString().slice(11, 19);
    return kind === "time" && days >= 1 ? showDuration(days) : time;
  }
  if (!startsIn1904 && Math.floor(days) === missingLeapDay) return "1900-02-29";
  const shift = startsIn1904 ? 0 : days < missingLeapDay ? 1 : 0;
  const start = startsIn1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  const ms = start + Math.round((days + shift) * 86_400) * 1000;
  if (days < 0 || !(ms < Date.UTC(10_000, 0, 1))) return undefined;
  const [date, time] = new Date(ms).toISOString().split("T") as [string, string];
  const isWhole = ms % dayMs === 0;
  return isWhole && kind !== "date-time" ? date : `${date}T${time.slice(0, 8)}`;
}

function showDuration(days: number): string {
  const seconds = Math.round(Math.abs(days) * 86_400);
  const two = (value: number) => String(value).padStart(2, "0");
  const clock = `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return days < 0 ? `-${clock}` : clock;
}
