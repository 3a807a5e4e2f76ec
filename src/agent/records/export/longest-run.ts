/** How often a character stands in a row at most. */
export function longestRun(text: string, character: string): number {
  let longest = 0;
  let run = 0;
  for (const found of text) {
    run = found === character ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  return longest;
}
