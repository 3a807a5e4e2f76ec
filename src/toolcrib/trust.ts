import { readPolicyFile, writePolicyFile } from "../system/policy-files.ts";

/** "changed": another content of the file is trusted, this one is not. */
export type TrustState = "trusted" | "changed" | "untrusted";

/** A file that came with a folder. */
export interface TrustedContent {
  /** Real path. */
  readonly workspace: string;
  /** SHA-256 of what the file holds. */
  readonly hash: string;
}

/** What the record at `place` says of this content; what is damaged trusts nothing. */
export function trustIn({ workspace, hash }: TrustedContent, place: string): TrustState {
  const trust = readTrust(place);
  if (trust?.workspace !== workspace) return "untrusted";
  return trust.sha256 === hash ? "trusted" : "changed";
}

/** Binds the person's trust to this workspace, and to this very content. */
export function writeTrust({ workspace, hash }: TrustedContent, place: string): void {
  const trust: Trust = { workspace, sha256: hash, since: new Date().toISOString() };
  writePolicyFile(place, `${JSON.stringify(trust, undefined, 2)}\n`);
}

interface Trust {
  readonly workspace: string;
  readonly sha256: string;
  readonly since: string;
}

function readTrust(place: string): Partial<Trust> | undefined {
  try {
    return JSON.parse(readPolicyFile(place) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}
