import type { Group } from "../harness.ts";
import { measureRetrieval } from "../retrieval/measure-retrieval.ts";

/**
 * Measures whether code.search finds the right code. Correctness counts as much as time, so there are no timed cases.
 */
export const group: Group = { needs: [], cases: [], run: measureRetrieval };
