/** 2026-11-15 09:30:00, in the person's own time zone. */
export function toLocalTime(milliseconds: number): string {
  const time = new Date(milliseconds);
  const local = new Date(milliseconds - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace("T", " ");
}
