import { existsSync, readFileSync, type Stats, writeFileSync } from "node:fs";
import { join } from "node:path";
import { attempt, statsAt } from "../../system/attempt.ts";
import { makePrivateDirectory, namesIn } from "../../system/directories.ts";
import { newRecordName, removeRecord } from "../../system/process-identity.ts";

/** A change by a file tool or an approved command, which other running commands must not hold back. */
export interface Accepted {
  readonly path: string;
  /** Undefined when everything at the path is accepted. */
  readonly state: string | undefined;
}

/** Records changes by file tools, which rules or the user have allowed. `folder` is that of `HoldBack`. */
export function acceptChanges(folder: string, paths: readonly string[]): void {
  if (!existsSync(folder) || recordsIn(folder).length === 0) return;
  accept(
    folder,
    paths.map((path) => {
      const stats = statsAt(path);
      return { path, state: stats?.isDirectory() ? undefined : stats && stateOf(stats) };
    }),
  );
}

export function accept(folder: string, changes: readonly Accepted[]): void {
  if (changes.length === 0) return;
  const notes = join(folder, notesName);
  makePrivateDirectory(notes);
  writeFileSync(join(notes, newRecordName()), JSON.stringify(changes), { mode: 0o600 });
}

export function acceptedIn(folder: string): readonly Accepted[] {
  const notes = join(folder, notesName);
  return namesIn(notes).flatMap(
    (name) => attempt((): Accepted[] => JSON.parse(readFileSync(join(notes, name), "utf8"))) ?? [],
  );
}

/** Forgets all notes, when no command runs. */
export function forgetAccepted(folder: string): void {
  for (const name of namesIn(join(folder, notesName))) removeRecord(join(folder, notesName, name));
}

/** Returns the records of running commands. */
export function recordsIn(folder: string): readonly string[] {
  return namesIn(folder)
    .filter((name) => name !== notesName)
    .map((name) => join(folder, name));
}

const notesName = "accepted";

/** Differs after every change, because no program can set the time of change. */
export function stateOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs, ctimeMs].join(":");
}
