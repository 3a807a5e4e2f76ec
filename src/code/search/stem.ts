/**
 * A word without the endings that say nothing of its meaning: plural, -ing, -ed, and the e before them. Only to compare
 * words with; wrong for some, but in the same way on both sides.
 */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  const singular = withoutPlural(word);
  const bare = withoutParticiple(singular);
  return bare.length > 3 && bare.endsWith("e") ? bare.slice(0, -1) : bare;
}

function withoutPlural(word: string): string {
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith("s") && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word;
}

function withoutParticiple(word: string): string {
  const match = /^(.*[aeiouy].*?)(?:ing|ed)$/.exec(word);
  const bare = match?.[1];
  if (bare === undefined || bare.length < 3) return word;
  // "mapped", "running"; but "calling", "passing".
  return /([^aeiouylsz])\1$/.test(bare) ? bare.slice(0, -1) : bare;
}
