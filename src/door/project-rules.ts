import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import {
  decodeRules,
  maxRuleBytes,
  type PolicyFiles,
  readPolicyFile,
  removePolicyFile,
  writePolicyFile,
} from "../environment/policy-files.ts";
import { contentHash } from "../text/content-hash.ts";

/** Where a project keeps its rules, below the workspace. */
export const projectRulesPath = ".toolcrib/rules";

/** The rules that came with the folder, and whether the person trusts them. */
export interface ProjectRules {
  readonly text: string;
  /** SHA-256 of the file. */
  readonly hash: string;
  /** "changed": another content of it is trusted, this one is not. */
  readonly trust: "trusted" | "changed" | "untrusted";
}

/** The only thing that is ever read from a workspace unasked. A link that leads out of it is refused, not followed. */
export async function readProjectRules(
  environment: Pick<Environment, "workspace" | "readFile">,
  files: PolicyFiles,
): Promise<ProjectRules | undefined> {
  try {
    const { bytes } = await environment.readFile(projectRulesPath, { maxBytes: maxRuleBytes });
    const hash = contentHash(bytes);
    return { text: decodeRules(bytes), hash, trust: trustIn(hash, environment.workspace, files) };
  } catch (error) {
    if (error instanceof ToolError && error.code === "not-found") return undefined;
    throw new ToolError("unavailable", `The project's rules cannot be read: ${(error as Error).message}`, {
      hint: `Nothing is done without them: mend ${projectRulesPath} in ${environment.workspace}, or move it away.`,
      cause: error,
    });
  }
}

/** Binds the person's trust to this workspace, by its real path, and to this very content. */
export function trustProjectRules(workspace: string, { hash }: ProjectRules, files: PolicyFiles): void {
  const trust: Trust = { workspace, sha256: hash, since: new Date().toISOString() };
  writePolicyFile(files.trust, `${JSON.stringify(trust, undefined, 2)}\n`);
}

/** Says whether anything was trusted. */
export function untrustProjectRules(files: PolicyFiles): boolean {
  return removePolicyFile(files.trust);
}

interface Trust {
  readonly workspace: string;
  readonly sha256: string;
  readonly since: string;
}

function trustIn(hash: string, workspace: string, files: PolicyFiles): ProjectRules["trust"] {
  const trust = readTrust(files);
  if (trust?.workspace !== workspace) return "untrusted";
  return trust.sha256 === hash ? "trusted" : "changed";
}

/** What is damaged trusts nothing. */
function readTrust({ trust }: PolicyFiles): Partial<Trust> | undefined {
  try {
    return JSON.parse(readPolicyFile(trust) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}
