import type { AskedAddress, PlainAnswer } from "../protocol.ts";

/** Returns undefined for other addresses. */
export function modelAsked({ pathname }: URL): string | undefined {
  return pathname.match(/^\/v1beta\/models\/([^/:]+):streamGenerateContent$/)?.[1];
}

export function route({ method, address, models }: AskedAddress): "reply" | PlainAnswer | undefined {
  const { pathname, searchParams } = address;
  const asked = modelAsked(address);
  if (method === "POST" && asked !== undefined) {
    if (!models.includes(asked)) return notFound(asked);
    return searchParams.get("alt") === "sse"
      ? "reply"
      : { status: 400, body: errorBody(400, "alt=sse is how a stream is asked for.") };
  }
  if (method !== "GET") return undefined;
  if (pathname === "/v1beta/models") return { status: 200, body: { models: models.map(modelInfo) } };
  const name = pathname.match(/^\/v1beta\/models\/([^/]+)$/)?.[1];
  if (name === undefined) return undefined;
  return models.includes(name) ? { status: 200, body: modelInfo(name) } : notFound(name);
}

function notFound(name: string): PlainAnswer {
  const message =
    `models/${name} is not found for API version v1beta, or is not supported for generateContent. ` +
    "Call ListModels to see the list of available models and their supported methods.";
  return { status: 404, body: errorBody(404, message) };
}

function modelInfo(name: string) {
  return {
    name: `models/${name}`,
    version: "001",
    displayName: name,
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: ["generateContent", "countTokens"],
    thinking: true,
  };
}

/** Gemini reports the time to wait in the body, not in a header. */
export function errorBody(code: number, message: string, retryAfter?: string): unknown {
  const status = statuses[code] ?? (code >= 500 ? "INTERNAL" : "INVALID_ARGUMENT");
  const details = retryAfter === undefined ? [] : [quota, retryInfo(retryAfter)];
  return { error: { code, message, status, ...(details.length > 0 ? { details } : {}) } };
}

const statuses: Record<number, string> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

const quota = {
  "@type": "type.googleapis.com/google.rpc.QuotaFailure",
  violations: [{ quotaId: "GenerateRequestsPerMinutePerProjectPerModel", quotaValue: "10" }],
};

function retryInfo(seconds: string) {
  return { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${seconds}s` };
}
