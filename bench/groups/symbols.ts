import type { Group } from "../harness.ts";
import { measureSymbols } from "../symbols/measure-symbols.ts";

/**
 * Compares our symbols with those of universal-ctags. Completeness counts more than time, so there are no timed
 * cases.
 */
export const group: Group = { needs: [], cases: [], run: measureSymbols };
