import { setImmediate } from "node:timers/promises";
import { gitleaksShapes, type KeyShape } from "./gitleaks-shapes.ts";
import { findNamedValues } from "./named-values.ts";
import { findPrivateKeys } from "./private-keys.ts";
import type { Secret } from "./secret.ts";

/** Returns the parts of a text that look like secrets, in order and without overlaps. Takes linear time. */
export function findSecrets(text: string): readonly Secret[] {
  if (text.length < shortestSecret) return none;
  const found: Secret[] = [];
  for (let from = 0; from < text.length; from += chunkLength) addFound(found, text, from);
  return joined(found, text);
}

/** Does the same as `findSecrets`, and lets the event loop run between parts of a long text. */
export async function findSecretsInTurns(text: string): Promise<readonly Secret[]> {
  const found: Secret[] = [];
  for (let from = 0; from < text.length; from += chunkLength) {
    addFound(found, text, from);
    await setImmediate();
  }
  return joined(found, text);
}

const none: readonly Secret[] = [];
const shortestSecret = 8;

/** How much of a text is searched at once, which takes some milliseconds. */
const chunkLength = 64 * 1024;

/** How far a secret and its name reach over the border of a part. */
const overlap = 4096;

/** Adds the secrets that begin in one part of a text. */
function addFound(found: Secret[], text: string, from: number): void {
  const start = Math.max(0, from - overlap);
  const isWhole = text.length <= chunkLength;
  const piece = isWhole ? text : text.slice(start, from + chunkLength + overlap);
  const named = findNamedValues(piece).flatMap((secret) => withoutClaims(secret, piece));
  for (const secret of [...findKeys(piece), ...findInPlace(piece), ...named]) {
    const at = start + secret.start;
    if (at >= from && at < from + chunkLength) found.push({ ...secret, start: at, end: start + secret.end });
  }
}

/** Adds private keys, and keeps one of several overlapping secrets: the one found first, which is the most exact. */
function joined(found: readonly Secret[], text: string): readonly Secret[] {
  const all: Secret[] = [];
  const sorted = [...found, ...findPrivateKeys(text)].sort((one, other) => one.start - other.start);
  for (const secret of sorted) {
    const last = all.at(-1);
    if (last === undefined || secret.start >= last.end) all.push(secret);
    else all[all.length - 1] = { ...last, end: Math.max(last.end, secret.end) };
  }
  return all.length === 0 ? none : all;
}

const tokenKind = "JSON Web Token";

/** Keys with a recognisable shape: their prefix, and the rest. Those of gitleaks follow after them. */
const ownShapes: readonly KeyShape[] = [
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
  ["Figma token", "figd_", "[\\w-]{30,}"],
  ["Doppler token", "dp\\.(?:pt|st|ct|sa|scim|audit)\\.", "(?:[\\w-]{1,40}\\.)?[A-Za-z0-9]{40,44}"],
  [tokenKind, "eyJ", "[\\w-]{10,300}\\.eyJ[\\w-]{10,}(?:\\.[\\w-]*)?"],
];

const border = "(?<![A-Za-z0-9])";

interface Expressions {
  /** Finds where keys may begin. */
  readonly beginning: RegExp;
  readonly shapes: readonly Shape[];
}

interface Shape {
  readonly kind: string;
  readonly pattern: RegExp;
  /** The letter with which the key begins; "" if there are several. */
  readonly first: string;
}

let known: Expressions | undefined;

/** Made on first use, because V8 takes a millisecond to parse them. */
function expressions(): Expressions {
  if (known === undefined) {
    const all = [...ownShapes, ...gitleaksShapes];
    const beginnings = new Set(all.map(([, beginning]) => beginning));
    known = {
      beginning: new RegExp(`${border}(?:${[...beginnings].join("|")})`, "g"),
      shapes: all.map(([kind, beginning, rest]) => ({
        kind,
        pattern: new RegExp(`${beginning}${rest}(?![A-Za-z0-9])`, "y"),
        first: /^\w/.exec(beginning)?.[0] ?? "",
      })),
    };
  }
  return known;
}

