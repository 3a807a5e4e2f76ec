import { describe, expect, it } from "vitest";
import { toModelError } from "./classify-provider-error.ts";
import { ModelError, type ModelErrorCode } from "./model-error.ts";

const concerned = { provider: "acme", model: "acme-1", secrets: ["topsecretkey"] };

describe("an HTTP error status", () => {
  it.each<readonly [string, number, unknown, ModelErrorCode]>([
    ["OpenAI: a wrong key", 401, openai("invalid_api_key", "Incorrect API key provided"), "auth"],
    [
      "Gemini: a wrong key",
      400,
      gemini("INVALID_ARGUMENT", "API key not valid.", [{ reason: "API_KEY_INVALID" }]),
      "auth",
    ],
    ["Anthropic: no permission", 403, anthropic("permission_error", "Not for you."), "auth"],
    ["OpenAI: no credit", 429, openai("insufficient_quota", "You exceeded your current quota"), "quota"],
    [
      "Anthropic: no credit",
      400,
      anthropic("invalid_request_error", "Your credit balance is too low to access the API"),
      "quota",
    ],
    ["OpenRouter: no credit", 402, { error: { code: 402, message: "Insufficient credits" } }, "quota"],
    [
      "Gemini: the daily quota",
      429,
      gemini("RESOURCE_EXHAUSTED", "You exceeded your current quota", [
        quotaFailure("GenerateRequestsPerDayPerProjectPerModel-FreeTier"),
      ]),
      "quota",
    ],
    [
      "Gemini: the quota per minute",
      429,
      gemini("RESOURCE_EXHAUSTED", "You exceeded your current quota", [
        quotaFailure("GenerateRequestsPerMinutePerProjectPerModel"),
      ]),
      "rate-limit",
    ],
    [
      "OpenAI: rate limit",
      429,
      openai("rate_limit_exceeded", "Rate limit reached for requests"),
      "rate-limit",
    ],
    [
      "OpenAI: a request above the rate limit",
      429,
      openai(
        "rate_limit_exceeded",
        "Request too large for gpt-5 on tokens per min (TPM): Limit 30000, Requested 43000.",
      ),
      "overflow",
    ],
    [
      "OpenAI: too long",
      400,
      openai("context_length_exceeded", "Your input exceeds the context window of this model."),
      "overflow",
    ],
    [
      "vLLM: too long",
      400,
      {
        object: "error",
        message: "This model's maximum context length is 8192 tokens. However, you requested 9000",
        type: "BadRequestError",
        code: 400,
      },
      "overflow",
    ],
    [
      "llama.cpp: too long",
      400,
      {
        error: {
          code: 400,
          message: "the request exceeds the available context size",
          type: "exceed_context_size_error",
        },
      },
      "overflow",
    ],
    ...[
      "the prompt is longer than the context length currently available",
      "prompt too long; exceeded max context length by 4 tokens",
      "input length exceeds the context length",
      "Trying to keep the first 10136 tokens when context the overflows. However, the model is loaded with context length of only 7866 tokens",
      "Context size has been exceeded.",
      "The decoder prompt (length 9000) is longer than the maximum model length of 8192.",
      "Requested tokens (768) exceed context window of 512",
    ].map((error) => [`a local server: ${error}`, 400, { error }, "overflow"] as const),
    [
      "Anthropic: too long",
      400,
      anthropic("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
      "overflow",
    ],
    [
      "Anthropic: max_tokens too large",
      400,
      anthropic(
        "invalid_request_error",
        "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
      ),
      "overflow",
    ],
    [
      "Anthropic: too large",
      413,
      anthropic("request_too_large", "Request exceeds the maximum size"),
      "overflow",
    ],
    [
      "Gemini: too long",
      400,
      gemini(
        "INVALID_ARGUMENT",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
      ),
      "overflow",
    ],
    [
      "OpenRouter: too long",
      400,
      {
        error: {
          code: 400,
          message:
            "This endpoint's maximum context length is 128000 tokens. However, you requested about 150000",
        },
      },
      "overflow",
    ],
    [
      "OpenAI: no such model",
      404,
      openai("model_not_found", "The model `gpt-9` does not exist"),
      "not-found",
    ],
    [
      "OpenRouter: no such model",
      400,
      { error: { code: 400, message: "acme/nothing is not a valid model ID" } },
      "not-found",
    ],
    [
      "OpenRouter: moderated",
      403,
      { error: { code: 403, message: "Your input was flagged" } },
      "bad-request",
    ],
    ["a bad request", 400, openai("invalid_value", "Invalid value: 'input[3]'."), "bad-request"],
    ["unprocessable", 422, { detail: "no" }, "bad-request"],
    ["Anthropic: overloaded", 529, anthropic("overloaded_error", "Overloaded"), "server"],
    ["a request timeout", 408, undefined, "server"],
    ["a conflict", 409, undefined, "server"],
    ["a gateway error", 502, undefined, "server"],
  ])("%s", (_, statusCode, body, kind) => {
    const error = toModelError(apiError({ statusCode, responseBody: JSON.stringify(body) ?? "" }), concerned);
    expect(error).toBeInstanceOf(ModelError);
    const { code: shown, status } = error as ModelError;
    expect([shown, status]).toEqual([kind, statusCode]);
  });
});

describe("an error inside a stream", () => {
  it.each<[string, unknown, ModelErrorCode]>([
    ["Anthropic: overloaded", { type: "overloaded_error", message: "Overloaded" }, "server"],
    ["Anthropic: rate limit", { type: "rate_limit_error", message: "Slow down" }, "rate-limit"],
    [
      "OpenAI: failed",
      { message: "It failed.", type: "response.failed", code: "server_error", statusCode: 500 },
      "server",
    ],
    [
      "OpenAI: too long",
      { message: "Too long.", code: "context_length_exceeded", statusCode: 400 },
      "overflow",
    ],
    [
      "Gemini: unavailable",
      { message: "Unavailable.", type: "UNAVAILABLE", code: 503, statusCode: 503 },
      "server",
    ],
    ["a custom server", { message: "The engine died.", type: "server_error" }, "server"],
    ["plain text", { error: "out of memory" }, "server"],
    ["OpenRouter", { code: 502, message: "Provider disconnected" }, "server"],
    [
      "invalid JSON",
      Object.assign(new Error("JSON parsing failed"), { name: "AI_JSONParseError", text: "{" }),
      "cut",
    ],
    [
      "JSON of another shape",
      Object.assign(new Error("Type validation failed"), { name: "AI_TypeValidationError", value: { a: 1 } }),
      "cut",
    ],
    [
      "an error of another shape",
      Object.assign(new Error("Type validation failed"), {
        name: "AI_TypeValidationError",
        value: { error: "overloaded" },
      }),
      "server",
    ],
  ])("%s", (_, error, kind) => {
    expect(toModelError(error, concerned)).toMatchObject({ name: "ModelError", code: kind });
  });
});

describe("a connection", () => {
  it.each<[string, string, string]>([
    ["refused", "ECONNREFUSED", "Cannot connect to http://127.0.0.1:1: Connection refused."],
    ["to an unknown host", "ENOTFOUND", "Cannot connect to http://127.0.0.1:1: Unknown host."],
    ["of another kind", "EHOSTUNREACH", "Cannot connect to http://127.0.0.1:1: oh (EHOSTUNREACH)"],
  ])("%s is reported with its address", (_, code, message) => {
    const cause = Object.assign(new Error("oh"), { code });
    const error = toModelError(apiError({ cause: new TypeError("fetch failed", { cause }) }), concerned);
    expect([(error as ModelError).code, (error as ModelError).message]).toEqual(["network", message]);
  });

  it("with an untrusted certificate has a hint", () => {
    const cause = Object.assign(new Error("self-signed certificate"), {
      code: "DEPTH_ZERO_SELF_SIGNED_CERT",
    });
    expect(toModelError(apiError({ cause }), concerned)).toMatchObject({
      code: "network",
      hint: "If you trust its certificate authority, name its file in NODE_EXTRA_CA_CERTS.",
    });
  });

  it("that breaks after the reply has begun is reported as a cut reply", () => {
    const cause = new TypeError("terminated");
    expect(toModelError(apiError({ statusCode: 200, cause }), concerned)).toMatchObject({ code: "cut" });
    expect(toModelError(cause, { ...concerned, hasBegun: true })).toMatchObject({ code: "cut" });
  });
});

describe("the time to wait", () => {
  it.each<[string, Record<string, string>, unknown, number | undefined]>([
    ["in seconds", { "retry-after": "2.5" }, undefined, 2_500],
    [
      "in milliseconds, which are more precise",
      { "retry-after-ms": "120", "retry-after": "1" },
      undefined,
      120,
    ],
    ["in a date in the past", { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" }, undefined, 0],
    ["in the reset of a limit", { "x-ratelimit-reset": "3" }, undefined, 3_000],
    ["in Gemini's body", {}, gemini("RESOURCE_EXHAUSTED", "Slow", [retryInfo("34.07s")]), 34_070],
    [
      "in OpenRouter's body",
      {},
      { error: { code: 429, message: "Slow", metadata: { headers: { "X-RateLimit-Reset": "4" } } } },
      4_000,
    ],
    ["in the message", {}, openai("rate_limit_exceeded", "Please try again in 1m2.5s. Visit …"), 62_500],
    ["in the message in milliseconds", {}, openai("rate_limit_exceeded", "Please try again in 250ms."), 250],
    ["nowhere", {}, openai("rate_limit_exceeded", "Slow"), undefined],
    ["nowhere with an invalid header", { "retry-after": "soon" }, undefined, undefined],
  ])("is found %s", (_, responseHeaders, body, expected) => {
    const responseBody = body === undefined ? "" : JSON.stringify(body);
    const error = toModelError(apiError({ statusCode: 429, responseHeaders, responseBody }), concerned);
    expect((error as ModelError).retryAfterMs).toBe(expected);
  });

  it("is also parsed from a date", () => {
    const moment = new Date(Date.now() + 60_000).toUTCString();
    const error = toModelError(
      apiError({ statusCode: 503, responseHeaders: { "retry-after": moment } }),
      concerned,
    );
    expect((error as ModelError).retryAfterMs).toBeGreaterThan(30_000);
    expect((error as ModelError).retryAfterMs).toBeLessThanOrEqual(60_000);
  });
});

describe("the error message", () => {
  it("is the provider's own, on one line of limited length", () => {
    const shown = (message: string) =>
      (
        toModelError(
          apiError({ statusCode: 400, responseBody: JSON.stringify(openai("x", message)) }),
          concerned,
        ) as ModelError
      ).message;
    expect([shown(" One\n two\t three "), shown("long ".repeat(1_000)).length]).toEqual([
      "One two three",
      500,
    ]);
  });

  it("never contains a key", () => {
    const message =
      "topsecretkey, sk-proj-abcdefgh12345678, AIzaSyA1234567890abcdef and https://x/?key=abc123&b=1; Bearer abcdefghijk";
    const error = toModelError(
      apiError({ statusCode: 400, responseBody: JSON.stringify({ error: { message } }) }),
      concerned,
    );
    expect((error as ModelError).message).toBe("***, ***, *** and https://x/?key=***&b=1; ***");
  });

  it("names the provider when it sends none", () => {
    const error = toModelError(apiError({ statusCode: 502, message: "" }), concerned);
    expect((error as ModelError).message).toBe("acme sent HTTP status 502 without a message.");
  });

  it("includes the message of the provider behind OpenRouter", () => {
    const body = {
      error: { code: 502, message: "Provider returned error", metadata: { raw: "Model is cold" } },
    };
    const error = toModelError(apiError({ statusCode: 502, responseBody: JSON.stringify(body) }), concerned);
    expect((error as ModelError).message).toBe("Provider returned error: Model is cold");
  });
});

it("reports a key that cannot be sent without showing it", async () => {
  const refused = await fetch("http://127.0.0.1:1", { headers: { Authorization: "Bearer to\np" } }).catch(
    (error) => error,
  );
  expect(toModelError(refused, concerned)).toMatchObject({
    code: "auth",
    message: "The key or a header for acme contains invalid characters.",
  });
});

it("contains nothing of the conversation or the request", () => {
  const error = toModelError(
    apiError({ statusCode: 400, requestBodyValues: { input: "all of it" } }),
    concerned,
  );
  expect([(error as ModelError).cause, JSON.stringify(error).includes("all of it")]).toEqual([
    undefined,
    false,
  ]);
});

it("returns other errors unchanged", () => {
  const own = new TypeError("x is not a function");
  const known = new ModelError("cut", "So.");
  expect([toModelError(own, concerned), toModelError(known, concerned)]).toEqual([own, known]);
});

it("treats a request that the package refuses to send as a bad request", () => {
  const error = Object.assign(new Error("file part media type text/plain is not supported"), {
    name: "AI_UnsupportedFunctionalityError",
  });
  expect(toModelError(error, concerned)).toMatchObject({ code: "bad-request", status: 400 });
});

/** As the AI SDK makes them. */
function apiError({ message = "Bad Gateway", ...fields }: Record<string, unknown>): Error {
  const error = Object.assign(new Error(message as string), fields);
  return Object.assign(error, {
    name: "AI_APICallError",
    url: "http://127.0.0.1:1/v1/x?key=abc",
    isRetryable: true,
  });
}

function openai(code: string, message: string) {
  return { error: { code, message, type: "invalid_request_error", param: null } };
}

function anthropic(type: string, message: string) {
  return { type: "error", error: { type, message }, request_id: "req_1" };
}

function gemini(status: string, message: string, details: readonly object[] = []) {
  return { error: { code: 429, message, status, details } };
}

function quotaFailure(quotaId: string) {
  return { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [{ quotaId }] };
}

function retryInfo(retryDelay: string) {
  return { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay };
}
