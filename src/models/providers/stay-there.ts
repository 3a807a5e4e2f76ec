import { ModelError } from "../model-error.ts";

/** Follows no redirect: it would take the key and the whole conversation to a server that nobody has named. */
export function stayThere(fetch: typeof globalThis.fetch = globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: "manual" });
    const to = response.headers.get("location");
    if (response.status < 300 || response.status >= 400 || to === null) return response;
    await response.body?.cancel();
    const from = new URL(input instanceof Request ? input.url : input);
    throw new ModelError("bad-request", `${from.host} sends us on to ${placeOf(to, from)}`, {
      hint: "Nothing was sent there. If that is right, make it the base URL of the provider.",
      status: response.status,
    });
  };
}

/** As much of an address as is no secret. */
function placeOf(to: string, from: URL): string {
  const { origin, pathname } = URL.parse(to, from.href) ?? {
    origin: "an address",
    pathname: " that is none",
  };
  return `${origin}${pathname}`.slice(0, 200);
}
