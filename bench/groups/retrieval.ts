import type { Group } from "../harness.ts";
import { measureRetrieval } from "../retrieval/measure-retrieval.ts";

/** Whether code.search finds what is asked for. It is judged as much as timed, so nothing is left to cases. */
export const group: Group = { needs: [], cases: [], run: measureRetrieval };
