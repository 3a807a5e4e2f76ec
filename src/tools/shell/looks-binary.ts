/**
 * Whether this is no text but the bytes of a picture, an archive, a program. A few odd characters make no binary: lists
 * separated by NUL, old encodings.
 */
export function looksBinary(decoded: string): boolean {
  const sample = decoded.slice(0, sampleChars);
  return (sample.match(odd)?.length ?? 0) > Math.max(fewOdd, sample.length / 10);
}

const fewOdd = 8;
const sampleChars = 8 * 1024;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
const odd = /[\0-\x07\x0e-\x1a\x1c-\x1f\ufffd]/g;
