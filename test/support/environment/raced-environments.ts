import type { PathGuard } from "../../../src/contract/guard.ts";
import { openLocalEnvironment } from "../../../src/environment/local/local-environment.ts";
import { type RacedAction, type RaceOptions, racedActions } from "./race.ts";

const guardOutside: PathGuard = (_use, realPath) =>
  /\/outside(?:\/|$)/.test(realPath) ? { reason: "is guarded", rule: "secret outside/**" } : undefined;

interface Raced {
  readonly options: RaceOptions;
  readonly actions: readonly RacedAction[];
}

// Directories are opened in the workspace only.
const beyond = racedActions.filter((action) => !["list", "held", "snapshot"].includes(action));

/** Environments whose boundary must hold, by the target that links must not reach. */
export const racedEnvironments = {
  outside: { options: {}, actions: racedActions },
  // The names of guarded entries may be listed.
  secrets: { options: { into: "guarded" }, actions: racedActions.filter((action) => action !== "list") },
  "what is guarded beyond the workspace": {
    options: {
      open: (workspace) =>
        openLocalEnvironment({
          workspace,
          extraRoots: { directories: ["/"], links: "lead out" },
          guard: guardOutside,
        }),
    },
    actions: beyond,
  },
  "what is out of reach beyond the workspace": {
    options: {
      open: (workspace) =>
        openLocalEnvironment({
          workspace,
          extraRoots: { directories: [`${workspace}-other`], links: "lead out" },
        }),
    },
    actions: beyond,
  },
} as const satisfies Readonly<Record<string, Raced>>;
