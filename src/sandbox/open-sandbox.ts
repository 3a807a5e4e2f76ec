import type { SandboxLevel } from "../contract/account.ts";
import { ToolError } from "../contract/error.ts";
import { NoSandbox } from "./no-sandbox.ts";
import type { Sandbox } from "./sandbox.ts";

export interface SandboxOptions {
  /** "auto": the best that can be had. A level that cannot be had is `unavailable`. */
  readonly want: "auto" | SandboxLevel;
  /** Private, for this workspace. */
  readonly directory: string;
  /** Further directories of ours, which no command sees. */
  readonly own?: readonly string[];
}

interface RungOptions {
  /** Absolute and real. */
  readonly workspace: string;
  readonly directory: string;
  readonly own?: readonly string[];
  /** The absolute path of a program that the workspace does not bring; `unavailable` when there is none. */
  readonly findProgram: (name: string) => Promise<string>;
}

interface Rung {
  readonly level: SandboxLevel;
  readonly platform: NodeJS.Platform;
  /** Loaded when it is tried. `missing` says why it cannot be had here, and what would help. */
  readonly open: (options: RungOptions) => Promise<Sandbox | { readonly missing: string }>;
}

// The best first.
const ladder: readonly Rung[] = [
  {
    level: "bwrap",
    platform: "linux",
    open: async (options) => (await import("./bubblewrap/open-bubblewrap.ts")).openBubblewrap(options),
  },
  {
    level: "landlock",
    platform: "linux",
    open: async (options) => (await import("./landlock/open-landlock.ts")).openLandlock(options),
  },
  {
    level: "seatbelt",
    platform: "darwin",
    open: async (options) => (await import("./seatbelt/open-seatbelt.ts")).openSeatbelt(options),
  },
];

/** Finds out by trying what can be had here. */
export async function openSandbox(options: SandboxOptions & RungOptions): Promise<Sandbox> {
  const { want } = options;
  if (want === "none") return new NoSandbox();
  const rungs = ladder.filter(({ platform }) => platform === process.platform);
  const tried = want === "auto" ? rungs : rungs.filter(({ level }) => level === want);
  const missing = tried.length === 0 ? [`There is no such sandbox for ${process.platform}.`] : [];
  for (const { open } of tried) {
    const opened = await open(options);
    if (!("missing" in opened)) return missing.length === 0 ? opened : withMissing(opened, missing);
    missing.push(opened.missing);
  }
  if (want === "auto") return new NoSandbox(missing);
  throw new ToolError("unavailable", `The sandbox "${want}" cannot be had here. ${missing.join(" ")}`, {
    hint: `Do what that says, or take the best that can be had: "auto".`,
  });
}

/** Says why it is none of the better ones. */
function withMissing(sandbox: Sandbox, missing: readonly string[]): Sandbox {
  return {
    level: sandbox.level,
    report: { ...sandbox.report, missing },
    ...(sandbox.pipes === undefined ? {} : { pipes: sandbox.pipes }),
    prepare: (launch) => sandbox.prepare(launch),
    close: () => sandbox.close(),
  };
}
