import type { SandboxLevel } from "../contract/call.ts";
import { ToolError } from "../contract/error.ts";
import { NoSandbox, type OpenedSandbox, type Sandbox, type SandboxContext } from "./sandbox.ts";

export interface SandboxOptions
  extends Pick<SandboxContext, "directory" | "own" | "temporary" | "exposed" | "alsoVisible"> {
  /** "auto": the strongest sandbox that works on this machine. Any other level fails with `unavailable` if it does not work. */
  readonly want: "auto" | SandboxLevel;
}

type Open = (context: SandboxContext) => Promise<OpenedSandbox>;

type Candidates = Partial<Record<NodeJS.Platform, readonly (readonly [SandboxLevel, Open])[]>>;

/** The sandboxes of each platform, strongest first. Each module is loaded on first use. */
const candidates: Candidates = {
  linux: [
    ["bwrap", async (context) => (await import("./bubblewrap/open-bubblewrap.ts")).openBubblewrap(context)],
    ["landlock", async (context) => (await import("./landlock/open-landlock.ts")).openLandlock(context)],
  ],
};

/** Sandboxes that are used only when they are named, because an untested one must not claim a level by itself. */
const untried: Candidates = {
  darwin: [
    ["seatbelt", async (context) => (await import("./seatbelt/open-seatbelt.ts")).openSeatbelt(context)],
  ],
};

/** Opens the requested sandbox. Tests it by running a program in it. */
export async function openSandbox(
  options: SandboxOptions & SandboxContext,
  platform: NodeJS.Platform = process.platform,
): Promise<Sandbox> {
  const { want } = options;
  if (want === "none") return new NoSandbox();
  const here = candidates[platform] ?? [];
  const tried =
    want === "auto" ? here : [...here, ...(untried[platform] ?? [])].filter(([level]) => level === want);
  const missing: string[] = tried.length === 0 ? [missingOn(platform, want)] : [];
  for (const [, open] of tried) {
    const opened = await open(options);
    if (!("missing" in opened)) return missing.length === 0 ? opened : withMissing(opened, missing);
    missing.push(opened.missing);
  }
  if (want === "auto") return new NoSandbox(missing);
  throw new ToolError("unavailable", `The sandbox "${want}" is not available. ${missing.join(" ")}`, {
    hint: 'Use "auto" for the strongest sandbox that works here.',
  });
}

function missingOn(platform: NodeJS.Platform, want: SandboxOptions["want"]): string {
  if (want !== "auto") return `There is no such sandbox for ${platform}.`;
  if (platform === "darwin")
    return 'On macOS, work in a Linux container or on another machine, for example with --target docker:NAME. The setting sandbox = "seatbelt" confines commands with a profile that is untried.';
  return `There is no sandbox for ${platform}.`;
}

/** Adds to a sandbox's report why no stronger one is used. */
function withMissing(sandbox: Sandbox, missing: readonly string[]): Sandbox {
  return {
    level: sandbox.level,
    report: { ...sandbox.report, missing },
    pipes: sandbox.pipes,
    prepare: (launch) => sandbox.prepare(launch),
    ...(sandbox.connect && { connect: (port: number) => sandbox.connect!(port) }),
    close: () => sandbox.close(),
  };
}
