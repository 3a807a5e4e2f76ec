import { ModelError, type ModelErrorCode } from "./model-error.ts";
import type { ProviderSettings } from "./providers.ts";
import { causesOf, detailsIn, errorIn, type ProviderFailure, readFailure } from "./read-provider-failure.ts";

/** The request that failed, and the secrets that must not be shown. */
interface FailedRequest {
  readonly provider: string;
  readonly model: string;
  readonly secrets: readonly string[];
  /** Whether the request was sent. */
  readonly isAsked?: boolean;
  /** Whether part of the reply has come. */
  readonly hasBegun?: boolean;
}

/**
 * Classifies the errors of providers; returns others unchanged. The SDK's error is not kept as the cause, because it
 * contains the conversation and the key.
 */
export function toModelError(error: unknown, request: FailedRequest): unknown {
  const known = causesOf(error).find((cause) => cause instanceof ModelError);
  if (known !== undefined) return new ModelError(known.code, shown(known.message, request.secrets), known);
  if (error instanceof TypeError && badHeader.test(error.message)) return unsendable(request);
  const failure = readFailure(error);
  if (failure === undefined) return request.isAsked ? unreadable(error, request) : error;
  const kind = kindOf(failure, request);
  return new ModelError(kind, shown(messageOf(failure, kind, request), request.secrets), {
    hint: hintFor(kind, failure, request),
    status: failure.status,
    retryAfterMs: kind === "rate-limit" || kind === "server" ? retryAfter(failure) : undefined,
  });
}

/**
 * Returns the message to the model when the provider refused its call (`tool_use_failed` of Groq and others); undefined
 * for other errors.
 */
export function refusedCall(error: unknown, secrets: readonly string[] = []): string | undefined {
  const failure = readFailure(error);
  if (!failure?.codes.includes("tool_use_failed")) return undefined;
  const { failed_generation: written } = errorIn(failure.body);
  const quoted = typeof written === "string" ? ` (${shown(written.slice(0, maxQuoted), secrets)})` : "";
  const text = shown(failure.text, secrets);
  return `Your call was refused and not made: ${text} Make it again with valid arguments.${quoted}`;
}

/** Maximum length of the text that the model wrote instead of a call. */
const maxQuoted = 300;

/** Converts other errors of the SDK, which it throws when a reply is not in the expected format. */
function unreadable(error: unknown, { secrets }: FailedRequest): ModelError {
  const text = shown(error instanceof Error ? error.message : String(error), secrets);
  return new ModelError("cut", `The reply was cut off: it is not in the provider's format (${text}).`);
}

/** Returns the values that messages must not show. Short ones are left out: they would match ordinary words. */
export function secretsOf(settings: Partial<ProviderSettings>): readonly string[] {
  const { apiKey = "", authToken = "", headers = {} } = settings;
  return [apiKey, authToken, ...Object.values(headers)].filter((value) => value.length >= 6);
}

/** `fetch` has no error code for an invalid header, and its message quotes the header with the key. */
const badHeader = /invalid header|ByteString/i;

function unsendable({ provider }: FailedRequest): ModelError {
  return new ModelError("auth", `The key or a header for ${provider} contains invalid characters.`, {
    hint: "Copy it again, without line breaks or quotation marks.",
  });
}

/** Shows a message on one line of limited length, without secrets. */
export function shown(message: string, secrets: readonly string[]): string {
  const known = secrets.reduce((text, secret) => text.replaceAll(secret, "***"), message);
  const line = known.replace(/\s+/g, " ").trim().replace(keys, "***").replace(keyed, "$1***");
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}

