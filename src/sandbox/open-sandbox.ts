import type { SandboxLevel } from "../contract/call.ts";
import { ToolError } from "../contract/error.ts";
import { NoSandbox, type OpenedSandbox, type Sandbox, type SandboxContext } from "./sandbox.ts";

export interface SandboxOptions extends Pick<SandboxContext, "directory" | "own"> {
  /** "auto": the best one that works here. A level that does not work here is `unavailable`. */
  readonly want: "auto" | SandboxLevel;
}

interface Candidate {
  readonly level: SandboxLevel;
  readonly platform: NodeJS.Platform;
  /** Loads its module on first use. */
  readonly open: (context: SandboxContext) => Promise<OpenedSandbox>;
}

// The best first.
const candidates: readonly Candidate[] = [
  {
    level: "bwrap",
    platform: "linux",
    open: async (context) => (await import("./bubblewrap/open-bubblewrap.ts")).openBubblewrap(context),
  },
  {
    level: "landlock",
    platform: "linux",
    open: async (context) => (await import("./landlock/open-landlock.ts")).openLandlock(context),
  },
  {
    level: "seatbelt",
    platform: "darwin",
    open: async (context) => (await import("./seatbelt/open-seatbelt.ts")).openSeatbelt(context),
  },
];

/** Finds out by trying which sandbox works here. */
export async function openSandbox(options: SandboxOptions & SandboxContext): Promise<Sandbox> {
  const { want } = options;
  if (want === "none") return new NoSandbox();
  const here = candidates.filter(({ platform }) => platform === process.platform);
  const tried = want === "auto" ? here : here.filter(({ level }) => level === want);
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

/** Reports why none of the better ones is used. */
function withMissing(sandbox: Sandbox, missing: readonly string[]): Sandbox {
  return {
    level: sandbox.level,
    report: { ...sandbox.report, missing },
    pipes: sandbox.pipes,
    prepare: (launch) => sandbox.prepare(launch),
    close: () => sandbox.close(),
  };
}
