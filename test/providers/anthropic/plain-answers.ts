import type { AskedAddress, PlainAnswer } from "../protocol.ts";

export function route({ method, address, models }: AskedAddress): "reply" | PlainAnswer | undefined {
  const { pathname } = address;
  if (method === "POST" && pathname === "/v1/messages") return "reply";
  if (method !== "GET") return undefined;
  if (pathname === "/v1/models") {
    const data = models.map(modelInfo);
    const [first_id = null, last_id = null] = [models[0], models.at(-1)];
    return { status: 200, body: { data, has_more: false, first_id, last_id } };
  }
  const name = pathname.match(/^\/v1\/models\/([^/]+)$/)?.[1];
  if (name === undefined) return undefined;
  if (!models.includes(name)) return { status: 404, body: errorBody(404, `model: ${name}`) };
  return { status: 200, body: modelInfo(name) };
}

function modelInfo(id: string) {
  return {
    type: "model",
    id,
    display_name: id,
    created_at: "2026-02-17T00:00:00Z",
    max_input_tokens: 200_000,
    max_tokens: 64_000,
    lifecycle: "active",
  };
}

export function errorBody(status: number, message: string): unknown {
  const type = errorTypes[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
  return { type: "error", error: { type, message }, request_id: "req_loopback" };
}

const errorTypes: Record<number, string> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};
