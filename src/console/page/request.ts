import type { ApiFailure, LoginAnswer, LoginRequest } from "../api.ts";
import { recall, remember } from "./settings.ts";

/** A request that the server refused, or that did not reach it (status 0). */
export class RequestError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | null;

  constructor(status: number, { code, message, hint }: ApiFailure["error"]) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}

export function get<Answer>(path: string, query: object = {}, signal?: AbortSignal): Promise<Answer> {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) words.set(name, String(value));
  const question = words.size > 0 ? `?${words}` : "";
  return fetchJson<Answer>(address(path) + question, signal === undefined ? {} : { signal });
}

export function post<Answer, Body extends object = object>(path: string, body: Body): Promise<Answer> {
  return fetchJson<Answer>(address(path), postOf(body));
}

/** Joins the parts of a path, each encoded. */
export function apiPath(...parts: readonly string[]): string {
  return `/api/${parts.map(encodeURIComponent).join("/")}`;
}

/** The address of a path of the API. The server says at login where its routes are. */
export function address(path: string): string {
  return (recall("api") ?? "/api") + path.slice("/api".length);
}

export async function login(code: string): Promise<void> {
  const request: LoginRequest = { code };
  const { api } = await fetchJson<LoginAnswer>("/api/login", postOf(request));
  remember("api", api);
}

function postOf(body: object): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

async function fetchJson<Answer>(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    throw new RequestError(0, {
      code: "unreachable",
      message: "The console does not answer.",
      hint: "Check that toolcrib console still runs.",
    });
  });
  if (response.ok) return (await response.json()) as Answer;
  const failure = (await response.json().catch(() => null)) as ApiFailure | null;
  throw new RequestError(
    response.status,
    failure?.error ?? { code: "failed", message: `The server answered ${response.status}.`, hint: null },
  );
}
