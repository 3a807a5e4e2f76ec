/** Returns the kind of secret that a name indicates; undefined for other names. */
export function kindOfName(name: string): string | undefined {
  if (!mayEndName(name, name.length)) return undefined;
  const [, password, token, key, secret] = secretName.exec(name) ?? [];
  if (password !== undefined) return "password";
  if (token !== undefined) return "token";
  if (key !== undefined) return "key";
  return secret === undefined ? undefined : "secret";
}

const secretName =
  /(?:(passw(?:or)?d|passphrase|pwd|(?<![a-z])pass)|(tokens?)|((?:api|access|secret|private|account|auth|encryption|signing|shared|master|deploy|storage)[_-]?key)|(secrets?|credentials?))$/i;

/** Returns whether the last three letters before `end` may be those of the name of a secret. */
export function mayEndName(text: string, end: number): boolean {
  if (end < 3 || lastLetters[text.charCodeAt(end - 1) & 127] === 0) return false;
  return endings[packed(text, end)] === 1;
}

// The last three letters of a name show quickly whether it can be relevant. Other characters may count as letters.
const endings = new Uint8Array(32 ** 3);
const lastLetters = new Uint8Array(128);
for (const letters of "ord swd pwd ase ass ken ens key ret ets ial als ion".split(" ")) {
  endings[packed(letters, 3)] = 1;
  const last = letters.charCodeAt(2);
  lastLetters[last] = 1;
  lastLetters[last & ~0x20] = 1;
}

/** Returns the three letters before `end` as one number, the same for capital letters. */
function packed(text: string, end: number): number {
  return (
    ((text.charCodeAt(end - 3) & 31) << 10) |
    ((text.charCodeAt(end - 2) & 31) << 5) |
    (text.charCodeAt(end - 1) & 31)
  );
}
