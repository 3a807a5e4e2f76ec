import type { Group } from "../harness.ts";
import { measureTokens } from "../tokens/measure-tokens.ts";

/** Measures the tokens that tasks take with and without what saves them. There is nothing to time. */
export const group: Group = { needs: [], cases: [], run: measureTokens };
