import { posix } from "node:path";
import type { PathGuard } from "../../contract/guard.ts";
import type { Reach } from "./select-calls.ts";

/**
 * What is protected, or must not be written by a rule, stays so when something is undone by anybody but a person: a
 * command's changes are also what a person has changed while it ran. Secrets are brought back, unseen.
 */
export function protecting(guard: PathGuard, workspace: string): NonNullable<Reach["refuses"]> {
  return (path) => {
    const refusal = guard("write", posix.join(workspace, path));
    if (refusal === undefined || /^secret\b/.test(refusal.rule)) return undefined;
    return `${refusal.reason} (${refusal.rule})`;
  };
}
