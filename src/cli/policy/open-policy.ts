import type { SandboxLevel } from "../../contract/call.ts";
import type { Environment } from "../../contract/environment.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import type { PolicyMode } from "../../policy/policy.ts";
import { userDirectories, workspaceFiles } from "../../system/directories.ts";
import { type PolicyFiles, policyFiles } from "../../system/policy-files.ts";
import { sandboxWanted } from "../../toolcrib/check-options.ts";
import { workspaceId } from "../../toolcrib/elsewhere.ts";
import { OpenPolicy } from "../../toolcrib/open-policy.ts";
import type { Arguments } from "../command.ts";
import { withConfig } from "../config/with-config.ts";
import { addedRules, placeOf } from "../options.ts";

/** The rules of a workspace, and an environment to resolve paths. */
export interface PolicyContext {
  /** The real path, also on a target. */
  readonly workspace: string;
  /** Names the workspace in Toolcrib's own data. */
  readonly id: string;
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
  const place = placeOf(options);
  const { state, config } = userDirectories();
  const environment = await openPlace(place, state);
  const wanted = sandboxWanted(options.get("sandbox"));
  const sandbox = async () =>
    wanted === "auto" ? ((await environment.sandbox?.())?.level ?? "none") : wanted;
  try {
    const { workspace } = environment;
    const id = workspaceId(place);
    const rules = await OpenPolicy.open({
      ...{ workspace, id, state, config, ...addedRules(options) },
      environment: "target" in place ? environment : undefined,
    });
    const mode = (options.get("mode") ?? "cautious") as PolicyMode;
    const files = policyFiles(config, id);
    return await work({ workspace, id, state, files, mode, rules, environment, sandbox });
  } finally {
    await environment.close();
  }
}

/** Opens the environment of a place, to read its files and to find its sandbox. */
export async function openPlace(place: ReturnType<typeof placeOf>, state: string): Promise<Environment> {
  if ("target" in place) {
    const { openTarget } = await import("../../toolcrib/open-target.ts");
    return openTarget(place.target, { sandbox: "auto" });
  }
  const { workspace } = place;
  const { sandbox: directory } = workspaceFiles(state, workspace);
  return openLocalEnvironment({ workspace, sandbox: { want: "auto", directory } });
}
