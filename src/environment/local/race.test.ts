import { describe, expect, it } from "vitest";
import { race, racedActions } from "./trials/race.ts";

// The boundary is promised where directories are held by handle. bench/ runs a million of each.
describe.runIf(process.platform === "linux")("while a directory is exchanged for a link to outside", () => {
  for (const action of racedActions) {
    it(`nothing escapes: ${action}`, { timeout: 120_000 }, async () => {
      const tries = action === "delete tree" ? 1000 : 3000;
      expect(await race(action, { tries })).toMatchObject({ escapes: 0 });
    });
  }
});

// The names of what is guarded may be listed.
const guardedActions = racedActions.filter((action) => action !== "list");

describe.runIf(process.platform === "linux")("while a directory is exchanged for a link to secrets", () => {
  for (const action of guardedActions) {
    it(`nothing of them is read or changed: ${action}`, { timeout: 120_000 }, async () => {
      const tries = { read: 10_000, link: 10_000, "delete tree": 1000 }[action as string] ?? 3000;
      expect(await race(action, { tries, into: "guarded" })).toMatchObject({ escapes: 0 });
    });
  }
});
