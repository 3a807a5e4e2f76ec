import { kindOfMode, type LeftOut, type Snapshot } from "../../contract/snapshot.ts";
import type { Difference } from "./differences.ts";
import { modeAt } from "./ledger.ts";

/** What was not looked into, or is no file, can neither be compared nor brought back; undefined for all else. */
export function whyNotCompared(
  { before: earlier, after: place }: Difference,
  before: Snapshot,
  after: Snapshot,
): string | undefined {
  const wasLeftOut = earlier === undefined ? undefined : leftOutDirectory(before, earlier);
  const isLeftOut = place === undefined ? undefined : leftOutDirectory(after, place);
  // Git writes into its own all the time, and the kernel makes up the rest.
  if (wasLeftOut === isLeftOut && (wasLeftOut === "repository" || wasLeftOut === "system")) return undefined;
  const reason = wasLeftOut ?? isLeftOut;
  if (reason !== undefined) return leftOutReasons[reason];
  const isSpecial = isSpecialAt(before, earlier) || isSpecialAt(after, place);
  return isSpecial ? "no file, directory or link" : undefined;
}

function isSpecialAt(snapshot: Snapshot, place: number | undefined): boolean {
  return place !== undefined && kindOfMode(modeAt(snapshot, place)) === "other";
}

function leftOutDirectory(snapshot: Snapshot, place: number): LeftOut | undefined {
  const isDirectory = kindOfMode(modeAt(snapshot, place)) === "directory";
  return isDirectory ? snapshot.leftOut.get(place) : undefined;
}

const leftOutReasons: Readonly<Record<LeftOut, string>> = {
  ignored: "ignored by git",
  repository: "git's own",
  unreadable: "it may not be read",
  system: "not on a disk",
};
