import { setImmediate } from "node:timers/promises";
import { findLongWords, stepLength, type Word } from "./long-words.ts";
import { findNamedValues, hasSecretName } from "./named-values.ts";
import { findPrivateKeys, hasPrivateKey } from "./private-keys.ts";
import type { Search, Secret } from "./secret.ts";

/** Returns the parts of a text that look like secrets, in order and without overlaps. Takes linear time. */
export function findSecrets(text: string): readonly Secret[] {
  if (text.length < shortestSecret) return none;
  const words = findLongWords(text, 0);
  if (!mayHaveSecrets(text, words)) return none;
  const search = searchSecrets(text, words);
  for (;;) {
    const { done, value } = search.next();
    if (done) return value;
  }
}

/** Returns false only for a text without secrets. Makes no objects, unlike the search, which most texts do not need. */
function mayHaveSecrets(text: string, words: readonly Word[]): boolean {
  return words.length > 0 || text.length > stepLength || hasSecretName(text) || hasPrivateKey(text);
}

/** Does the same as `findSecrets`, and lets the event loop run every few milliseconds. */
export async function findSecretsInTurns(text: string): Promise<readonly Secret[]> {
  const search = searchSecrets(text, findLongWords(text, 0));
  let since = performance.now();
  for (;;) {
    const { done, value } = search.next();
    if (done) return value;
    if (performance.now() - since < turnMs) continue;
    await setImmediate();
    since = performance.now();
  }
}

const turnMs = 10;

/** Searches a text whose first long words are known. */
function* searchSecrets(text: string, words: readonly Word[]): Search {
  const keys = yield* findKeysIn(text, words);
  const values = yield* findNamedValues(text);
  const lines = yield* findPrivateKeys(text);
  return keys.length + values.length + lines.length === 0 ? none : joined([...keys, ...values, ...lines]);
}

const none: readonly Secret[] = [];
const shortestSecret = 8;

function* findKeysIn(text: string, firstWords: readonly Word[]): Search {
  const found: Secret[] = [];
  let words = firstWords;
  for (let from = 0; ; words = findLongWords(text, from)) {
    for (const { start, end } of words) for (const key of yield* findKeys(text, start, end)) found.push(key);
    from = Math.max(from + stepLength, words.at(-1)?.end ?? 0);
    if (from >= text.length) return found;
    yield;
  }
}

/** Keeps one of several overlapping secrets: the one found first, which is the most exact. */
function joined(found: readonly Secret[]): readonly Secret[] {
  const all: Secret[] = [];
  for (const secret of found.toSorted((one, other) => one.start - other.start)) {
    const last = all.at(-1);
    if (last === undefined || secret.start >= last.end) all.push(secret);
    else all[all.length - 1] = { ...last, end: Math.max(last.end, secret.end) };
  }
  return all;
}

/** Keys with a recognisable shape: their prefix, and the rest of the word. */
const shapes: readonly (readonly [kind: string, beginning: string, rest: string])[] = [
  ["AWS key", "(?:AKIA|ASIA|ABIA|ACCA)", "[A-Z2-7]{16}"],
  ["GitHub token", "gh[pousr]_", "[A-Za-z0-9]{36,}"],
  ["GitHub token", "github_pat_", "\\w{60,}"],
  [
    "GitLab token",
    "gl(?:pat|dt|rt|rtr|ptt|cbt|soat|ft|imt|oas|agent|ffct)-",
    "[\\w-]{20,}(?:\\.\\w{2}\\.\\w{7,9})?",
  ],
  ["Slack token", "(?:xox[abeoprs]|xapp-\\d)-", "[A-Za-z0-9-]{16,}"],
  ["Stripe key", "[sr]k_(?:live|prod)_", "[A-Za-z0-9]{16,}"],
  ["Stripe key", "whsec_", "[A-Za-z0-9]{32,}"],
  ["Anthropic key", "sk-ant-", "[\\w-]{20,}"],
  ["OpenRouter key", "sk-or-v1-", "[0-9a-f]{64}"],
  ["OpenAI key", "sk-(?:proj|svcacct|admin)-", "[\\w-]{20,}"],
  ["OpenAI key", "sk-", "(?=[A-Za-z]*\\d)[A-Za-z0-9]{32,}"],
  ["Google key", "AIza", "[\\w-]{35}"],
  ["Google key", "GOCSPX-", "[\\w-]{28}"],
  ["Google key", "ya29\\.", "[\\w-]{20,}"],
  ["npm token", "npm_", "[A-Za-z0-9]{36}"],
  ["PyPI token", "pypi-AgE", "[\\w-]{50,}"],
  ["RubyGems key", "rubygems_", "[0-9a-f]{48}"],
  ["Hugging Face token", "hf_", "[A-Za-z0-9]{34}"],
  ["Groq key", "gsk_", "[A-Za-z0-9]{52}"],
  ["xAI key", "xai-", "[A-Za-z0-9]{80}"],
  ["Perplexity key", "pplx-", "[A-Za-z0-9]{48}"],
  ["Replicate token", "r8_", "[A-Za-z0-9]{37}"],
  ["SendGrid key", "SG\\.", "[\\w-]{22}\\.[\\w-]{43}"],
  ["Twilio key", "SK", "[0-9a-f]{32}"],
  ["Discord token", "[MNO][DTjz]", "[A-Za-z0-9]{22,26}\\.[\\w-]{6}\\.[\\w-]{27,38}"],
  ["DigitalOcean token", "do[opr]_v1_", "[0-9a-f]{64}"],
  ["Shopify token", "shp(?:at|ca|pa|ss)_", "[0-9a-fA-F]{32}"],
  ["Docker token", "dckr_pat_", "[\\w-]{20,}"],
  ["Databricks token", "dapi", "[0-9a-f]{32}"],
  ["Grafana token", "glsa_", "[A-Za-z0-9]{32}_[0-9a-f]{8}"],
  ["Vault token", "hv[sb]\\.", "[\\w-]{24,}"],
  ["Supabase token", "sbp_", "[0-9a-f]{40}"],
  ["Linear key", "lin_api_", "[A-Za-z0-9]{40}"],
  ["Notion token", "ntn_", "[A-Za-z0-9]{40,}"],
  ["Postman key", "PMAK-", "[0-9a-f]{24}-[0-9a-f]{34}"],
  ["New Relic key", "NRAK-", "[A-Z0-9]{27}"],
  ["Sentry token", "sntry[su]_", "[\\w-]{40,}"],
  ["age key", "AGE-SECRET-KEY-1", "[0-9A-Z]{58}"],
  ["JSON Web Token", "eyJ", "[\\w-]{10,300}\\.eyJ[\\w-]{10,}(?:\\.[\\w-]*)?"],
];

