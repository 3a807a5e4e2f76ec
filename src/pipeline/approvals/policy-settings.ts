import type { SandboxLevel } from "../../contract/account.ts";
import type { VariablePolicy } from "../../contract/confinement.ts";
import type { ShellPast } from "../../contract/process.ts";
import type { Mode } from "../../policy/policy.ts";
import type { Policy } from "../../policy/rules/compile-policy.ts";
import type { Approve } from "./approval.ts";

/** How one room judges calls. */
export interface PolicySettings {
  /** As it is at this moment. */
  readonly mode: Mode;
  readonly rules: Rules;
  readonly surroundings: Surroundings;
  /** Who asks the person about a call. Without one, whatever would be asked is refused with `needs-approval`. */
  readonly approverOf?: (callId: string) => Approve | undefined;
}

/** The rules that hold, and the way to add what a person grants. */
export interface Rules {
  /** As they are at this moment. Throws where they have changed into something that cannot be used. */
  refreshed(): Policy | Promise<Policy>;
  /** Until the room is closed. */
  grantForSession(lines: readonly string[]): void;
  /** From now on, in this workspace. */
  grantAlways(lines: readonly string[], comment: string): Promise<void>;
}

/** What commands run in, as it is when asked for: it may change while a person thinks. */
export interface Surroundings {
  /** Asked only about calls that run commands: to find it out takes a moment. */
  sandbox(): Promise<SandboxLevel>;
  /** Those that commands get. */
  variables(policy: VariablePolicy): Readonly<Record<string, string>>;
  /** What a shell that stays has been through; undefined for one that is not there. */
  shell?(name: string): ShellPast | undefined;
}
