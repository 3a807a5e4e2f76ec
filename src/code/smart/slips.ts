/**
 * Returns whether a word of a location is a typing error for a word of the file: two swapped letters, or one missing or
 * extra letter, inside a longer part of the name. A word of the file or of the language is not a typing error.
 */
export function isSlip(wanted: string, found: string, file: string, leastLetters: number): boolean {
  const [shorter, longer] = wanted.length < found.length ? [wanted, found] : [found, wanted];
  if (longer.length > shorter.length + 1) return false;
  let head = 0;
  while (head < shorter.length && shorter[head] === longer[head]) head += 1;
  let tail = 0;
  while (tail < shorter.length - head && shorter.at(-1 - tail) === longer.at(-1 - tail)) tail += 1;
  const isOneMore = longer.length > shorter.length && head + tail === shorter.length;
  const isSwapped =
    longer.length === shorter.length &&
    head + tail === shorter.length - 2 &&
    shorter[head] === longer[head + 1] &&
    shorter[head + 1] === longer[head];
  if (!(isOneMore || isSwapped) || !isWithin(longer, head, longer.length - tail)) return false;
  return (
    partAt(found, head).length >= leastLetters && !words.has(partAt(wanted, head)) && !hasWord(file, wanted)
  );
}

/** Returns whether only the case of a longer word differs, and the file does not have it as it was given. */
export function isOtherCase(wanted: string, found: string, file: string): boolean {
  return (
    wanted.length >= leastOtherCase &&
    wanted !== found &&
    wanted.toLowerCase() === found.toLowerCase() &&
    !hasWord(file, wanted)
  );
}

const leastOtherCase = 5;

/** Returns how many letters one word lacks of the other, ignoring case; undefined for more than `most`. */
export function distanceOf(wanted: string, found: string, most: number): number | undefined {
  const [one, other] = [wanted.toLowerCase(), found.toLowerCase()];
  if (one === other) return 0;
  if (Math.abs(one.length - other.length) > most) return undefined;
  let [beforeLast, last] = [[] as number[], Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      let least = Math.min(last[column]! + 1, next[column - 1]! + 1, last[column - 1]! + (isSame ? 0 : 1));
      if (row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1])
        least = Math.min(least, beforeLast[column - 2]! + 1);
      next.push(least);
    }
    if (Math.min(...next) > most) return undefined;
    [beforeLast, last] = [last, next];
  }
  return last.at(-1)! <= most ? last.at(-1) : undefined;
}

/** Compares inside one part of a name: its ends distinguish "user_ids" from "user_id", and "handlers" from "handles". */
function isWithin(word: string, start: number, end: number): boolean {
  return (
    /^\p{L}$/u.test(word[start - 1] ?? "") &&
    /^\p{Ll}+$/u.test(word.slice(start, end)) &&
    /^\p{Ll}/u.test(word.slice(end)) &&
    !/^s(?!\p{Ll})/u.test(word.slice(end))
  );
}

/** Returns the lower-case part of a name around a letter: "payment" in "processPaymentRequest". */
function partAt(name: string, at: number): string {
  const before = /\p{Lu}?\p{Ll}*$/u.exec(name.slice(0, at))![0];
  return (before + /^\p{Ll}*/u.exec(name.slice(at))![0]).toLowerCase();
}

function hasWord(file: string, word: string): boolean {
  for (let at = file.indexOf(word); at !== -1; at = file.indexOf(word, at + 1)) {
    const [before, after] = [file[at - 1] ?? "", file[at + word.length] ?? ""];
    if (!/[\p{L}\p{N}_$]/u.test(before) && !/[\p{L}\p{N}_$]/u.test(after)) return true;
  }
  return false;
}

/** Words that one typing error turns into another word. Gathered from the names and texts of 77 MB of packages. */
const words: ReadonlySet<string> = new Set(
  (
    "until where users match cause least patch exist reset world short timer width there three status stats starts stars " +
    "float spend spawn start plain speed stays reply replay relay states stale stable reused refused tracing tracking " +
    "reuse refuse slice splice though through thorough string storing cases causes suite sites assets asserts compat " +
    "compact exits exists tracer tracker clause react redact unset unsent backed backend drive derive mtime asset assert " +
    "exiting existing contact contract spent lives stdio studio exited existed front loose relies replies preset present " +
    "making marking masking brand stray phase phrase tuning turning heard chars charts loses shell tuned turned proof " +
    "casing causing casting voice later latter pings phases phrases stated started stating starting caching catching " +
    "reorder recorder spans spawns party parity partly areas cased caused logos intro sending spending nonce hoist hosted " +
    "hoisted handed handled macro retired retried traced tracked timed tried indeed indexed macros slide stage treat " +
    "threat booth lance refuses reuses refusing reusing seven cores shard shared complaint compliant sliced spliced maker " +
    "marker except excerpt expect trips solve boost chart ident indent locals locales manage manpage trial trail casual " +
    "causal quiet quite angle angel desert dessert county country united untied statue statute diary dairy border boarder " +
    "scared sacred stared prefect perfect planed planned hoping hopping moral mortal signed singed marital martial unite " +
    "untie lighting lightning conversation conservation costumer customer revolve resolve involve adverse averse precede " +
    "proceed personal personnel eminent imminent collage college prescribe proscribe"
  ).split(" "),
);
