import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { contentHash } from "../lib/bytes/content-hash.ts";
import { attempt } from "../system/attempt.ts";
import {
  decodeRules,
  maxRuleBytes,
  type PolicyFiles,
  readPolicyFile,
  removePolicyFile,
  writePolicyFile,
} from "../system/policy-files.ts";

/** Whether the user trusts a file. "changed" means that the user trusted another content of it. */
export type TrustState = "trusted" | "changed" | "untrusted";

/** A file that came with a workspace. */
interface TrustedContent {
  /** Real path. */
  readonly workspace: string;
  /** The SHA-256 of its content. */
  readonly hash: string;
}

/** Returns whether the trust record at `file` covers this content; a damaged record trusts nothing. */
export function trustIn({ workspace, hash }: TrustedContent, file: string): TrustState {
  const trust = attempt(() => JSON.parse(readPolicyFile(file) ?? "null") as Partial<Trust> | null);
  if (trust?.workspace !== workspace) return "untrusted";
  return trust.sha256 === hash ? "trusted" : "changed";
}

/** Binds the user's trust to this workspace and this content. */
export function writeTrust({ workspace, hash }: TrustedContent, file: string): void {
  const trust: Trust = { workspace, sha256: hash, since: new Date().toISOString() };
  writePolicyFile(file, `${JSON.stringify(trust, undefined, 2)}\n`);
}

interface Trust {
  readonly workspace: string;
  readonly sha256: string;
  readonly since: string;
}

/** The path of a project's rules, relative to the workspace. */
export const projectRulesPath = ".toolcrib/rules";

/** The rules that came with the workspace, and whether the user trusts them. */
export interface ProjectRules {
  readonly text: string;
  /** The SHA-256 of the file. */
  readonly hash: string;
  readonly trust: TrustState;
}

/** Reads the project's rules, without approval. Refuses a link out of the workspace. */
export async function readProjectRules(
  environment: Pick<Environment, "workspace" | "readFile">,
  files: PolicyFiles,
): Promise<ProjectRules | undefined> {
  try {
    const { bytes } = await environment.readFile(projectRulesPath, { maxBytes: maxRuleBytes });
    const hash = contentHash(bytes);
    const { workspace } = environment;
    return { text: decodeRules(bytes), hash, trust: trustIn({ workspace, hash }, files.trust) };
  } catch (error) {
    if (error instanceof ToolError && error.code === "not-found") return undefined;
    throw new ToolError("unavailable", `The project's rules cannot be read: ${(error as Error).message}`, {
      hint: `Fix or remove ${projectRulesPath} in ${environment.workspace}.`,
      cause: error,
    });
  }
}

/** Binds the user's trust to this workspace, by its real path, and to this content. */
export function trustProjectRules(workspace: string, { hash }: ProjectRules, files: PolicyFiles): void {
  writeTrust({ workspace, hash }, files.trust);
}

/** Removes the user's trust. Returns whether there was any. */
export function untrustProjectRules(files: PolicyFiles): boolean {
  return removePolicyFile(files.trust);
}
