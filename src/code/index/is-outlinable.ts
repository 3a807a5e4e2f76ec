import { rulesOf } from "../symbols/rules-of.ts";

/** Whether a file of this language has symbols to be known. */
export function isOutlinable(language: string | undefined): boolean {
  return language !== undefined && rulesOf(language) !== undefined;
}
