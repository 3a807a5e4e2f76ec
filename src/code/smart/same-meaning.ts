/**
 * Whether a text says what another does, but for blanks, quotes, brackets, separators and slips of typing. A word of its own
 * in the file is no slip.
 */
export function meansTheSame(wanted: string, found: string, file: string): boolean {
  const [one, other] = [wanted.match(signs) ?? [], found.match(signs) ?? []];
  return (
    one.length === other.length &&
    one.every((sign, index) => sign === other[index] || isSlip(sign, other[index]!, file))
  );
}

/** Names, numbers, and the signs that compute or compare. */
const signs = /[\p{L}\p{N}_$]+|&&|[-+*/%<>=!|^~?]/gu;

/** Two neighbours changed over, or a letter too few or too many, inside a word of some length: at its end it may be a plural. */
function isSlip(wanted: string, found: string, file: string): boolean {
  const [shorter, longer] = wanted.length < found.length ? [wanted, found] : [found, wanted];
  if (shorter.length < leastLetters || longer.length > shorter.length + 1) return false;
  let head = 0;
  while (head < shorter.length && shorter[head] === longer[head]) head += 1;
  let tail = 0;
  while (tail < shorter.length - head && shorter.at(-1 - tail) === longer.at(-1 - tail)) tail += 1;
  if (!isWithin(longer, head, longer.length - tail)) return false;
  const isOneMore = longer.length > shorter.length && head + tail === shorter.length;
  const isSwapped =
    longer.length === shorter.length &&
    head + tail === shorter.length - 2 &&
    shorter[head] === longer[head + 1] &&
    shorter[head + 1] === longer[head];
  return (isOneMore || isSwapped) && !hasWord(file, wanted);
}

const leastLetters = 5;

/** Between letters of one part of a name: the ends of its parts tell "user_ids" from "user_id", "isSet" from "isSets". */
function isWithin(word: string, start: number, end: number): boolean {
  return (
    /^\p{L}$/u.test(word[start - 1] ?? "") &&
    /^\p{Ll}$/u.test(word[end] ?? "") &&
    /^\p{Ll}+$/u.test(word.slice(start, end))
  );
}

function hasWord(file: string, word: string): boolean {
  for (let at = file.indexOf(word); at !== -1; at = file.indexOf(word, at + 1)) {
    const [before, after] = [file[at - 1] ?? "", file[at + word.length] ?? ""];
    if (!/[\p{L}\p{N}_$]/u.test(before) && !/[\p{L}\p{N}_$]/u.test(after)) return true;
  }
  return false;
}
