import { findLanguage } from "../languages/find-language.ts";

/**
 * Grammars with a function of more than 170 kB. V8 compiles what gets hot a second time, with care: for such a function
 * that takes many seconds, and in Node 24 so much memory that the process is ended. Where they run, it must be told not to.
 */
export const heavyGrammars: ReadonlySet<string> = new Set([
  "elixir",
  "fortran",
  "latex",
  "powershell",
  "swift",
  "vim",
]);

export function isHeavy(language: string): boolean {
  return heavyGrammars.has(findLanguage(language).grammar);
}
