import { bordersOf } from "./borders.ts";

/**
 * Whether bytes stand somewhere in others (Knuth, Morris and Pratt). One pass, whatever they hold: among lines that are
 * all alike `Buffer.includes` takes minutes.
 */
export function holdsBytes(bytes: Uint8Array, sought: Uint8Array): boolean {
  if (sought.length === 0) return true;
  const borders = bordersOf(sought);
  let matched = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    while (matched > 0 && sought[matched] !== byte) matched = borders[matched]!;
    if (sought[matched] === byte) matched += 1;
    if (matched === sought.length) return true;
  }
  return false;
}
