import { join, resolve } from "node:path";
import type { Arguments } from "../command.ts";
import { readCount } from "../parse-arguments.ts";
import { fleetFolder } from "./open-store.ts";

/** The folder in which workers of this machine keep workspaces and sessions. */
export function workFolderOf(options: ReadonlyMap<string, string>): string {
  return resolve(options.get("folder") ?? join(fleetFolder(), "work"));
}

/** The folder or address of artifacts. */
export function artifactsOf(options: ReadonlyMap<string, string>): string {
  const given = options.get("artifacts");
  if (given === undefined) return join(fleetFolder(), "artifacts");
  return /^s3:\/\//i.test(given) ? given : resolve(given);
}

/** How many runs a worker works on at the same time. */
export function slotsOf(given: Arguments): number {
  return readCount(given, "slots") ?? 4;
}
