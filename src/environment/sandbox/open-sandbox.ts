import type { SandboxLevel } from "../../contract/account.ts";
import { NoSandbox } from "./no-sandbox.ts";
import type { Sandbox } from "./sandbox.ts";

export interface SandboxOptions {
  /** "auto": the best that can be had. A level that cannot be had is `unavailable`. */
  readonly want: "auto" | SandboxLevel;
  /** Private, for this workspace. */
  readonly directory: string;
}

/** Finds out by trying what can be had here. */
export async function openSandbox(
  _options: SandboxOptions & {
    /** Absolute and real. */
    readonly workspace: string;
    /** The absolute path of a program that the workspace does not bring; `unavailable` when there is none. */
    readonly findProgram: (name: string) => Promise<string>;
  },
): Promise<Sandbox> {
  return new NoSandbox();
}
