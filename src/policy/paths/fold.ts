/**
 * A spelling that names which a file system, or an eye, takes for the same have in common: NFKC, case folded, without
 * characters that cannot be seen. For rules that refuse; what allows is compared exactly.
 */
export function fold(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toLowerCase()
    .toUpperCase()
    .toLowerCase();
}
