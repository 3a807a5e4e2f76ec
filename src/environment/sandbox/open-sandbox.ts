import type { SandboxLevel } from "../../contract/account.ts";
import { ToolError } from "../../contract/error.ts";
import { NoSandbox } from "./no-sandbox.ts";
import type { Sandbox } from "./sandbox.ts";

export interface SandboxOptions {
  /** "auto": the best that can be had. A level that cannot be had is `unavailable`. */
  readonly want: "auto" | SandboxLevel;
  /** Private, for this workspace. */
  readonly directory: string;
}

interface RungOptions {
  /** Absolute and real. */
  readonly workspace: string;
  readonly directory: string;
  /** The absolute path of a program that the workspace does not bring; `unavailable` when there is none. */
  readonly findProgram: (name: string) => Promise<string>;
}

/** One level; `missing` says why it cannot be had here, and what would help. */
type Rung = (options: RungOptions) => Promise<Sandbox | { readonly missing: string }>;

// The best first. Each is loaded when it is tried.
const ladder: readonly { readonly level: Exclude<SandboxLevel, "none">; readonly open: Rung }[] = [
  {
    level: "bwrap",
    open: async (options) => (await import("./bubblewrap/open-bubblewrap.ts")).openBubblewrap(options),
  },
];

/** Finds out by trying what can be had here. */
export async function openSandbox(options: SandboxOptions & RungOptions): Promise<Sandbox> {
  const { want } = options;
  if (want === "none") return new NoSandbox();
  const missing: string[] = [];
  for (const { level, open } of ladder) {
    if (want !== "auto" && want !== level) continue;
    const opened = await open(options);
    if (!("missing" in opened)) return withMissing(opened, missing);
    missing.push(opened.missing);
  }
  if (want === "auto") return new NoSandbox(missing);
  throw new ToolError("unavailable", `The sandbox "${want}" cannot be had here: ${missing.join(" ")}`, {
    hint: `Do what it says, or ask for the best that can be had with "auto".`,
  });
}

/** Says why it is not one of the better ones. */
function withMissing(sandbox: Sandbox, missing: readonly string[]): Sandbox {
  if (missing.length === 0) return sandbox;
  return {
    level: sandbox.level,
    report: { ...sandbox.report, missing },
    prepare: (launch) => sandbox.prepare(launch),
    close: () => sandbox.close(),
  };
}
