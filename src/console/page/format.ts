import { printableLine } from "../../lib/text/printable.ts";
import type { ClientName, WorkspaceInfo } from "../api.ts";

export { printableLine };

export function formatDuration(ms: number | null): string {
  if (ms === null) return "";
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60
    ? `${minutes} min ${Math.round((ms % 60_000) / 1_000)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function formatAge(at: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - at) / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

/** The time of today, else the day and the time. */
export function formatTime(at: number): string {
  const date = new Date(at);
  const time = date.toLocaleTimeString([], {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hour12: false,
  });
  if (date.toDateString() === new Date().toDateString()) return time;
  const year = date.getFullYear() === new Date().getFullYear() ? {} : { year: "numeric" as const };
  return `${date.toLocaleDateString([], { month: "short", day: "numeric", ...year })} ${time.slice(0, 5)}`;
}

export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const unit = Math.min(units.length - 1, bytes > 0 ? Math.floor(Math.log10(bytes) / 3) : 0);
  const value = bytes / 1_000 ** unit;
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

export function formatCost(dollars: number | null): string {
  if (dollars === null) return "";
  return dollars === 0 || dollars >= 0.01 ? `$${dollars.toFixed(2)}` : "< $0.01";
}

export function formatCount(count: number, word: string): string {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}

export function formatClient(client: ClientName | null): string {
  if (client === null) return "unknown client";
  return printableLine(client.name ?? client.kind);
}

/** The last part of the path, which is what users call their projects. */
export function workspaceName({ path, id }: Pick<WorkspaceInfo, "path" | "id">): string {
  // The whole name of a target: the machine matters more than the folder.
  if (isTarget({ path })) return printableLine(path ?? id);
  return printableLine(path?.split(/[/\\]/).filter(Boolean).at(-1) ?? path ?? id);
}

/** Whether a workspace is on a target, and not a folder of the console's machine. */
export function isTarget({ path }: Pick<WorkspaceInfo, "path">): boolean {
  return path !== null && !path.startsWith("/");
}
