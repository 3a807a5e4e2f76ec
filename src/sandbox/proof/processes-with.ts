import { readFileSync } from "node:fs";
import { namesIn } from "../../system/names-in.ts";

/** The numbers of processes with just these words; of none where there is no /proc. */
export function processesWith(...words: readonly string[]): readonly number[] {
  const wanted = words.map((word) => `${word}\0`).join("");
  const numbers = namesIn("/proc").filter((name) => /^\d+$/.test(name));
  return numbers.filter((pid) => wordsOf(pid) === wanted).map(Number);
}

function wordsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    // It has ended meanwhile.
    return "";
  }
}
