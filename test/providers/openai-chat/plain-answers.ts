import type { AskedAddress, PlainAnswer } from "../protocol.ts";

/** Answers GET requests for the list of models; undefined for other requests. */
export function modelList(
  { method, address, models }: Pick<AskedAddress, "method" | "address" | "models">,
  path: string,
): PlainAnswer | undefined {
  if (method !== "GET" || address.pathname !== path) return undefined;
  const data = models.map((id) => ({ id, object: "model", created: 1_760_000_000, owned_by: "loopback" }));
  return { status: 200, body: { object: "list", data } };
}

export function openAiError(status: number, message: string): unknown {
  const [type, code] = kinds[status] ?? ["server_error", null];
  return { error: { message, type, param: null, code } };
}

const kinds: Readonly<Record<number, readonly [type: string, code: string | null]>> = {
  400: ["invalid_request_error", null],
  401: ["invalid_request_error", "invalid_api_key"],
  404: ["invalid_request_error", "model_not_found"],
  429: ["requests", "rate_limit_exceeded"],
};
