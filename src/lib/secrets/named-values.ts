import type { Secret } from "./secret.ts";
import { kindOfName, mayEndName } from "./secret-names.ts";

/** Finds values that are secret by their name: `name: value`, `--name value`, or a password in a URL. */
export function findNamedValues(text: string): readonly Secret[] {
  const found: Secret[] = [];
  for (const sign of [":", "="] as const) {
    let next = 0;
    for (let at = nextSign(text, sign, 0); at >= 0; at = nextSign(text, sign, next)) {
      const isUrl = sign === ":" && text.charCodeAt(at + 1) === slash;
      const secret = isUrl ? passwordInUrl(text, at + 1) : valueOfName(text, at, sign);
      if (secret !== undefined) found.push(secret);
      next = secret?.end ?? at + 1;
    }
  }
  if (text.includes("password "))
    for (const match of text.matchAll(netrcPassword)) {
      const [whole, lead = "", value = ""] = match;
      const start = match.index + whole.length - value.length;
      if (lead.includes("login") || looksLikeKey(value) || isRandom(value))
        found.push({ kind: "password", start, end: start + value.length });
    }
  if (text.includes("ookie"))
    for (const { 0: whole, 1: pairs = "", index } of text.matchAll(cookieHeader)) {
      const from = index + whole.length - pairs.length;
      for (const { 0: pair, 1: value = "", index: at } of pairs.matchAll(cookiePair)) {
        const start = from + at + pair.length - value.length;
        if (looksLikeKey(value)) found.push({ kind: "cookie", start, end: start + value.length });
      }
    }
  for (let at = text.indexOf("--"); at >= 0; at = text.indexOf("--", at + 2)) {
    const secret = valueOfOption(text, at);
    if (secret !== undefined) found.push(secret);
  }
  return found;
}

/** Matches the password in a .netrc, on one line or on one of its own. */
const netrcPassword =
  /^[ \t]{0,40}((?:(?:machine[ \t]{1,9}\S{1,200}|default)[ \t]{1,9})?(?:login[ \t]{1,9}\S{1,200}[ \t]{1,9})?)password[ \t]{1,9}([\x21-\x7e]{8,200})$/gm;
const cookieHeader = /\b(?:set-)?cookie["']?[ \t]{0,4}:[ \t]{0,4}["']?([^"'\n\r]{8,4096})/gi;
const cookiePair = /[\w.-]{1,60}=([^;,\s]{16,2048})/g;

/** Returns the position of the next sign that may follow a secret's name or the scheme of a URL; -1 if there is none. */
function nextSign(text: string, sign: ":" | "=", from: number): number {
  for (let at = text.indexOf(sign, from); at >= 0; at = text.indexOf(sign, at + 1)) {
    if (mayEndName(text, endOfName(text, at))) return at;
    if (sign === ":" && text.charCodeAt(at + 1) === slash) return at;
  }
  return -1;
}

/** Returns whether a value can be a secret of this kind. */
export function fitsName(kind: string, value: string): boolean {
  return kind === "password" ? looksLikePassword(value) || looksLikeKey(value) : looksLikeKey(value);
}

function valueOfName(text: string, at: number, sign: ":" | "="): Secret | undefined {
  const end = endOfName(text, at);
  if (!mayEndName(text, end)) return undefined;
  const value = startOfValue(text, at, sign);
  if (value === undefined) return undefined;
  const name = text.slice(Math.max(0, end - longestName), end);
  if (authorization.test(name)) return bearerToken(text, value);
  const kind = kindOfName(name);
  return kind === undefined ? undefined : valueAt(text, value, kind);
}

const longestName = 24;
const option = /--([a-z][\w-]{0,40})[ \t]+/iy;

/** Finds the secret value of an option such as `--api-key …`. */
function valueOfOption(text: string, at: number): Secret | undefined {
  option.lastIndex = at;
  const [before, name] = option.exec(text) ?? [];
  const kind = before === undefined || name === undefined ? undefined : kindOfName(name);
  return kind === undefined ? undefined : valueAt(text, at + before!.length, kind);
}

/** Returns the end of a name before its sign. Between them there may be a blank, and the end of a string. */
function endOfName(text: string, at: number): number {
  let end = at;
  if (end > 0 && text.charCodeAt(end - 1) === blank) end -= 1;
  if (end > 0 && isQuote(text.charCodeAt(end - 1))) end -= 1;
  return end > 0 && text.charCodeAt(end - 1) === backslash ? end - 1 : end;
}

