import { join } from "node:path";
import { attempt, statsAt } from "../system/attempt.ts";
import { contentAt } from "../system/pinned-path.ts";
import type { Run } from "./fleet.ts";

/**
 * Returns the folder or address of a run's artifacts. It names the run: a row of a shared database must not lead to other
 * files.
 */
export function artifactAddress({ id, result }: Run): string | undefined {
  const address = result?.artifacts;
  const parts = address?.split("/") ?? [];
  if (!/^run_\w+$/.test(id) || !parts.includes(id) || parts.includes("..")) return undefined;
  return address ?? undefined;
}

/** Returns the folder of a run's artifacts if it is on this machine. */
export function artifactFolder(run: Run): string | undefined {
  const folder = artifactAddress(run);
  if (!folder?.startsWith("/")) return undefined;
  return statsAt(folder)?.isDirectory() ? folder : undefined;
}

/** The files of a run that can be read here. Their names come from the database, too. */
export function readableArtifacts(run: Run): readonly string[] {
  if (artifactFolder(run) === undefined) return [];
  return (run.result?.artifactNames ?? []).filter((name) => plainName.test(name));
}

const plainName = /^[A-Za-z0-9][\w.-]{0,99}$/;

/** Returns undefined for a file that is missing, a link, too large, or not listed in the result. */
export function readArtifact(run: Run, name: string, maxBytes: number): Uint8Array | undefined {
  const folder = artifactFolder(run);
  if (folder === undefined || !readableArtifacts(run).includes(name)) return undefined;
  return attempt(() => contentAt(join(folder, name), maxBytes));
}
