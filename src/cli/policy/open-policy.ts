import type { SandboxLevel } from "../../contract/call.ts";
import type { Environment } from "../../contract/environment.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import type { PolicyMode } from "../../policy/policy.ts";
import { realWorkspace, userDirectories, workspaceFiles } from "../../system/directories.ts";
import { type PolicyFiles, policyFiles } from "../../system/policy-files.ts";
import { sandboxWanted } from "../../toolcrib/check-options.ts";
import { OpenPolicy } from "../../toolcrib/open-policy.ts";
import type { Arguments } from "../command.ts";
import { withConfig } from "../config/with-config.ts";
import { addedRules } from "../options.ts";

/** The rules of a workspace, and an environment to resolve paths. */
export interface PolicyContext {
  readonly workspace: string;
  readonly state: string;
  readonly files: PolicyFiles;
  readonly mode: PolicyMode;
  readonly rules: OpenPolicy;
  readonly environment: Environment;
  /** Returns the sandbox of commands, which is detected on the first call. */
  readonly sandbox: () => Promise<SandboxLevel>;
}

export async function withPolicy<Result>(
  given: Arguments,
  work: (context: PolicyContext) => Promise<Result>,
): Promise<Result> {
  const { options } = await withConfig(given, ["mode", "sandbox"]);
  const workspace = realWorkspace(options.get("workspace") ?? process.cwd());
  const { state, config } = userDirectories();
  const rules = await OpenPolicy.open({ workspace, state, config, ...addedRules(options) });
  const { sandbox: directory } = workspaceFiles(state, workspace);
  const environment = openLocalEnvironment({ workspace, sandbox: { want: "auto", directory } });
  const wanted = sandboxWanted(options.get("sandbox"));
  const sandbox = async () =>
    wanted === "auto" ? ((await environment.sandbox?.())?.level ?? "none") : wanted;
  const files = policyFiles(config, workspace);
  try {
    const mode = (options.get("mode") ?? "cautious") as PolicyMode;
    return await work({ workspace, state, files, mode, rules, environment, sandbox });
  } finally {
    await environment.close();
  }
}
