import { tryParseJson } from "../lib/json/try-parse-json.ts";

/** The content of an error from any layer: the SDK, an event in the stream, or the network. */
export interface ProviderFailure {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Error codes of the provider: "insufficient_quota". */
  readonly codes: readonly string[];
  readonly text: string;
  /** The origin of the request, without path and key. */
  readonly address: string | undefined;
  /** Whether the connection failed or was lost. */
  readonly isConnection: boolean;
  readonly isCertificate: boolean;
  /** Whether the response is not in the provider's format. */
  readonly isUnreadable: boolean;
}

/** Reads an error; undefined when it comes neither from a provider nor from the network. */
export function readFailure(error: unknown): ProviderFailure | undefined {
  const { name, message, statusCode, responseHeaders, responseBody, url, data, value } = asRecord(error);
  const code = systemCode(error);
  const isOfSdk = typeof name === "string" && name.startsWith("AI_");
  if (error instanceof Error && !isOfSdk && code === undefined) return undefined;
  const isUnreadable = typeof name === "string" && unreadable.has(name) && !("error" in asRecord(value));
  const body =
    typeof responseBody === "string" ? tryParseJson(responseBody) : (data ?? (isOfSdk ? value : error));
  const status = typeof statusCode === "number" ? statusCode : statusIn(body);
  const isUnsent = name === "AI_APICallError" && status === undefined && body === undefined;
  const isConnection = code !== undefined || isUnsent;
  return {
    status: isOfSdk && status === undefined && !isConnection ? localStatus.get(name) : status,
    headers: { ...headersIn(body), ...(asRecord(responseHeaders) as Record<string, string>) },
    body,
    codes: codesIn(body),
    text: isConnection
      ? connectionText(code, error)
      : isUnreadable
        ? unreadableText(message)
        : messageIn(body, typeof message === "string" ? message : ""),
    address: URL.parse(String(url))?.origin,
    isConnection,
    isCertificate: code !== undefined && certificateCodes.test(code),
    isUnreadable,
  };
}

/** SDK errors before anything was sent. */
const localStatus = new Map<unknown, number>([
  ["AI_LoadAPIKeyError", 401],
  ["AI_UnsupportedFunctionalityError", 400],
  ["AI_InvalidPromptError", 400],
  ["AI_InvalidArgumentError", 400],
  ["AI_NoSuchModelError", 404],
  // The response is in the format of another API.
  ["AI_APICallError", 400],
]);

const unreadable: ReadonlySet<string> = new Set([
  "AI_JSONParseError",
  "AI_TypeValidationError",
  "AI_InvalidResponseDataError",
  "AI_EmptyResponseBodyError",
]);

/** Reads the English message of the AI SDK, which has no code for an early end. */
function unreadableText(message: unknown): string {
  return String(message).includes("without a finish reason")
    ? "the stream ended early."
    : "it is not in the provider's format.";
}

const certificateCodes = /CERT|SIGNED|LEAF_SIGNATURE|SSL|TLS/;

const connectionCodes =
  /^(?:E(?:CONN\w+|NOTFOUND|AI_AGAIN|TIMEDOUT|PIPE|HOSTUNREACH|NETUNREACH|HOSTDOWN|ADDRNOTAVAIL)|UND_ERR_\w+)$/;

/** Returns an error and its causes. The SDK wraps errors that our `fetch` throws. */
export function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error && causes.length < 8; cause = cause.cause)
    causes.push(cause);
  return causes;
}

/** Returns the code that Node or `fetch` gives a connection failure, anywhere in the chain of causes. */
function systemCode(error: unknown): string | undefined {
  for (const cause of causesOf(error)) {
    const { code, errors } = cause as { code?: unknown; errors?: readonly unknown[] };
    if (typeof code === "string" && (connectionCodes.test(code) || certificateCodes.test(code))) return code;
    const inner = errors?.map(systemCode).find((each) => each !== undefined);
    if (inner !== undefined) return inner;
    // `fetch` throws this error, without a code, when a connection ends within a response.
    if (cause instanceof TypeError && cause.message === "terminated") return "UND_ERR_SOCKET";
  }
  return undefined;
}

function connectionText(code: string | undefined, error: unknown): string {
  if (code === undefined) return deepestMessage(error);
  return connectionTexts[code] ?? `${deepestMessage(error)} (${code})`;
}

const connectionTexts: Readonly<Record<string, string>> = {
  ECONNREFUSED: "Connection refused.",
  ENOTFOUND: "Unknown host.",
  EAI_AGAIN: "DNS lookup failed.",
  ECONNRESET: "Connection reset.",
  UND_ERR_SOCKET: "Connection closed.",
  ETIMEDOUT: "Connection timed out.",
  UND_ERR_CONNECT_TIMEOUT: "Connection timed out.",
};

function deepestMessage(error: unknown): string {
  return causesOf(error).at(-1)?.message ?? "";
}

/** Reads `{ error: { … } }`, `[{ error: { … } }]` (Gemini), `{ error: "text" }`, or the error itself. */
export function errorIn(body: unknown): Readonly<Record<string, unknown>> {
  const outer = asRecord(Array.isArray(body) ? body[0] : body);
  const response = asRecord(outer.response);
  const inner = outer.error ?? response.error;
  if (typeof inner === "string") return { message: inner };
  return typeof inner === "object" && inner !== null ? asRecord(inner) : outer;
}

function messageIn(body: unknown, message: string): string {
  const error = errorIn(body);
  const found = [error.message, error.detail, asRecord(body).message].find(
    (each) => typeof each === "string" && each !== "",
  );
  const { raw } = asRecord(error.metadata);
  const text = (found as string | undefined) ?? message;
  // OpenRouter adds the message of the provider behind it.
  return typeof raw === "string" && raw !== "" ? `${text}: ${raw}` : text;
}

function codesIn(body: unknown): readonly string[] {
  const error = errorIn(body);
  const details = detailsIn(body).flatMap(({ reason, violations }) => [
    reason,
    ...(Array.isArray(violations) ? violations.map((each) => asRecord(each).quotaId) : []),
  ]);
  return [error.code, error.type, error.status, ...details].filter((each) => typeof each === "string");
}

/** Returns Google's structured details. */
export function detailsIn(body: unknown): readonly Readonly<Record<string, unknown>>[] {
  const { details } = errorIn(body);
  return Array.isArray(details) ? details.map(asRecord) : [];
}

function statusIn(body: unknown): number | undefined {
  const { code, type } = errorIn(body);
  const status = Number(code);
  if (Number.isInteger(status) && status >= 400 && status <= 599) return status;
  return typeof type === "string" ? statusOfType.get(type) : undefined;
}

/** Anthropic's error types, which come without a status within a stream. */
const statusOfType = new Map([
  ["invalid_request_error", 400],
  ["authentication_error", 401],
  ["permission_error", 403],
  ["not_found_error", 404],
  ["request_too_large", 413],
  ["rate_limit_error", 429],
  ["api_error", 500],
  ["overloaded_error", 529],
]);

/** OpenRouter puts the headers of the provider behind it into the body. */
function headersIn(body: unknown): Record<string, string> {
  const entries = Object.entries(asRecord(asRecord(errorIn(body).metadata).headers));
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
