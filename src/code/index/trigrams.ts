/**
 * Three bytes in a row of a text, as they stand in the index: capitals as small letters, control characters alike, bytes
 * beyond ASCII in what that leaves of seven bits. What differs may look the same here, never the other way round.
 */
export type Trigram = number;

export const trigramCount: number = 2 ** 21;

/** Classes that no byte of ASCII needs: control characters but tab, line feed and return; capitals. */
const spare = [
  ...Array.from({ length: 32 }, (_, code) => code).filter((code) => ![0, 9, 10, 13].includes(code)),
  ...Array.from({ length: 26 }, (_, letter) => 0x41 + letter),
  0x7f,
];

/** The class of each byte, below 128. */
export const byteClasses: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => classOf(byte));

function classOf(byte: number): number {
  if (byte >= 0x80) return spare[byte % spare.length]!;
  if (byte >= 0x41 && byte <= 0x5a) return byte + 0x20;
  if (byte === 0x7f || (byte < 32 && ![9, 10, 13].includes(byte))) return 0;
  return byte;
}

/** How a trigram is written as a term: the order of terms is that of the numbers. */
export function trigramTerm(trigram: Trigram, term: Uint8Array = new Uint8Array(3)): Uint8Array {
  term[0] = trigram >> 14;
  term[1] = (trigram >> 7) & 0x7f;
  term[2] = trigram & 0x7f;
  return term;
}
