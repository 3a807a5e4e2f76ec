import { homedir } from "node:os";
import { resolve } from "node:path";
import type { Reach } from "../contract/reach.ts";
import { builtInRules, reachRules } from "../policy/built-in-rules.ts";
import { guardPaths } from "../policy/guard-paths.ts";
import { compilePolicy } from "../policy/rules/compile-policy.ts";
import { realLocation, userDirectories } from "../system/directories.ts";

/** Whether no tool may write there, in no mode, by what holds before anybody has written a rule. Links are followed. */
export function isWriteProtected(
  path: string,
  { workspace, except = [] }: Pick<Reach, "except"> & { readonly workspace: string },
): boolean {
  const { state, config } = userDirectories();
  const place = {
    workspace: realLocation(workspace),
    home: realLocation(homedir()),
    own: [state, config].map(realLocation),
    served: except.map(realLocation),
  };
  const guard = guardPaths(compilePolicy([builtInRules, reachRules], place));
  return guard("write", realLocation(resolve(workspace, path))) !== undefined;
}
