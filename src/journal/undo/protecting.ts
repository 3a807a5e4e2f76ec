import { posix } from "node:path";
import type { PathGuard } from "../../contract/guard.ts";
import type { Reach } from "./select-calls.ts";

/**
 * What may be read and not written is protected, or forbidden by a rule. It stays so when something is undone by anybody
 * but a person: a command's changes are also what a person has changed while it ran.
 */
export function protecting(guard: PathGuard, workspace: string): NonNullable<Reach["refuses"]> {
  return (path) => {
    const realPath = posix.join(workspace, path);
    const refusal = guard("read", realPath) === undefined ? guard("write", realPath) : undefined;
    return refusal && `${refusal.reason} (${refusal.rule})`;
  };
}
