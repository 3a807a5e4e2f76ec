import * as z from "zod/mini";
import { ToolError } from "../../contract/error.ts";
import type { Tool } from "../../contract/tool.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { string } from "../fields.ts";

const input = z.strictObject({
  zone: string('"Europe/Berlin", "+02:00" or "local".'),
});

const dataSchema = {
  type: "object",
  properties: {
    iso: { type: "string", description: "ISO 8601." },
    zone: { type: "string" },
    weekday: { type: "string" },
    unixSeconds: { type: "integer" },
  },
  required: ["iso", "zone", "weekday", "unixSeconds"],
};

export const timeNow: Tool<z.infer<typeof input>, ZonedTime> = {
  name: "time.now",
  description: "Get the current date, time and weekday. Default zone: UTC.",
  risk: "read",
  hints: { structured: true, dataSchema },
  input,
  limits: { maxChars: 1000, keep: "head" },
  accesses: () => [],

  async run({ zone = "UTC" }) {
    const time = timeInZone(Date.now(), zone);
    return { data: time, text: `${time.iso} (${time.weekday}, ${time.zone})` };
  },
};

export interface ZonedTime {
  /** The time: "2026-11-15T18:30:00.123+01:00". */
  readonly iso: string;
  /** The zone's name: "Europe/Berlin", "UTC", "+02:00". */
  readonly zone: string;
  /** The weekday: "Sunday". */
  readonly weekday: string;
  /** Whole seconds since 1970. */
  readonly unixSeconds: number;
}

/** Returns the time in a zone: an IANA name in any case, an offset, or "local" for this machine's zone. */
export function timeInZone(instantMs: number, zone: string): ZonedTime {
  const wanted = zone.trim();
  const format = formatFor(wanted);
  const offsetMs = clockIn(format, instantMs) - instantMs;
  const clock = new Date(instantMs + offsetMs);
  return {
    iso: clock.toISOString().slice(0, -1) + showOffset(offsetMs),
    zone: nameOf(wanted, format.resolvedOptions().timeZone),
    weekday: weekdays[clock.getUTCDay()]!,
    unixSeconds: Math.floor(instantMs / 1000),
  };
}

/** Returns the requested name, because the resolved name may be outdated: Asia/Calcutta for Asia/Kolkata. */
function nameOf(wanted: string, resolved: string): string {
  const isSame = wanted.toLowerCase() === resolved.toLowerCase();
  return isSame || isLocal(wanted) ? resolved : wanted;
}

function isLocal(zone: string): boolean {
  return zone.toLowerCase() === "local";
}

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

function formatFor(zone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-US-u-ca-iso8601-nu-latn", {
      timeZone: isLocal(zone) ? undefined : zone,
      hourCycle: "h23",
      ...{ year: "numeric", month: "numeric", day: "numeric" },
      ...{ hour: "numeric", minute: "numeric", second: "numeric" },
    });
  } catch {
    throw unknownZone(zone);
  }
}

/** Returns the zone's local time, as if it were UTC. */
function clockIn(format: Intl.DateTimeFormat, instantMs: number): number {
  const shown: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(instantMs)) shown[type] = Number(value);
  const { year, month, day, hour, minute, second } = shown;
  const wholeSeconds = Date.UTC(year!, month! - 1, day, hour, minute, second);
  return wholeSeconds + (((instantMs % 1000) + 1000) % 1000);
}

/** Shows an offset: "+05:30". Zones of the nineteenth century also have seconds. */
function showOffset(offsetMs: number): string {
  const seconds = Math.round(Math.abs(offsetMs) / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[2] === 0 ? parts.slice(0, 2) : parts;
  return (offsetMs < 0 ? "-" : "+") + shown.map((part) => String(part).padStart(2, "0")).join(":");
}

function unknownZone(zone: string): ToolError {
  const near = nearestZones(zone.slice(0, 60));
  return new ToolError("invalid-input", `Unknown time zone ${JSON.stringify(zone.slice(0, 60))}`, {
    hint:
      (near.length === 0 ? "" : `Did you mean ${near.join(" or ")}? `) +
      'Use an IANA name ("Europe/Berlin"), an offset ("+02:00"), "UTC" or "local".',
  });
}

/** Suggests zones by the name of the city, else by spelling. */
function nearestZones(zone: string): readonly string[] {
  const known = Intl.supportedValuesOf("timeZone");
  const city = plain(zone);
  const sameCity = city === "" ? [] : known.filter((name) => plain(name) === city);
  if (sameCity.length > 0) return sameCity.slice(0, 3);
  const near = nearest(zone, known) ?? known[known.map(plain).indexOf(nearest(city, known.map(plain)) ?? "")];
  return near === undefined ? [] : [near];
}

function plain(zone: string): string {
  return zone
    .slice(zone.lastIndexOf("/") + 1)
    .toLowerCase()
    .replace(/[\s_-]+/g, "");
}
