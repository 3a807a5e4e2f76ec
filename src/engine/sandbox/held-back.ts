import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { quoteForRule } from "../../lib/text/rule-text.ts";
import { attempt, statsAt } from "../../system/attempt.ts";
import { namesIn } from "../../system/directories.ts";
import type { EntryRecord } from "./entry-record.ts";

/** An entry that was taken from a protected path, and waits until the user allows it. */
export interface HeldBack {
  /** The id by which the user allows it. */
  readonly id: string;
  /** The absolute path from which it was taken. */
  readonly path: string;
  readonly kind: EntryRecord["kind"];
  /** Milliseconds since 1970. */
  readonly heldAt: number;
  /** Where it waits. */
  readonly at: string;
  /** The hash of the file that was put back; null when nothing was. */
  readonly returned: string | null;
  /** Set when its command has left it in a Toolcrib that was killed. The user was told when it was taken. */
  readonly isAfterCrash?: true;
  /** Milliseconds since 1970; null until the user allows it. */
  readonly allowedAt: number | null;
  /** The entries that were taken, with paths relative to `path`: "" is the entry itself. */
  readonly entries: readonly EntryRecord[];
}

/** `HeldBack` for lists. */
export interface HeldItem extends Pick<HeldBack, "id" | "kind" | "heldAt" | "allowedAt"> {
  /** Relative to the workspace. */
  readonly path: string;
  /** Whether the file from before the command is at the path. */
  readonly isBack: boolean;
  /** The rule by which commands may write the path. */
  readonly rule: string;
}

export function toHeldItem(held: HeldBack, workspace: string): HeldItem {
  const { id, kind, heldAt, allowedAt, returned } = held;
  return {
    id,
    path: relative(workspace, held.path),
    kind,
    heldAt,
    allowedAt,
    isBack: returned !== null,
    rule: ruleFor(held, workspace),
  };
}

/** Returns the rule by which commands may write a path. */
export function ruleFor({ path, kind }: Pick<HeldBack, "path" | "kind">, workspace: string): string {
  return `allow write ${quoteForRule(relative(workspace, path))}${kind === "directory" ? "/**" : ""}`;
}

/** Returns what was held back, latest last. `folder` is that of `Quarantine`. */
export function listHeldBack(folder: string): readonly HeldBack[] {
  return namesIn(folder)
    .flatMap((id) => findHeldBack(folder, id) ?? [])
    .sort((one, other) => one.heldAt - other.heldAt);
}

export function findHeldBack(folder: string, id: string): HeldBack | undefined {
  if (!/^[a-z0-9]+$/.test(id)) return undefined;
  const held = attempt((): HeldBack => JSON.parse(readFileSync(heldBackFile(folder, id), "utf8")));
  return held && { ...held, allowedAt: statsAt(allowedFile(folder, id))?.mtimeMs ?? null };
}

/** Tells the user what was held back since a time, in milliseconds since 1970. */
export function heldBackSince(folder: string, since: number, workspace: string): readonly string[] {
  // The folder changes with each entry.
  if ((statsAt(folder)?.mtimeMs ?? 0) < since) return [];
  return listHeldBack(folder)
    .filter(({ heldAt, allowedAt, isAfterCrash }) => heldAt >= since && allowedAt === null && !isAfterCrash)
    .map(({ id, path, returned }) => {
      const back = returned === null ? "" : " The file from before is back.";
      return `${relative(workspace, path)} was created or changed while a command ran, and was held back.${back} See: toolcrib quarantine show ${id}`;
    });
}

export function heldBackFile(folder: string, id: string): string {
  return join(folder, id, "held.json");
}

/** The file that exists when an entry was allowed. */
export function allowedFile(folder: string, id: string): string {
  return join(folder, id, "allowed");
}
