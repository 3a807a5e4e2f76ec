import { measureEdits } from "../edit/measure-edits.ts";
import type { Group } from "../harness.ts";

/** Calls of edit tools, against the engines of others. They are judged as much as timed, so nothing is left to cases. */
export const group: Group = { needs: [], cases: [], run: measureEdits };
