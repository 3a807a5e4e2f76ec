import type { Group } from "../harness.ts";
import { measureMeaning } from "../retrieval/measure-meaning.ts";

/** Measures what an embedding model adds to code.search. There is nothing to time. */
export const group: Group = { needs: [], cases: [], run: measureMeaning };
