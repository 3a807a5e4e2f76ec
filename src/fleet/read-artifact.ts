import { join } from "node:path";
import { attempt, statsAt } from "../system/attempt.ts";
import { contentAt } from "../system/pinned-path.ts";
import type { Run } from "./fleet.ts";

/**
 * Reads an artifact of an ended run: from a folder of this machine, or from S3 with the credentials of this process.
 * Returns undefined for one that is missing, a link, not listed in the result, or on another machine. Throws `too-large`
 * and `unavailable` for S3.
 */
export async function readArtifact(run: Run, name: string, maxBytes: number): Promise<Buffer | undefined> {
  const address = artifactAddress(run);
  if (address === undefined || !listedArtifacts(run).includes(name)) return undefined;
  if (!isRemote(address)) {
    const bytes = attempt(() => contentAt(join(address, name), maxBytes));
    return bytes && Buffer.from(bytes);
  }
  const { S3Artifacts } = await import("./artifacts/s3-artifacts.ts");
  return new S3Artifacts(address, process.env, maxBytes).read(address, name);
}

/** The artifacts that this machine can try to read. */
export function readableArtifacts(run: Run): readonly string[] {
  const address = artifactAddress(run);
  if (address === undefined) return [];
  return isRemote(address) || statsAt(address)?.isDirectory() ? listedArtifacts(run) : [];
}

/**
 * Returns the folder or address of a run's artifacts. It names the run: a row of a shared database must not lead to other
 * files.
 */
function artifactAddress({ id, result }: Run): string | undefined {
  const address = result?.artifacts ?? "";
  const parts = address.split("/");
  if (!/^run_\w+$/.test(id) || !parts.includes(id) || parts.includes("..")) return undefined;
  return address.startsWith("/") || isRemote(address) ? address : undefined;
}

function isRemote(address: string): boolean {
  return /^s3:\/\//i.test(address);
}

/** Names come from the database, too. */
function listedArtifacts({ result }: Run): readonly string[] {
  return (result?.artifactNames ?? []).filter((name) => /^[A-Za-z0-9][\w.-]{0,99}$/.test(name));
}
