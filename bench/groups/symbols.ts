import type { Group } from "../harness.ts";
import { measureSymbols } from "../symbols/measure-symbols.ts";

/** What we find in code of what universal-ctags finds. It is compared more than timed, so nothing is left to cases. */
export const group: Group = { needs: [], cases: [], run: measureSymbols };
