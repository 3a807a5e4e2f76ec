import { bordersOf } from "../lib/borders.ts";

/** Every place where `sought` stands in a text, overlapping ones too. */
export function everyPlace(text: string, sought: string): Iterable<number> {
  return repeatsItself(sought) ? inOnePass(text, sought) : byIndexOf(text, sought);
}

function* byIndexOf(text: string, sought: string): Generator<number> {
  for (let at = text.indexOf(sought); at !== -1; at = text.indexOf(sought, at + 1)) yield at;
}

/** Whether `indexOf` could take seconds a megabyte: it compares from the end, and knows no more than this of it. */
function repeatsItself(sought: string): boolean {
  if (sought.length <= knownChars) return false;
  const period = knownChars - bordersOf(sought.slice(-knownChars))[knownChars]!;
  return period <= shortPeriod;
}

const knownChars = 250;
const shortPeriod = 60;

/** As Knuth, Morris and Pratt do: slower, but never worse. */
function* inOnePass(text: string, sought: string): Generator<number> {
  const borders = bordersOf(sought);
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (matched === sought.length) matched = borders[matched]!;
    while (matched > 0 && sought.charCodeAt(matched) !== code) matched = borders[matched]!;
    if (sought.charCodeAt(matched) === code) matched += 1;
    if (matched === sought.length) yield at + 1 - matched;
  }
}
