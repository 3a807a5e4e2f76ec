import { relate } from "../search/related-words.ts";
import { stem, termsOf } from "../search/terms.ts";

/** Words of people for what code names with other words, as stems. `relatedWords` has mostly abbreviations. */
export const plainWords: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Array.from(
    relate(`
delete remove drop discard erase eliminate purge; remove clear; remove strip; clear empty reset; empty truncate;
create make build construct generate produce; new fresh; add append attach; attach with; add set;
whole entire complete full; everything all; every each all; folder directory tree; whole tree; recursive tree;
piece part chunk segment slice fragment; section part; cut split divide slice; cut truncate shorten trim clip crop;
break split; short truncate abbreviate; join merge combine concatenate unite; union merge;
overlap intersect intersection; common shared; pick choose select; negotiate choose accept; disk device filesystem;
owner own; wide width column; high height tall; tall row; deep depth level; long length; big large size;
maximum limit; most max; least min; limit restrict bound; wait sleep delay pause; address url uri link;
default fallback; missing absent; reason cause why explanation; explain explanation; several multiple many;
ignore skip exclude omit; permission mode; time timestamp date; reply response answer; bad invalid wrong;
error failure exception; throw raise panic fail; complain error warn; report error; sort order;
place position location; place offset; spot position location; system platform; tell determine;
check determine whether; detect determine guess infer; tell whether; whether can; get obtain retrieve fetch;
find search seek; before pre first; after post; begin start; end last; final last; head first; tail last;
equal same identical; text string; text content; count number; size count; call invoke run execute; store save keep;
save write; put set; load read; open load; show display print; render draw paint; output print write; print echo;
client user; person user; template view; send forward; redirect forward; download attachment; picture image;
verb method; secure https tls; password secret; login authenticate; sign authenticate; allow permit accept;
forbid deny reject refuse; indent indentation; whitespace space blank; letter character; word token; line row;
number numeric; decimal float; add sum plus; subtract minus; difference diff delta; multiply product; match fit;
replace substitute swap; exchange swap; reverse backward; loop each iterate; walk traverse visit; nested sub;
child sub; subcommand child; child content; content entry; item entry element member; record entry row; parent super;
top root main; highest top; copy clone duplicate; exist present; update refresh renew; expire ttl timeout;
age expire; period duration interval; range interval span; stop abort cancel halt; end terminate;
remaining rest pending; remaining next; continue resume next; quit exit; shut close; turn convert;
convert transform translate; interpret parse; understand parse; style format; nice pretty indent; readable pretty;
escape quote; clean sanitize normalize; safe sanitize escape; correct valid; switch toggle; mandatory required;
needed required; unique distinct single only; alone only; hint suggest; suggest similar; near similar close nearest;
help usage; option flag setting; program application app executable; name title label; measure size length;
random shuffle; hidden private internal; visible public; old deprecated legacy; raw bytes binary;
grow expand reserve extend; shrink truncate; compressed zip archive; compress zip pack; unpack extract;
decompress extract; checksum crc hash digest; queue pending; event signal; listen subscribe; notify emit;
decorate wrap; swallow ignore suppress; catch rescue except; meta metadata; filter keep where; pattern glob wildcard;
domain origin; protocol scheme; status code; depend by; based by; given specified; specified particular;
certain specified; whether is has can
`),
    ([word, others]) => [word, new Set(others)],
  ),
);

/** Writes phrases as single words: "figures out" as "determine". */
export function inPlainWords(description: string): string {
  return phrases.reduce((text, [phrase, word]) => text.replace(phrase, word), description);
}

const phrases: readonly (readonly [RegExp, string])[] = [
  [/\b(?:figur|work|find|found)\w* out\b/gi, "determine"],
  [/\blook\w* (?:up|for)\b/gi, "find"],
  [/\b(?:get\w* rid of|(?:tak|throw)\w* (?:away|out))\b/gi, "remove"],
  [/\b(?:falls? back|fill\w* in)\b/gi, "default"],
  [/\bmak\w+ sure\b/gi, "ensure"],
  [/\bset\w* up\b/gi, "init"],
  [/\bput\w* together\b/gi, "join"],
  [/\boperating system\b/gi, "platform"],
  [/\bfile system\b/gi, "filesystem"],
  [/\bhow many\b/gi, "number length"],
  [/\bhow (?:long|big|large)\b/gi, "size length"],
  [/\bhow (deep|wide|high|far|old|often|fast)\b/gi, "$1"],
  [/(\w )where\b/gi, "$1position"],
];

/** Words of every description, as terms. */
export const stopWords: ReadonlySet<string> = new Set(
  (
    "a an the this that these those it its is are was were be been being am do does did done has have had having of in " +
    "on at by to for from with into onto over under about as and or so such too very can could will would shall should " +
    "may might must we you they he she me us them my our your their what which who whom whose when while where why how " +
    "there here just please also some more most up out off away"
  )
    .split(" ")
    .flatMap((word) => [word, ...termsOf(word)]),
);

/** Words that say little: general verbs and quantities. As stems. */
export const lightWords: ReadonlySet<string> = new Set(
  (
    "handle perform implement manage deal responsible take care provide make use give " +
    "all each every any only same other given certain than if whether everything"
  )
    .split(" ")
    .map(stem),
);
