import { describe, expect, it } from "vitest";
import { race, racedActions } from "../../../test/support/environment/race.ts";
import type { PathGuard } from "../../contract/guard.ts";
import { openLocalEnvironment } from "./local-environment.ts";

// The boundary is promised where directories are held by handle. An implementation that checks paths by name loses at least
// one try in a hundred here (docs/decisions/0003), so it passes 600 tries with a probability of 0.3 %; bench/ runs a million.
describe.runIf(process.platform === "linux")("while a directory is exchanged for a link to outside", () => {
  for (const action of racedActions) {
    it(`nothing escapes: ${action}`, { timeout: 120_000 }, async () => {
      const tries = action === "delete tree" ? 300 : 600;
      expect(await race(action, { tries })).toMatchObject({ escapes: 0 });
    });
  }
});

// The names of what is guarded may be listed.
const guardedActions = racedActions.filter((action) => action !== "list");

describe.runIf(process.platform === "linux")("while a directory is exchanged for a link to secrets", () => {
  for (const action of guardedActions) {
    it(`nothing of them is read or changed: ${action}`, { timeout: 120_000 }, async () => {
      const tries = { read: 2000, link: 2000, "delete tree": 300 }[action as string] ?? 600;
      expect(await race(action, { tries, into: "guarded" })).toMatchObject({ escapes: 0 });
    });
  }
});

const guardOutside: PathGuard = (_use, realPath) =>
  /\/outside(?:\/|$)/.test(realPath) ? { reason: "is guarded", rule: "secret outside/**" } : undefined;

describe.runIf(process.platform === "linux")("in a fixture that reaches beyond its workspace", () => {
  // Directories are opened in the workspace alone.
  const others = racedActions.filter((action) => !["list", "held", "snapshot"].includes(action));
  for (const action of others) {
    const tries = action === "delete tree" ? 300 : 600;
    it(`no link leads to what is guarded there: ${action}`, { timeout: 120_000 }, async () => {
      const extraRoots = { directories: ["/"], links: "lead out" } as const;
      const open = (workspace: string) =>
        openLocalEnvironment({ workspace, extraRoots, guard: guardOutside });
      expect(await race(action, { tries, open })).toMatchObject({ escapes: 0 });
    });
    it(`no link leads to what is out of reach: ${action}`, { timeout: 120_000 }, async () => {
      const open = (workspace: string) =>
        openLocalEnvironment({
          workspace,
          extraRoots: { directories: [`${workspace}-other`], links: "lead out" },
        });
      expect(await race(action, { tries, open })).toMatchObject({ escapes: 0 });
    });
  }
});