const border = "(?<![A-Za-z0-9])";

let known: { readonly beginning: RegExp; readonly shape: RegExp } | undefined;

/** Made on first use, because V8 takes a millisecond to parse them, and few texts have words as long as a key. */
function expressions(): NonNullable<typeof known> {
  known ??= {
    beginning: new RegExp(`${border}(?:${shapes.map(([, beginning]) => beginning).join("|")})`, "g"),
    shape: new RegExp(
      `${border}(?:${shapes.map(([, beginning, rest]) => `(${beginning}${rest})`).join("|")})(?![A-Za-z0-9])`,
      "y",
    ),
  };
  return known;
}

/** The length of the longest possible beginning of a key. */
const longestBeginning = 32;

/** Keys that are recognised by the text before them. */
const shapesInPlace: readonly { readonly kind: string; readonly key: RegExp; readonly before: RegExp }[] = [
  { kind: "Telegram token", key: /^AA[\w-]{33}$/, before: /(?<!\d)\d{8,10}:$/ },
  { kind: "Slack webhook", key: /^\w{24}$/, before: /hooks\.slack\.com\/services\/T\w+\/B\w+\/$/ },
  {
    kind: "Discord webhook",
    key: /^[\w-]{60,80}$/,
    before: /discord(?:app)?\.com\/api\/webhooks\/\d+\/$/,
  },
];

/** Finds the keys in text[start, end), which is one word with dots in it. It may be as long as the text. */
function* findKeys(text: string, start: number, end: number): Search {
  const word = text.slice(start, end);
  const found: Secret[] = [];
  let next = 0;
  for (let from = 0; from < word.length; from += stepLength) {
    if (from > 0) yield;
    // The piece starts one letter earlier, so that the border can be checked.
    const base = Math.max(0, from - 1);
    const piece = word.length <= stepLength ? word : word.slice(base, from + stepLength + longestBeginning);
    const { beginning } = expressions();
    beginning.lastIndex = 0;
    for (let match = beginning.exec(piece); match !== null; match = beginning.exec(piece)) {
      const at = base + match.index;
      if (at < next || (at < from && at > 0)) continue;
      const key = keyAt(word, at);
      if (key === undefined) continue;
      next = at + key.length;
      if (isExample(key.text)) continue;
      found.push({ kind: key.kind, start: start + at, end: start + next });
      if (key.kind === "AWS key") found.push(...secretsNear(text, start + at, start + next));
    }
  }
  return found.length > 0 ? found : findInPlace(text, start, end);
}

function keyAt(word: string, at: number): { kind: string; text: string; length: number } | undefined {
  // A token without its second part would cost many steps at each of its beginnings.
  if (word.startsWith("eyJ", at)) {
    const dot = word.slice(at, at + longestHeader).indexOf(".eyJ");
    if (dot < 0 || word.slice(at, at + dot).includes(".")) return undefined;
  }
  const { shape } = expressions();
  shape.lastIndex = at;
  const match = shape.exec(word);
  if (match === null) return undefined;
  const kind = shapes[match.findIndex((group, index) => index > 0 && group !== undefined) - 1]![0];
  return { kind, text: match[0].slice(0, longestCompared), length: match[0].length };
}

const longestHeader = 310;

/** The length of the beginning of a key that is compared with examples. */
const longestCompared = 1024;

function findInPlace(text: string, start: number, end: number): readonly Secret[] {
  const last = text[start - 1];
  if (last !== ":" && last !== "/") return [];
  if (end - start > farthest) return [];
  const word = text.slice(start, end);
  const shape = shapesInPlace.find(({ key }) => key.test(word));
  if (shape === undefined || isExample(word)) return [];
  const before = text.slice(Math.max(0, start - farthest), start);
  return shape.before.test(before) ? [{ kind: shape.kind, start, end }] : [];
}

/** Matches fake keys as documentation writes them. */
function isExample(key: string): boolean {
  return /EXAMPLE|example|x{4}|X{4}|0{8}|1234567890|(.)\1{7}/.test(key) || new Set(key).size < 10;
}

const farthest = 100;

/** Finds the secret near an AWS key, which is recognizable only there: just forty letters. */
function secretsNear(text: string, start: number, end: number): readonly Secret[] {
  const from = Math.max(0, start - farthest);
  const around = text.slice(from, end + farthest);
  const secrets: Secret[] = [];
  for (const { 0: word, index } of around.matchAll(fortyLetters)) {
    const isMixed = /[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word);
    if (isMixed && !isExample(word))
      secrets.push({ kind: "AWS key", start: from + index, end: from + index + word.length });
  }
  return secrets;
}

const fortyLetters = /(?<![\w/+=-])[A-Za-z0-9/+]{40}(?![\w/+=-])/g;
