import type { SandboxLevel } from "../contract/account.ts";
import type { SandboxReport } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";

/** "auto": the best that can be had. */
export type SandboxWanted = "auto" | SandboxLevel;

export const sandboxesWanted: readonly SandboxWanted[] = ["auto", "bwrap", "landlock", "seatbelt", "none"];

/** What commands are to run in: as given, else as TOOLCRIB_SANDBOX says. */
export function sandboxWanted(given: string | undefined): SandboxWanted {
  const wanted = given ?? (process.env.TOOLCRIB_SANDBOX || "auto");
  const known = sandboxesWanted.find((name) => name === wanted);
  if (known !== undefined) return known;
  throw new ToolError("invalid-input", `There is no sandbox "${wanted}"`, {
    hint: `Known: ${sandboxesWanted.join(", ")}.${given === undefined ? " Change TOOLCRIB_SANDBOX." : ""}`,
  });
}

/** Of environments that confine nothing. */
export const noSandbox: SandboxReport = {
  level: "none",
  missing: ["This environment confines no commands."],
  gaps: ["Commands reach whatever the person reaches who started them."],
};
