import * as z from "zod/mini";
import type { Tool } from "../../contract/tool.ts";
import { timeInZone, type ZonedTime } from "./time-in-zone.ts";

export interface TimeNowInput {
  readonly zone?: string | undefined;
}

/** Says what time it is. */
export const timeNow: Tool<TimeNowInput, ZonedTime> = {
  name: "time.now",
  summary: "Date, time and weekday now, in UTC unless a zone is given.",
  risk: "read",
  hints: { structured: true },
  input: z.strictObject({
    zone: z.optional(z.string().check(z.describe('"Europe/Berlin", "+02:00" or "local".'))),
  }),
  limits: { maxChars: 1000, keep: "head" },
  accesses: () => [],

  async run({ zone = "UTC" }) {
    const time = timeInZone(Date.now(), zone);
    return { data: time, text: `${time.iso} (${time.weekday}, ${time.zone})` };
  },
};
