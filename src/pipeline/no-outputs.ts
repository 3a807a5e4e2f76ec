import type { Outputs } from "../contract/output.ts";
import { newIdentifier } from "../lib/identifier.ts";

/** Where nothing can be kept. */
export const noOutputs: Outputs = {
  begin: () => ({
    handle: newIdentifier("out"),
    isFull: true,
    isLost: true,
    write: async () => {},
    end: async () => ({ keptBytes: 0, isWhole: false }),
  }),
};
