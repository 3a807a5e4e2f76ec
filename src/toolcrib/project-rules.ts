import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { contentHash } from "../lib/content-hash.ts";
import { decodeRules, maxRuleBytes, type PolicyFiles, removePolicyFile } from "../system/policy-files.ts";
import { type TrustState, trustIn, writeTrust } from "./trust.ts";

/** Where a project keeps its rules, below the workspace. */
export const projectRulesPath = ".toolcrib/rules";

/** The rules that came with the folder, and whether the person trusts them. */
export interface ProjectRules {
  readonly text: string;
  /** SHA-256 of the file. */
  readonly hash: string;
  readonly trust: TrustState;
}

/** Read unasked, as `.toolcrib/mcp.json` is and nothing else. A link that leads out of it is refused, not followed. */
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
      hint: `Nothing is done without them: mend ${projectRulesPath} in ${environment.workspace}, or move it away.`,
      cause: error,
    });
  }
}

/** Binds the person's trust to this workspace, by its real path, and to this very content. */
export function trustProjectRules(workspace: string, { hash }: ProjectRules, files: PolicyFiles): void {
  writeTrust({ workspace, hash }, files.trust);
}

/** Says whether anything was trusted. */
export function untrustProjectRules(files: PolicyFiles): boolean {
  return removePolicyFile(files.trust);
}
