import { ToolError } from "../../contract/error.ts";
import { parseTime } from "../../lib/clock.ts";

/** A moment as a person writes it, in milliseconds since 1970: how long ago, or a date with or without a time. */
export function readSince(text: string, now: number = Date.now()): number {
  const [, count, unit = ""] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count !== undefined) return now - Number(count) * unitMs[unit]!;
  const moment = parseTime(text);
  if (moment !== undefined) return moment;
  throw new ToolError("invalid-input", `"${text}" is no time`, {
    hint: "For example: --since 30m, 2h, 3d, 2026-11-15, '2026-11-15 09:30' or 2026-11-15T09:30Z.",
  });
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