function isQuote(code: number): boolean {
  return code === 0x22 || code === 0x27 || code === 0x60;
}

const slash = 0x2f;
const blank = 0x20;
const backslash = 0x5c;

/** Returns the start of the value after ":", "=", ":=" or "=>"; undefined after a sign that gives no value. */
function startOfValue(text: string, at: number, sign: ":" | "="): number | undefined {
  const before = text[at - 1]!;
  const after = text[at + 1];
  if (after === ":" || before === ":" || (sign === "=" && (after === "=" || "=!<>+".includes(before))))
    return undefined;
  let start = at + (after === "=" || after === ">" ? 2 : 1);
  while (text[start] === " " || text[start] === "\t") start += 1;
  return start;
}

const longestValue = 2048;
const quote = /\\?["'`]/y;
// Only the beginning of a value is checked. In a text of names alone, each value would otherwise extend to the end.
const bareBeginning = /[^\s"'`,;&|<>(){}[\]\\]{8,256}/y;
const bareRest = /[^\s"'`,;&|<>(){}[\]\\]{0,1792}/y;
const passwordBeginning = /(?:[^\s"'`,;&|<>(){}[\]\\]|(?<![&|])[&|](?![&|\s])(?!\w{1,40}=)){8,128}/y;
// A delimiter does not end a value that continues, unless another name follows: `Winter&2024;user=ada`.
const signsWithin =
  /(?:[^\s"'`,;&|<>(){}[\]\\]|[,;&|<>(){}[\]]{1,8}(?=[^\s"'`,;&|<>(){}[\]\\/])(?![a-z][\w.-]{0,40}(?: \w{1,20})?[=:])){0,1792}/iy;
// A call, an index or a type follows an expression, not a value. The end of an element ends a value.
const codeAfter = /[([{]|<(?!\/)/y;

function valueAt(text: string, at: number, kind: string): Secret | undefined {
  const open = matchAt(quote, text, at);
  if (open === undefined) return bareValue(text, at, kind);
  const start = at + open.length;
  const [value, isClosed] = text.slice(start, start + longestValue).split(open, 2);
  if (value === undefined || isClosed === undefined || !fitsName(kind, value)) return undefined;
  return { kind, start, end: start + value.length };
}

/** Finds an unquoted value, which the text before the first delimiter identifies. A password may contain delimiters. */
function bareValue(text: string, start: number, kind: string): Secret | undefined {
  const patterns = kind === "password" ? [bareBeginning, passwordBeginning] : [bareBeginning];
  const beginnings = patterns.map((pattern) => matchAt(pattern, text, start));
  const beginning = beginnings.find((value) => value !== undefined && fitsName(kind, value));
  if (beginning === undefined) return undefined;
  const end = endOf(bareRest, text, start + beginning.length);
  if (matchAt(codeAfter, text, end) !== undefined || member.test(text.slice(start, end))) return undefined;
  return { kind, start, end: kind === "password" ? endOf(signsWithin, text, end) : end };
}

/** `tokens.byName2` is an expression, not a value. */
const member = /^[a-z_$][\w$]*(?:\??\.[a-z_$][\w$]*)+$/i;

const authorization = /authorization$/i;
const bearer = /\\?["'`]?(?:bearer|basic|token) +/iy;
const bearerValue = /[^\s"'`,;\\(){}<>$]{12,}/y;

function bearerToken(text: string, at: number): Secret | undefined {
  const scheme = matchAt(bearer, text, at);
  if (scheme === undefined) return undefined;
  const start = at + scheme.length;
  const value = matchAt(bearerValue, text, start);
  if (value === undefined || placeholder.test(value) || !/\d/.test(value)) return undefined;
  return { kind: "bearer token", start, end: start + value.length };
}

const userInfo = /\/\/([^\s/?#"'`<>:@]*):([^\s/?#"'`<>@]{4,256})@(?!(?:[\w.-]+\.)?example\b)[\w[]/y;

/** Finds the password in `https://user:password@host`, except for common example passwords. */
function passwordInUrl(text: string, at: number): Secret | undefined {
  userInfo.lastIndex = at;
  const [, user, password] = userInfo.exec(text) ?? [];
  if (user === undefined || password === undefined) return undefined;
  if (user === password || placeholder.test(password) || everydayPassword.test(password)) return undefined;
  const start = at + "//:".length + user.length;
  return { kind: "password in a URL", start, end: start + password.length };
}

const everydayPassword =
  /^(?:\w*pass(?:w(?:or)?d)?\d?|pwd|pw|secret|user|postgres|root|admin|guest|\d{1,5})$/i;

function endOf(pattern: RegExp, text: string, at: number): number {
  return at + (matchAt(pattern, text, at)?.length ?? 0);
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** Returns whether a value that is named as a key can be one: long, and not made of words. */
function looksLikeKey(value: string): boolean {
  const { length } = value;
  if (length < 16 || length > 2048 || !/^[\x21-\x7e]+$/.test(value)) return false;
  const isNumber = /^\d+$/.test(value);
  const isUnusual =
    isNumber ||
    hexadecimal.test(value) ||
    (hasLetterAndDigit(value) && wordLength(value) <= 2.6) ||
    isRandom(value);
  return isUnusual && new Set(value).size >= (isNumber ? 6 : 8) && !placeholder.test(value);
}

const hexadecimal =
  /^(?=[^g-zG-Z]*\d)(?:[0-9a-f]{32,}|[0-9A-F]{32,}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/;

/** Returns whether a value can be a password: shorter than a key if it has characters that only passwords have. */
function looksLikePassword(value: string): boolean {
  const { length } = value;
  if (length < 8 || length > 128 || !/^[\x21-\x7e]+$/.test(value) || /^[/^]/.test(value)) return false;
  if (!hasLetterAndDigit(value) || new Set(value).size < 5 || placeholder.test(value)) return false;
  return /[!$%&*?~^]/.test(value) || wordLength(value) <= 2.3;
}

/** Returns whether the letters of a value follow each other as they do not in words, also not in those of names. */
function isRandom(value: string): boolean {
  if (!/^[\w+/=-]+$/.test(value) || value.length < 12) return false;
  let pairs = 0;
  let odd = 0;
  for (const word of value.slice(0, comparedLetters).match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? []) {
    const letters = word.toLowerCase();
    for (let at = 1; at < letters.length; at += 1) {
      pairs += 1;
      if (!pairsInWords.has(letters.slice(at - 1, at + 1))) odd += 1;
    }
  }
  if (pairs < 8)
    return wordLength(value) <= 2.6 && /[a-z]/.test(value) && /[A-Z]/.test(value) && value.length >= 16;
  return odd / pairs >= 0.25;
}

/** Enough to tell, and a text of names alone has many long values. */
const comparedLetters = 48;

/** Each first letter with those that follow it in words: they make up 97 of 100 pairs in code and documentation. */
const followers =
  "abcdfgiklmnprstuvwy baeijlouy cacehiklortu dadeilorsu eacdefgilmnopqrstvwxy faefilortu gehinrstu haeiort iabcdefglmnoprstvz jeos keins lacdeilostuy mabeimops " +
  "nacdefgiklnopstuvy obcdfgiklmnoprstuvw paeiloprstu qu racdefgiklmnorstuvy sacehiklopstuwy tacehiloprstuy uabcdeilmnprst vaeio waehinors xipt ynpst ze";

const pairsInWords: ReadonlySet<string> = new Set(
  followers.split(" ").flatMap(([first, ...others]) => others.map((other) => `${first}${other}`)),
);

/** Matches values in examples and templates. */
const placeholder =
  /x{3}|\*{3}|\.{3}|…|change.?me|example|placeholder|your|dummy|sample|redacted|todo|fixme|insert|replace|test|fake|mock|foobar|123456|abcdef|\$\{|\$\(|\{\{|^\$\w|^[<[{(%]|[>\]})%]$|\benv\b|process\.|environ|secrets?\.|:\/\/|^(?:\.{0,2}|~)\/[\w.-]+\/|^data:/i;

function hasLetterAndDigit(value: string): boolean {
  return /[A-Za-z]/.test(value) && /\d/.test(value);
}

/** Returns the average length of the words in a value: about two letters in random text, more in written text. */
function wordLength(value: string): number {
  const words = value.match(/[A-Z]?[a-z]+|[A-Z]+|\d+|[^\w/.-]/g) ?? [];
  return words.join("").length / words.length;
}
