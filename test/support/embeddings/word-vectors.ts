import { nameWords, stem } from "../../../src/code/search/terms.ts";

const dimensions = 64;

/** A vector of the words of a text by their hashes. Words of one line have one meaning. */
export function wordVector(text: string): Float32Array {
  const vector = new Float32Array(dimensions).fill(0.01);
  for (const word of nameWords(text)) vector[hashOf(meanings.get(stem(word)) ?? stem(word))]! += 1;
  return vector;
}

const meanings = new Map(
  ["receipt invoice bill", "dispatch parcel shipment post courier", "greet welcome salute"].flatMap(
    (line) => {
      const words = line.split(" ").map(stem);
      return words.map((word) => [word, words[0]!] as const);
    },
  ),
);

function hashOf(word: string): number {
  let hash = 7;
  for (const letter of word) hash = (hash * 31 + letter.charCodeAt(0)) % 65_521;
  return hash % dimensions;
}
