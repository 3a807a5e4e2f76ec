import { join } from "node:path";
import type { Environment } from "../../../contract/environment.ts";
import { attempt } from "../../../system/attempt.ts";
import { makePrivateDirectory } from "../../../system/directories.ts";
import { removeFile } from "../../../system/moved-file.ts";
import { readPrivateFile, writePrivateFile } from "../../../system/private-file.ts";

/** The last scan of a workspace, if a limit has ended it. It is stored for other processes. */
interface EndedScan {
  readonly why: string;
  /** When it was ended, in milliseconds since 1970. */
  readonly atMs: number;
}

/** Returns why the last scan was ended, if it was ended less than `maxAgeMs` ago. */
export function endedScan(folder: string, maxAgeMs: number): string | undefined {
  const bytes = readPrivateFile(fileIn(folder));
  const ended = bytes && attempt(() => JSON.parse(Buffer.from(bytes).toString()) as EndedScan);
  if (typeof ended?.why !== "string") return undefined;
  const ageMs = Date.now() - ended.atMs;
  return ageMs >= 0 && ageMs < maxAgeMs ? ended.why : undefined;
}

export function storeEndedScan(folder: string, why: string): void {
  makePrivateDirectory(folder);
  const ended: EndedScan = { why, atMs: Date.now() };
  writePrivateFile(fileIn(folder), [Buffer.from(JSON.stringify(ended))]);
}

export function forgetEndedScan(folder: string): void {
  removeFile(fileIn(folder));
}

/** Returns why changes by commands are not determined in a workspace; undefined when they are, as far as is known. */
export function incompleteIn({
  environment,
  folder,
}: {
  readonly environment: Pick<Environment, "watchEffects">;
  readonly folder: string;
}): string | undefined {
  return environment.watchEffects === undefined ? cannotWatch : endedScan(folder, incompleteMs);
}

/** After a day, a command runs and tries again: the workspace may be smaller, and some callers cannot ask anyone. */
const incompleteMs = 24 * 60 * 60 * 1000;

/** The reason where an environment has no `watchEffects`. */
export const cannotWatch = "this environment cannot determine them";

function fileIn(folder: string): string {
  return join(folder, "ended.json");
}