function findKeys(text: string): readonly Secret[] {
  const { beginning } = expressions();
  const found: Secret[] = [];
  beginning.lastIndex = 0;
  for (let match = beginning.exec(text); match !== null; match = beginning.exec(text)) {
    const start = match.index;
    const { kind, end } = keyAt(text, start) ?? {};
    if (kind === undefined || end === undefined) continue;
    beginning.lastIndex = end;
    const key = text.slice(start, end);
    if (isExample(key.slice(0, longestCompared))) continue;
    const hidden = kind === tokenKind ? start + startOfSignature(key) : start;
    if (hidden < end) found.push({ kind, start: hidden, end });
    if (kind === "AWS key") found.push(...secretsNear(text, start, end));
  }
  return found;
}

function keyAt(text: string, start: number): { readonly kind: string; readonly end: number } | undefined {
  for (const { kind, pattern, first } of expressions().shapes) {
    if (first !== "" && first !== text[start]) continue;
    // A token without its second part would cost many steps at each of its beginnings.
    if (kind === tokenKind && !isToken(text, start)) continue;
    pattern.lastIndex = start;
    if (pattern.test(text)) return { kind, end: pattern.lastIndex };
  }
  return undefined;
}

/**
 * Returns where the signature of a JSON Web Token begins; the end without one. Its other parts are plain JSON, which
 * explains a test or a failure, and they are useless without the signature.
 */
function startOfSignature(key: string): number {
  const [header = "", payload = "", signature = ""] = key.split(".");
  return signature.length < shortestSignature ? key.length : header.length + payload.length + 2;
}

const shortestSignature = 10;

function withoutClaims(secret: Secret, text: string): readonly Secret[] {
  const { start, end } = secret;
  if (!text.startsWith("eyJ", start) || !isToken(text, start)) return [secret];
  const hidden = start + startOfSignature(text.slice(start, end));
  return hidden < end ? [{ ...secret, start: hidden }] : [];
}

function isToken(text: string, start: number): boolean {
  const header = text.slice(start, start + longestHeader);
  const dot = header.indexOf(".eyJ");
  return dot >= 0 && !header.slice(0, dot).includes(".");
}

const longestHeader = 310;

/** The length of the beginning of a key that is compared with examples. */
const longestCompared = 1024;

/** Keys that are recognised by the text before them, of which a word shows quickly that there are none. */
const shapesInPlace: readonly (readonly [kind: string, word: string, pattern: RegExp])[] = [
  ["Telegram token", ":AA", /(?<!\d)\d{8,10}:(AA[\w-]{33})(?![\w-])/g],
  ["Slack webhook", "hooks.slack.com", /\.slack\.com\/services\/T\w{1,20}\/B\w{1,20}\/(\w{24})(?!\w)/g],
  [
    "Teams webhook",
    "webhook.office.com",
    /\.com\/webhookb2\/([\w@-]{60,90}\/IncomingWebhook\/[a-z0-9]{32}\/[\w-]{36})/g,
  ],
  [
    "Discord webhook",
    "/api/webhooks/",
    /discord(?:app)?\.com\/api\/webhooks\/\d{1,30}\/([\w-]{60,80})(?![\w-])/g,
  ],
];

function findInPlace(text: string): readonly Secret[] {
  return shapesInPlace.flatMap(([kind, word, pattern]) => {
    if (!text.includes(word)) return none;
    return [...text.matchAll(pattern)].flatMap(({ 0: whole, 1: key = "", index }) => {
      const end = index + whole.length;
      return isExample(key) ? none : [{ kind, start: end - key.length, end }];
    });
  });
}

/** Matches fake keys as documentation writes them. */
function isExample(key: string): boolean {
  return /EXAMPLE|example|x{4}|X{4}|0{8}|1234567890|(.)\1{7}/.test(key) || new Set(key).size < 10;
}

/** How far the secret of an AWS key is from it. */
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
