/**
 * Returns the candidate that `word` probably means: equal except for case and separators, else a few typing errors
 * away, else the only one with the same last word (`file_path` → `path`). Earlier candidates win ties. A very long word
 * means none, because programs of models can make such words, and the comparison would take minutes.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > maxChars) return undefined;
  const known = [...candidates];
  const plain = plainSpelling(word);
  if (plain === "") return undefined;
  const found = known.find((candidate) => plainSpelling(candidate) === plain) ?? fewestErrors(plain, known);
  if (found !== undefined) return found;
  const sameLastWord = known.filter((candidate) => lastWord(candidate) === lastWord(word));
  return sameLastWord.length === 1 ? sameLastWord[0] : undefined;
}

const maxChars = 1_000;

function fewestErrors(plain: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const other = plainSpelling(candidate);
    // One error in three letters is a typing error; more means another word.
    const allowed = Math.floor(Math.max(plain.length, other.length, 3) / 3);
    if (Math.abs(plain.length - other.length) > allowed) continue;
    const errors = typingErrors(plain, other);
    if (errors > allowed || errors >= fewest) continue;
    best = candidate;
    fewest = errors;
  }
  return best;
}

/** Computes the Damerau-Levenshtein distance (optimal string alignment). */
function typingErrors(left: string, right: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      current[column] = Math.min(
        previous[column]! + 1,
        current[column - 1]! + 1,
        previous[column - 1]! + (isSame ? 0 : 1),
        row > 1 && column > 1 && isSwapped ? beforePrevious[column - 2]! + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[right.length]!;
}

function lastWord(name: string): string | undefined {
  const words = name.split(/[^\p{L}\p{N}]+|(?<=\p{Ll})(?=\p{Lu})/u);
  return words.findLast((part) => part !== "")?.toLowerCase();
}

function plainSpelling(name: string): string {
  return name.toLowerCase().replace(/[\s._-]+/g, "");
}