const maxLength = 500;
const keys = /\b(?:sk-|AIza|xox[bp]-|gsk_|Bearer )[\w*.~+/-]{8,}=*/g;
const keyed = /([?&](?:key|api[_-]?key|token|access_token)=)[^&\s"']+/gi;

function kindOf(
  { status, codes, text, isConnection, isUnreadable }: ProviderFailure,
  { hasBegun = false }: FailedRequest,
): ModelErrorCode {
  if (isConnection) return status === undefined && !hasBegun ? "network" : "cut";
  if (isUnreadable) return "cut";
  const matches = (pattern: RegExp) => pattern.test(text) || codes.some((code) => pattern.test(code));
  if (matches(overflows)) return "overflow";
  if (status === 402 || matches(paidOut)) return "quota";
  if (matches(keyRefused)) return "auth";
  if (status === 403 && matches(/moderation|flagged/i)) return "bad-request";
  if (status === 401 || status === 403) return "auth";
  if (status === 404 || matches(unknownModel)) return "not-found";
  if (status === 429 || matches(/rate_limit|RESOURCE_EXHAUSTED/)) return "rate-limit";
  if (status === undefined || status >= 500 || matches(/overloaded/i)) return "server";
  if (status < 400) return "cut";
  return passingStatus.has(status) ? "server" : "bad-request";
}

/** Status codes that may pass: timeout, conflict, too early. */
const passingStatus: ReadonlySet<number> = new Set([408, 409, 425]);

/** Matches error codes and, for providers that send only English text, messages. */
const overflows =
  /context_length_exceeded|request_too_large|exceed_context_size|(?:prompt|input) (?:is )?too long|request too large|maximum context length|exceed(?:s|ed)? (?:the )?(?:available |model'?s? |max(?:imum)? )?context|context (?:window|limit|length|size) (?:of|is|exceeded|overflow|has been exceeded)|input token count.{0,40}exceeds|too many (?:input )?tokens|context the overflows|(?:larger|longer) than the (?:maximum )?(?:input|context|model length)/i;

const paidOut =
  /insufficient_quota|insufficient credits|billing_(?:hard_limit|not_active|error)|credit balance is too low|PerDay|free-models-per-day|payment required/i;

const keyRefused = /invalid_api_key|API_KEY_INVALID|authentication_error|api key not valid|permission_error/i;

const unknownModel = /model_not_found|not_found_error|is not a valid model|no endpoints found/i;

function messageOf(failure: ProviderFailure, kind: ModelErrorCode, { provider }: FailedRequest): string {
  const { status, text, address } = failure;
  if (kind === "network") return `Cannot connect to ${address ?? provider}: ${text}`;
  if (kind === "cut") return `The reply was cut off: ${text}`;
  return text === "" ? `${provider} sent HTTP status ${status ?? "unknown"} without a message.` : text;
}

function hintFor(
  kind: ModelErrorCode,
  { isCertificate }: ProviderFailure,
  { provider, model }: FailedRequest,
): string | undefined {
  switch (kind) {
    case "auth":
      return `Check the key. To see where it comes from, run: toolcrib models ${provider}`;
    case "quota":
      return `Add credit or raise the limit at ${provider}, or use another model.`;
    case "not-found":
      return `Check the name ${model}. To list the models, run: toolcrib models ${provider}`;
    case "network":
      return isCertificate
        ? "If you trust its certificate authority, name its file in NODE_EXTRA_CA_CERTS."
        : `Check the network and the address of ${provider}. To see the address, run: toolcrib models`;
    default:
      return undefined;
  }
}

/** Returns how many milliseconds a provider asks to wait, from a header, the body (Gemini) or an English message. */
function retryAfter({ headers, body, text }: ProviderFailure): number | undefined {
  const waits = [
    milliseconds(headers["retry-after-ms"]),
    secondsOrDate(headers["retry-after"]),
    retryInfo(body),
    fromMessage(text),
    reset(headers["x-ratelimit-reset"]),
  ];
  const wait = waits.find(Number.isFinite);
  return wait === undefined ? undefined : Math.max(0, Math.round(wait));
}

function milliseconds(value: string | undefined): number | undefined {
  return value === undefined || !/^\s*\d+(\.\d+)?\s*$/.test(value) ? undefined : Number(value);
}

function secondsOrDate(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const seconds = milliseconds(value);
  return seconds === undefined ? Date.parse(value) - Date.now() : seconds * 1000;
}

function retryInfo(body: unknown): number | undefined {
  const info = detailsIn(body).find((detail) => String(detail["@type"]).endsWith("RetryInfo"));
  const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(String(info?.retryDelay)) ?? [];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

/** Reads messages such as "Please try again in 6m0.5s" and "retry in 20ms". */
function fromMessage(text: string): number | undefined {
  const parts = waitInMessage.exec(text)?.slice(1) ?? [];
  if (parts.every((part) => part === undefined)) return undefined;
  const [h = 0, m = 0, s = 0, ms = 0] = parts.map((part) => Number(part ?? 0));
  return ((h * 60 + m) * 60 + s) * 1000 + ms;
}

const waitInMessage =
  /(?:try again|retry) (?:in|after) (?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s(?:ec\w*)?)?(?:(\d+(?:\.\d+)?)ms)?/i;

/** Reads a Unix time in seconds or milliseconds, or seconds from now. */
function reset(value: string | undefined): number | undefined {
  const given = milliseconds(value);
  if (given === undefined) return undefined;
  if (given > 1e12) return given - Date.now();
  return given > 1e9 ? given * 1000 - Date.now() : given * 1000;
}
