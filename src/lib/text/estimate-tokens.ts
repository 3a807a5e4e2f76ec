/**
 * Estimates a text's tokens for any tokenizer, rather too high than too low. Words cost little, digits and signs more,
 * a character of another script up to one token, and long runs without a blank (hashes, base64) nearly that.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let run = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit > 127) {
      // A surrogate is usually half of an emoji.
      const isSurrogate = unit >= 0xd800 && unit <= 0xdfff;
      tokens += isSurrogate ? costs.surrogate : costs.foreign;
      run = 0;
    } else if (isBlank[unit]) {
      tokens += costs.blank;
      run = 0;
    } else {
      run += 1;
      tokens += run > longRun ? costs.dense : isLetter[unit] ? costs.letter : costs.sign;
    }
  }
  return Math.ceil(tokens);
}

/** The highest cost of one UTF-16 unit. */
export const mostTokensPerUnit = 1.5;

const costs = { surrogate: mostTokensPerUnit, foreign: 1.1, blank: 0.2, letter: 0.3, sign: 0.6, dense: 0.85 };
const longRun = 40;
const isLetter = new Uint8Array(128).fill(1, 0x41, 0x5b).fill(1, 0x61, 0x7b);
// Space, tab, line feed, vertical tab, form feed and carriage return.
const isBlank = new Uint8Array(128).fill(1, 0x20, 0x21).fill(1, 0x09, 0x0e);
