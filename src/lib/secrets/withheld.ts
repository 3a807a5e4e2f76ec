import { findKeys } from "./find-keys.ts";
import { hasPrivateKey } from "./private-keys.ts";
import { kindOfName } from "./secret-names.ts";

/**
 * Returns whether a name is that of a secret, whatever its value: also one that names a secret before its last word. It is
 * stricter than redaction, because a variable that a command misses costs less than a secret that it gets.
 */
export function namesSecret(name: string): boolean {
  if (workingDirectories.has(name)) return false;
  const words = name.replace(/([a-z\d])([A-Z])/g, "$1_$2").split(/[^A-Za-z\d]+/);
  return words.some((_, index) => {
    const last = words.slice(Math.max(0, index - 1), index + 1).join("_");
    return kindOfName(last) !== undefined || secretEnding.test(last);
  });
}

const workingDirectories: ReadonlySet<string> = new Set(["PWD", "OLDPWD"]);

/** Matches names that redaction leaves alone, because most text with them is harmless. */
const secretEnding =
  /(?:^|_)(?:auth|authorization|cookies?|creds?|dsn|mnemonic|pats?|webhooks?|conn(?:ection)?_?str(?:ings?)?|passwd|passwords)$|pw$|(?<!(?:^|_)(?:by|com|encom|over|sur|tres|under))pass$|(?<!don|hoc|hot|joc|mon|tur|whis)key$/i;

/** Returns whether a value contains a secret, the password of an address, or an assignment to the name of a secret. */
export function holdsSecret(value: string): boolean {
  if (userAndPassword.test(value) || hasPrivateKey(value) || findKeys(value).length > 0) return true;
  return [...value.matchAll(assigned)].some(([, name = "", option = name]) => namesSecret(option));
}

/** Matches `postgres://user:password@host`, `user:password@tcp(host)` and `https://token@host`. */
const userAndPassword = /(?:^|:\/\/)[^\s/@:]*:[^\s/@]+@|https?:\/\/[^\s/@]+@/;
/** Matches `name=value`, `"name": "value"`, `name: value` and `--name value`. */
const assigned = /([\w.-]{1,64})(?:=|["'`]\s?:|:\s)\s?[^\s=]|--([\w-]{1,64})\s+[^\s-]/g;
