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
