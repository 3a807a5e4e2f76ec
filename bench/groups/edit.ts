import { measureEdits } from "../edit/measure-edits.ts";
import type { Group } from "../harness.ts";

/**
 * Compares edit calls with the engines of others. Correctness counts as much as time, so there are no timed cases.
 */
export const group: Group = { needs: [], cases: [], run: measureEdits };
