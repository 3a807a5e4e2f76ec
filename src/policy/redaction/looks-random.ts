/** Whether a value that is named as a key can be one: long, and not made of words. */
export function looksLikeKey(value: string): boolean {
  const { length } = value;
  if (length < 16 || length > 2048 || !/^[\x21-\x7e]+$/.test(value)) return false;
  return hasLetterAndDigit(value) && wordLength(value) <= 2.6 && variety(value) >= 8 && !isPlaceholder(value);
}

/** The same for a password: shorter, if it has the signs that only passwords have. */
export function looksLikePassword(value: string): boolean {
  const { length } = value;
  if (length < 8 || length > 128 || !/^[\x21-\x7e]+$/.test(value) || /^[/^]/.test(value)) return false;
  if (!hasLetterAndDigit(value) || variety(value) < 5 || isPlaceholder(value)) return false;
  return /[!$%&*?~^]/.test(value) || wordLength(value) <= 2.3;
}

/** What people write where a secret is to come, and what programs and templates put there. */
export function isPlaceholder(value: string): boolean {
  return placeholder.test(value);
}

const placeholder =
  /x{3}|\*{3}|\.{3}|…|change.?me|example|placeholder|your|dummy|sample|redacted|todo|fixme|insert|replace|test|fake|mock|foobar|123456|abcdef|\$\{|\$\(|\{\{|^\$\w|^[<[{(%]|[>\]})%]$|\benv\b|process\.|environ|secrets?\.|:\/\/|^(?:\.{0,2}|~)\/[\w.-]+\/|^data:/i;

function hasLetterAndDigit(value: string): boolean {
  return /[A-Za-z]/.test(value) && /\d/.test(value);
}

/** How long the words in a value are: about two letters where chance has chosen them, more where somebody has. */
function wordLength(value: string): number {
  const words = value.match(/[A-Z]?[a-z]+|[A-Z]+|\d+|[^\w/.-]/g) ?? [];
  return words.join("").length / words.length;
}

/** How many different letters a value has. */
function variety(value: string): number {
  return new Set(value).size;
}
